"""The child process: `python -m croqc.engines.gpu.child`. Reads a job a line, answers a JSON object a line.

Before each stage it says `{"stage": …, "kernel": …, "job": …}`, so that the parent's clocks know what runs. It ends
with its input, or when its parent has died, whatever the card does. Standard output belongs to the protocol: what
kernels print goes into a file of the job's folder.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from croqc.engines.gpu.protocol import PRINTED, Answer, Job

_WATCH = 0.5  # seconds between two looks at the parent


def main() -> None:
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
    os.dup2(2, 1)  # printf of a kernel writes to descriptor 1
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()

    def say(data: dict[str, object]) -> None:
        answers.write(json.dumps(data) + "\n")

    cache = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    try:
        from croqc.engines.gpu.device import run
    except Exception as error:  # a broken installation raises whatever it likes
        missing = error.name if isinstance(error, ModuleNotFoundError) else None
        say({"stage": "import", "error": f"{type(error).__name__}: {error}", "missing": missing or ""})
        answers.flush()
        os._exit(1)
    say({"stage": "ready"})
    for line in sys.stdin:
        job = Job.of_json(json.loads(line))
        with _printing_to(job.folder):
            answer: Answer = run(job, cache, partial(_at, say, job.number))
        say({"answer": answer.to_json(), "job": job.number})
    answers.flush()
    os._exit(0)  # a context that a kernel has broken must not be torn down


def _at(say: Callable[[dict[str, object]], None], number: int, stage: str, kernel: str) -> None:
    say({"stage": stage, "kernel": kernel, "job": number})


def _end_with(parent: int) -> None:
    """A parent that is killed cannot end its child, and a hung kernel would keep the card."""
    while os.getppid() == parent:
        time.sleep(_WATCH)
    os._exit(1)


@contextmanager
def _printing_to(folder: str) -> Iterator[None]:
    """What is printed inside goes into a file of the job's folder; to the log where there is none. C keeps a buffer of
    its own, which is emptied on the way out."""
    try:
        if not folder:
            raise FileNotFoundError
        target = os.open(Path(folder) / PRINTED, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    except OSError:
        yield
        return
    before = os.dup(1)
    os.dup2(target, 1)
    os.close(target)
    try:
        yield
    finally:
        ctypes.CDLL(None).fflush(None)
        os.dup2(before, 1)
        os.close(before)


if __name__ == "__main__":
    main()
