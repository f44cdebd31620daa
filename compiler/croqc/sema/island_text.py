"""The text of an island with what the macros in it stand for: it means what they say, too. Must not judge it."""

from __future__ import annotations

from croqc.sema.model import Context
from croqc.syntax import ast
from croqc.syntax.device_text import with_macros


def island_text(context: Context, node: ast.Cpp) -> str:
    """As written; behind it the bodies of the file's macros that it names, and of those that these name."""
    return with_macros(node.text.value, dict(context.macro_bodies))
