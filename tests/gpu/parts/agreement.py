"""Every case in the simulator and on the card, and the constructs of the language: one verdict."""

from __future__ import annotations

import time
from typing import Any

from croqc.engines.gpu.parent import Parent
from croqc.service.run_plan import CardRequest
from tests.gpu.cases import cases, covered, name_of, run, said

TIMED = 20


def examples(card: Parent) -> list[dict[str, Any]]:
    """Timed on the card; with waits that report at the sizes of the run line. `agree`: one verdict."""
    found = []
    for case in cases():
        sim = said(run(case, None, None))
        start = time.perf_counter()
        gpu = said(run(case, card, CardRequest(rounds=TIMED, report=case.kind == "given")))
        row = {"case": name_of(case), "sim": sim, "gpu": gpu, "seconds": round(time.perf_counter() - start, 3)}
        row["agree"] = sim["verdict"] == gpu["verdict"]
        print(row["case"], sim["verdict"], gpu["verdict"], gpu["message"], flush=True)
        found.append(row)
    return found


def coverage(card: Parent) -> list[dict[str, Any]]:
    """The constructs, each twice on the card in one run, and once with waits that report. `agree`: one verdict."""
    found = []
    for case in covered():
        sim = said(run(case, None, None))
        gpu = [said(run(case, card, CardRequest(rounds=1, report=report))) for report in (False, True)]
        agree = all(each["verdict"] == sim["verdict"] for each in gpu)
        row = {"case": name_of(case), "sim": sim, "gpu": gpu, "agree": agree}
        print(row["case"], sim["verdict"], *(f"{each['verdict']} {each['message']}" for each in gpu), flush=True)
        found.append(row)
    return found
