"""The child process: `python -m croqc.engines.gpu.child`. Reads a job a line, answers a JSON object a line.

Before each stage it says `{"stage": …}`, so that the parent's clocks know what runs. It ends with its input. Standard
output belongs to the protocol: what kernels print goes to standard error.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from croqc.engines.gpu.protocol import Answer, Job


def main() -> None:
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
    os.dup2(2, 1)  # printf of a kernel writes to descriptor 1

    def say(data: dict[str, object]) -> None:
        answers.write(json.dumps(data) + "\n")

    cache = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    try:
        from croqc.engines.gpu.device import run
    except ImportError as error:
        say({"stage": "import", "error": str(error)})
        os._exit(1)
    say({"stage": "ready"})
    for line in sys.stdin:
        answer: Answer = run(Job.of_json(json.loads(line)), cache, lambda stage: say({"stage": stage}))
        say({"answer": answer.to_json()})
    answers.flush()
    os._exit(0)  # a context that a kernel has broken must not be torn down


if __name__ == "__main__":
    main()
