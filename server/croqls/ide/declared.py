"""What a file declares, read from its tree alone (LSP `workspace/symbol`), and whether a query means a name.

Must not know LSP types or read files.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from croqc.syntax import ast
from croqc.syntax.parser import parse_file
from croqc.syntax.visit import nodes_of
from croqc.text.span import Span
from croqls.ide.symbols import OutlineKind


@dataclass(frozen=True, slots=True)
class Declared:
    """A name, the absolute span of it, and the function or nothing that it stands in."""

    name: str
    kind: OutlineKind
    span: Span
    container: str = ""


def declared(text: str) -> tuple[Declared, ...]:
    """Macros, functions, their buffers and events, by place; nothing is analysed."""
    tree = parse_file(text)
    found = [Declared(one.name, OutlineKind.MACRO, one.span) for one in tree.pre.macros if one.span is not None]
    for function in tree.functions:
        if function.tree is not None:
            found += _function(function.tree, function.source.base)
    return tuple(sorted(found, key=lambda item: item.span))


def _function(function: ast.Function, base: int) -> Iterator[Declared]:
    if function.name.id:
        yield Declared(function.name.id, OutlineKind.FUNCTION, function.name.span.shift(base))
    for node in nodes_of(function):
        kind = OutlineKind.BUFFER if isinstance(node, ast.BufferName) else OutlineKind.EVENT
        if isinstance(node, ast.BufferName | ast.EventName) and node.name.macro is None and node.name.id:
            yield Declared(node.name.id, kind, node.name.span.shift(base), function.name.id)


def means(query: str, name: str) -> bool:
    """Whether the letters of a query stand in a name in their order, whatever their case; an empty one means all."""
    rest = iter(name.lower())
    return all(letter in rest for letter in query.lower())
