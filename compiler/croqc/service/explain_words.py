"""What `croq explain` tells of words that are no part of the language: verdicts, and words of CUDA C++.

Must not judge a kernel, nor know what stands for a word of CUDA (see `explain_cuda`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from croqc.service.explain_cuda import CUDA
from croqc.syntax.borrowed import barrier

COVERS: Final = "the order of paths, events and copies; not races between threads inside one path"
"""What a verdict of credit flow speaks of, for those who read "proved"."""

RUNS_COVER: Final = "these sizes and schedules; not races between threads inside one path"
"""The same of a run in the simulator."""

_OF_FLOW: Final = f"It covers {COVERS}. Whether indices stay inside for all sizes is another question: runs tell."
_OF_RUNS: Final = (
    "A run looks at these sizes and schedules alone. The threads of one path run in step: races between them are not"
    " seen."
)
_VERDICTS: Final[Mapping[str, str]] = {
    "proved": "The credit flow is free of deadlock and of early reuse of buffers, for every size. Where integers could"
    f' leave their type at larger sizes, the verdict names those that it is of ("up to 2^20"). {_OF_FLOW}',
    "checked": f"No fault at the sizes that were tried, which the verdict names; not proved for all. {_OF_FLOW}",
    "fails": "The credit flow comes to a deadlock or uses a buffer too early; the findings tell the steps to it.",
    "verified": f"Every `expect` line holds in this run. {_OF_RUNS}",
    "consistent": "No `expect` line was given; two orders of the same program agree, which may both be wrong."
    f" {_OF_RUNS}",
}


def foreign_text(word: str) -> str | None:
    """Markdown on a verdict ("proved") or a word of CUDA ("threadIdx.x", "__syncthreads"); else None."""
    told = _VERDICTS.get(word)
    if told is not None:
        return f"# {word}\n\nA verdict. {told}\n"
    bare = word.removesuffix("()")
    head, _, axis = bare.partition(".")
    told = CUDA.get(head if axis in ("x", "y", "z") else bare)
    if told is None and (meant := barrier(bare)) is not None:
        told = f"{meant.hint[:1].upper()}{meant.hint[1:]}.".replace("'", "`")
    return None if told is None else f"# {bare}\n\nNo word of the language. {told}\n"
