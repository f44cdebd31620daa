"""Whether statements behind a loop do what a turn of the loop does, with its index at a value. Must not rewrite."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import starmap

from croqc.refactor.base import Code
from croqc.sema.model import Symbol
from croqc.sema.symbolic import Int
from croqc.syntax import ast
from croqc.syntax.visit import fields_of
from croqc.text.span import Span


def repeats(
    code: Code,
    work: Sequence[ast.Stmt],
    behind: Sequence[ast.Stmt],
    handles: Mapping[Symbol, Symbol],
    values: Mapping[str, Int],
) -> bool:
    """Whether `behind` is `work` with other `handles` (by those of the work), and atoms that stand for `values`."""
    if len(work) != len(behind):
        return False
    if not work:
        return True
    return _Repeat(code, handles, values, Span(behind[0].span.start, behind[-1].span.end)).same(
        tuple(work), tuple(behind)
    )


class _Repeat:
    def __init__(self, code: Code, handles: Mapping[Symbol, Symbol], values: Mapping[str, Int], behind: Span) -> None:
        self.model = code.model
        self.symbols = dict(handles)
        self.values = values
        self.behind = behind
        self.own: dict[str, Int] = {}  # indices that are bound behind the loop, as those of the work

    def same(self, one: object, other: object) -> bool:
        while isinstance(one, ast.Paren):
            one = one.inner
        while isinstance(other, ast.Paren):
            other = other.inner
        if isinstance(one, tuple) and isinstance(other, tuple):
            return len(one) == len(other) and all(starmap(self.same, zip(one, other, strict=True)))
        if not isinstance(one, ast.Node) or not isinstance(other, ast.Node):
            return one == other
        if isinstance(one, ast.Name) and isinstance(other, ast.Name) and not self._same_name(one, other):
            return False
        first, second = self.model.values.get(one), self.model.values.get(other)
        if first is not None and second is not None:
            return first.substitute(self.values) == second.substitute(self.own)
        if isinstance(one, ast.Name):
            return isinstance(other, ast.Name)
        return type(one) is type(other) and self.same(fields_of(one), fields_of(other))

    def _same_name(self, one: ast.Name, other: ast.Name) -> bool:
        """Whether names mean the same, or what the two sides declare alike."""
        first, second = self.model.uses.get(one), self.model.uses.get(other)
        if first is None or second is None:
            return first is second and one.id == other.id
        if first not in self.symbols and self.behind.contains(second.name_span.start):
            self.symbols[first] = second
            self.own[second.atom] = Int.of(first.atom) if first.atom and second.atom else Int.of(0)
        valued = one in self.model.values and other in self.model.values
        return valued or self.symbols.get(first, first) is second
