"""Inner names that hide an outer one of the same kind, where an assignment to the outer one was surely meant (T03).

What is declared is never read, though the outer one is; or the outer future is used behind it. Needs all uses.
"""

from __future__ import annotations

from collections import defaultdict

from croqc.sema import rulenames as rules
from croqc.sema.builder import Builder
from croqc.sema.declarations import is_plain_integer
from croqc.sema.model import Symbol
from croqc.sema.scopes import declared_here
from croqc.sema.types import Future, Scalar
from croqc.syntax import ast


def check_hidden(builder: Builder) -> None:
    if not builder.hidden:
        return
    uses: dict[Symbol, list[int]] = defaultdict(list)
    for name, symbol in builder.uses.items():
        if name.span != symbol.name_span:
            uses[symbol].append(name.span.start)
    for named in builder.islands.values():
        for symbol in named.values():
            uses[symbol].append(symbol.name_span.start)
    for inner, outer in builder.hidden.items():
        if not isinstance(inner.decl, ast.AssignPart | ast.Copy):
            continue
        future = isinstance(inner.type, Future) and isinstance(outer.type, Future)
        behind = future and any(start > inner.name_span.start for start in uses[outer])
        unread = (future or _are_numbers(inner, outer)) and uses[outer] and not uses[inner]
        if behind or unread:
            related = (declared_here(outer),)
            builder.report(rules.SHADOWED_ASSIGNMENT, inner.name_span, related, name=inner.name, future=future)


def _are_numbers(*symbols: Symbol) -> bool:
    return all(isinstance(one.type, Scalar) or is_plain_integer(one.type) for one in symbols)
