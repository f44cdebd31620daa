"""Device writes into parameters that are copied in only (reference, 3.6). Needs views and nesting.

Must not follow calls: what C++ writes is not known.
"""

from __future__ import annotations

from collections.abc import Iterator

from croqc.sema import rulenames_device as rules
from croqc.sema.builder import Builder
from croqc.sema.model import Symbol, SymbolKind
from croqc.sema.nesting import statements
from croqc.sema.roots import Roots
from croqc.sema.types import Data, Storage
from croqc.sema.writes import filled
from croqc.syntax import ast
from croqc.syntax.visit import children, walk


def check_param_writes(builder: Builder) -> None:
    """One finding for each such parameter, at the first write."""
    left = {symbol for symbol in builder.symbols if _is_copied_in(symbol)}
    if not left:
        return
    roots = Roots(builder, builder.anonymous)
    for node, around in statements(builder.function.body):
        for target in () if around.on_host else _written(node):
            view = builder.views.get(target)
            bases = roots.of(view.base) if view is not None else frozenset()
            if len(bases) == 1 and bases <= left:
                left -= bases
                builder.report(rules.LOST_WRITE, target.span, name=next(iter(bases)).name)


def _written(node: ast.Node) -> Iterator[ast.Node]:
    """What a statement fills, its bodies left out."""
    yield from filled(node)
    if not isinstance(node, ast.Block):
        heads = (each for each in children(node) if not isinstance(each, ast.Block))
        yield from (target for head in heads for part in walk(head) for target in filled(part))


def _is_copied_in(symbol: Symbol) -> bool:
    type_, decl = symbol.type, symbol.decl
    plain = isinstance(decl, ast.Param) and not decl.by_ref and not decl.is_global
    return symbol.kind is SymbolKind.PARAM and plain and isinstance(type_, Data) and type_.storage is Storage.HOST
