"""A process that runs programs many times each on the card, and counts what different bits came out:
`python -m tests.gpu.repeated RUNS FOLDER…`. Must not judge what that means.

Each folder has `job.json`: a `Job`, and the names of the arrays that count. The answer is written to `repeated.json`
there; a program that fails or hangs ends the process, behind its answer.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from croqc.engines.gpu.protocol import Job
from tests.gpu.shaken import Repeated, same


def different(job: Job, outputs: list[str], runs: int) -> dict[str, Any]:
    """`different`: how many different results there were, all outputs together."""
    program = Repeated(job)
    seen: list[dict[str, Any]] = []
    for _ in range(runs):
        if not program.run():
            return {"different": len(seen), "trouble": "hangs"}
        if not any(same(program.arrays, each) for each in seen):
            seen.append({name: program.arrays[name].copy() for name in outputs})
    return {"different": len(seen), "trouble": ""}


def main() -> None:
    for folder in map(Path, sys.argv[2:]):
        data = json.loads((folder / "job.json").read_text(encoding="utf-8"))
        try:
            found = different(Job.of_json(data["job"]), data["outputs"], int(sys.argv[1]))
        except Exception as error:  # whatever a library raises concerns this program alone
            found = {"different": 0, "trouble": f"{type(error).__name__}: {error}"}
        (folder / "repeated.json").write_text(json.dumps(found), encoding="utf-8")
        if found["trouble"]:
            break
    os._exit(0)  # a context that a kernel has broken must not be torn down


if __name__ == "__main__":
    main()
