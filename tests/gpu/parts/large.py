"""Runs whose data is made and judged on the card: right ones, and the same with an expectation that is off by 1000."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from typing import Any, Final

from croqc.engines.gpu.parent import Parent
from croqc.service.check import check_text
from croqc.service.run import run_planned
from croqc.service.run_plan import CardRequest, Request, plan_runs
from tests.gpu.cases import EXAMPLES

SIZES: Final[Mapping[str, Mapping[str, int]]] = {
    "gemm_f16.co": {"M": 4096, "N": 4096, "K": 4096},
    "gemm_bf16.co": {"M": 4096, "N": 4096, "K": 4096},
    "gemm_f8.co": {"M": 4096, "N": 4096, "K": 4096},
    "stream_add.co": {"M": 4096, "N": 8192},
    "row_sum.co": {"M": 4096, "N": 8192},
    "transpose.co": {"M": 8192, "N": 8192},
    "rotate_triple.co": {"R": 4096, "C": 8192},
}
LINE: Final = re.compile(r"(// croq: expect .*? [~=]=) ")


def large(card: Parent, sizes: Mapping[str, Mapping[str, int]] = SIZES) -> list[dict[str, Any]]:
    """`agree`: verified, and wrong in every element where the expectation is; both judged on the card, no notes."""
    found = []
    for file, given in sizes.items():
        text = (EXAMPLES / file).read_text(encoding="utf-8")
        right, wrong = _run(text, given, card), _run(LINE.sub(r"\1 1000 + ", text), given, card)
        row: dict[str, Any] = {"file": file, "sizes": dict(given), "right": right, "wrong": wrong}
        all_differ = wrong["differing"] == wrong["total"] > 0
        verdicts = (right["verdict"], wrong["verdict"]) == ("verified", "wrong")
        row["agree"] = verdicts and all_differ and not right["notes"] and not wrong["notes"]
        print(row, flush=True)
        found.append(row)
    return found


def _run(text: str, sizes: Mapping[str, int], card: Parent) -> dict[str, Any]:
    report = check_text(text)
    request = Request(sizes=sizes, card=CardRequest())
    start = time.perf_counter()
    found = run_planned(report, plan_runs(report, request)[0], request, None, card)
    line = found.result.expectations[0] if found.result.expectations else None
    return {
        "verdict": found.result.verdict.value,
        "message": found.message,
        "notes": list(found.notes),
        "error": line and line.norms.max_abs,
        "differing": line and line.differing,
        "total": line and line.total,
        "seconds": round(time.perf_counter() - start, 3),
    }
