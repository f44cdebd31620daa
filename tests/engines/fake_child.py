"""A child process without a card, whose manners its first argument chooses. Must not import the product."""

from __future__ import annotations

import json
import os
import signal
import struct
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

CAPTURED = sys.argv[2:]


def say(**data: object) -> None:
    sys.stdout.write(json.dumps(data) + "\n")
    sys.stdout.flush()


def stages(job: dict[str, Any]) -> None:
    for stage in ("device", "compile", "load", "upload"):
        say(stage=stage, kernel="", job=job["number"])
    for launch in job["launches"]:
        say(stage="run", kernel=launch["kernel"], job=job["number"])


def answer(job: dict[str, Any], **fields: object) -> None:
    say(answer={"stage": "done", "error": "", "device": "Fake", **fields}, job=job["number"])


def add(job: dict[str, Any]) -> None:
    """Does what examples/add.co does: f32, result = a + b."""
    folder = Path(job["folder"])
    data = {name: (folder / f"{name}.in").read_bytes() for name in "ab"}
    values = [struct.unpack(f"<{len(each) // 4}f", each) for each in data.values()]
    sums = struct.pack(f"<{len(values[0])}f", *(a + b for a, b in zip(*values, strict=True)))
    for array in job["arrays"]:
        name = array["name"]
        (folder / f"{name}.out").write_bytes(data.get(name, sums))
    rounds = [0.002, 0.001, 0.004] if job["repeat"] else []
    answer(
        job,
        times=rounds,
        compile_time=0.25,
        printed="hello\n" if job["code"] else "",
    )


def measure(job: dict[str, Any]) -> None:
    """Asked for without code."""
    say(stage="measure", kernel="", job=job["number"])
    if CAPTURED[:1] == ["late"]:
        time.sleep(60)
    if CAPTURED[:1] == ["dies"]:
        sys.exit(3)
    answer(job, ceiling={"gigabytes": 4000.0, "tflops": 790.0, "measured": "2026-01-02"})


def gated(job: dict[str, Any]) -> None:
    """Adds as soon as a file exists."""
    while not Path(CAPTURED[0]).exists():
        time.sleep(0.02)
    add(job)


def records(job: dict[str, Any]) -> None:
    """The waits of CAPTURED, `site,slot,generation,parity,state,block,thread` each, and a launch that failed."""
    if job["report"]:
        with open(job["report"], "r+b") as file:
            for number, text in enumerate(CAPTURED):
                file.seek(32 * number)
                file.write(struct.pack("<8I", *map(int, text.split(",")), 0))
        failed(job, "crashed", "a launch failure")
    else:
        time.sleep(60)


def profile(job: dict[str, Any]) -> None:
    """Times that CAPTURED begins with, plain and with probes; the files behind them are what the probes left."""
    plain, probed, *files = CAPTURED
    for array in job["arrays"]:
        (Path(job["folder"]) / f"{array['name']}.out").write_bytes(bytes(array["size"]))
    probes = [launch["probe_paths"] for launch in job["launches"]]
    if any(probes):
        say(stage="record", kernel=job["launches"][-1]["kernel"], job=job["number"])
        for number, file in enumerate(files):
            (Path(job["folder"]) / f"probes-{number}").write_bytes(Path(file).read_bytes())
    answer(job, times=[float(probed if any(probes) else plain)] * 3)


def failed(job: dict[str, Any], kind: str, error: str) -> None:
    kernel = job["launches"][0]["kernel"] if job["launches"] else ""
    answer(job, stage="run", error=error, kind=kind, kernel=kernel)


def _signal(job: dict[str, Any]) -> None:
    print("a last word", file=sys.stderr, flush=True)
    os.abort()


def _grandchild(job: dict[str, Any]) -> None:
    """Leaves a process of its own behind, whose id it writes to a file, and hangs."""
    started = subprocess.Popen(["sleep", "60"])
    Path(CAPTURED[0]).write_text(str(started.pid))
    time.sleep(60)


def _other(job: dict[str, Any]) -> None:
    """Answers a job that was not asked."""
    answer({**job, "number": job["number"] + 1})


def _twice(job: dict[str, Any]) -> None:
    answer(job)
    answer(job)


MANNERS = {
    "good": answer,
    "add": add,
    "gated": gated,
    "records": records,
    "profile": profile,
    "hangs": lambda job: time.sleep(60),
    "aborts": _signal,
    "killed": lambda job: os.kill(os.getpid(), signal.SIGKILL),
    "exits": lambda job: sys.exit(3),
    "garbage": lambda job: (sys.stdout.write("Segmentation fault\n"), sys.stdout.flush(), time.sleep(60)),
    "list": lambda job: (sys.stdout.write("[1]\n"), sys.stdout.flush(), time.sleep(60)),
    "endless": lambda job: [sys.stdout.write("x" * 65536) for _ in range(10_000)],
    "fields": lambda job: say(answer={"stage": "done", "colour": "red"}, job=job["number"]),
    "other": _other,
    "twice": _twice,
    "grandchild": _grandchild,
    "fails": lambda job: failed(job, *CAPTURED[:2]),
}


def main() -> None:
    manner = sys.argv[1]
    if manner == "import":
        say(stage="import", error=CAPTURED[1], missing=CAPTURED[0])
        sys.exit(1)
    if manner == "silent":
        time.sleep(60)
    if manner == "dies":
        sys.exit("a traceback")
    if manner == "gated":
        Path(f"{CAPTURED[0]}.child").write_text(str(os.getpid()))
    if manner == "early":
        answer({"number": 1})
    say(stage="ready")
    if manner == "deaf":
        time.sleep(60)
    for line in sys.stdin:
        job = json.loads(line)
        if manner == "compiles":
            say(stage="compile", kernel="", job=job["number"])
            time.sleep(60)
        if job["code"]:
            stages(job)
        MANNERS[manner](job) if job["code"] else measure(job) if job["ceiling"] else answer(job)


if __name__ == "__main__":
    main()
