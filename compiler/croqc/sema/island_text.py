"""The text of an island with what the macros in it stand for: it means what they say, too. Must not judge it."""

from __future__ import annotations

from croqc.sema.model import Context
from croqc.syntax import ast
from croqc.syntax.cpp_tokens import WORD


def island_text(context: Context, node: ast.Cpp) -> str:
    """As written; behind it the bodies of the file's macros that it names, and of those that these name."""
    bodies = dict(context.macro_bodies)
    found, words = [node.text.value], WORD.findall(node.text.value)
    while words:
        body = bodies.pop(words.pop(), "")
        if body:
            found.append(body)
            words += WORD.findall(body)
    return "\n".join(found)
