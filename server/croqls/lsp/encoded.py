"""What is kept of a document's semantic tokens: the numbers of functions that did not change. Must not make them."""

from __future__ import annotations

from typing import NamedTuple

from croqc.sema.model import Analysis


class Part(NamedTuple):
    """Numbers as LSP counts them, the first two from the line of the function's start; where the last token stands,
    its line from there too; and the function's text."""

    data: list[int]
    line: int
    column: int
    text: str


Encoded = dict[Analysis, Part]
