"""What is kept of a document's outline: the symbol of each function that did not change, and the function's text. Must
not make them."""

from __future__ import annotations

from lsprotocol import types as lsp

from croqc.sema.model import Analysis
from croqc.text.source import Position

Outlines = dict[tuple[Analysis | None, Position], tuple[lsp.DocumentSymbol, str]]
"""By the function's analysis and where it begins, in the units that were agreed on."""
