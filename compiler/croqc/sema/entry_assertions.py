"""The assertions that are checked when a function is entered (reference, 3.9, item 8). Must not evaluate them."""

from __future__ import annotations

from collections.abc import Iterator

from croqc.sema.nesting import Around, statements
from croqc.syntax import ast


def entry_assertions(function: ast.Function) -> Iterator[tuple[ast.Assert, Around]]:
    """Those under no condition, in roles too: as far as their operands are known at entry, it does not matter where
    they stand."""
    for node, around in statements(function.body):
        if isinstance(node, ast.Assert) and not any(isinstance(frame, ast.If | ast.While) for frame in around.chain):
            yield node, around
