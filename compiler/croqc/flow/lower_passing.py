"""Variables that a statement changes in passing, as `i++` in an index or a called function does, as steps. Must not
lower the statement.

The orders of waits and triggers (`e.at(order++)`) are not among them: those are updated by what lowers these.
"""

from __future__ import annotations

from croqc.flow.exprs import apply, const, unknown, var
from croqc.flow.lower_loops import Builder
from croqc.flow.ops_control import Set
from croqc.sema.events import order_of
from croqc.sema.foreign_writes import foreign_writes
from croqc.syntax import ast
from croqc.syntax.visit import children, walk

PASSING = (ast.IncDec, ast.Call, ast.Cpp, ast.Asm)


def moved_in_passing(lowering: Builder, node: ast.Node) -> list[Set]:
    """A step for each `i++` of a statement, and for each variable that C++ may write. One whose value is known is to be
    gone behind the statement. Where that names the variable elsewhere, too, or need not come to it, and behind C++,
    nothing is known: such a step is to be gone in front. Of what has a body its head counts alone."""
    if isinstance(node, ast.Block):
        return []
    below = children(node)
    heads = [each for each in below if not isinstance(each, ast.Block)]
    parts = [node, *(part for head in heads for part in walk(head))]
    sure = len(heads) == len(below) and not any(map(_is_choice, parts))
    orders = [order_of(ref) for ref in node.refs] if isinstance(node, ast.Wait | ast.Trigger) else []
    found = []
    for each in parts:
        if any(each is order for order in orders):
            continue
        for written in foreign_writes(lowering.model, each):
            if written in lowering.exprs.changing:
                found.append(Set(each.span, lowering.exprs.slot(written), unknown(each.span), lowering.loops))
        symbol = lowering.model.uses.get(each.name) if isinstance(each, ast.IncDec) else None
        if isinstance(each, ast.IncDec) and symbol is not None and symbol in lowering.exprs.changing:
            slot = lowering.exprs.slot(symbol)
            named = sum(isinstance(part, ast.Name) and lowering.model.uses.get(part) is symbol for part in parts)
            moved = lowering.exprs.widths.moved(symbol, apply(each.op[0], var(slot), const(1)))
            value = moved if sure and named == 1 else unknown(each.span)
            found.append(Set(each.span, slot, value, lowering.loops))
    return found


def _is_choice(part: ast.Node) -> bool:
    return isinstance(part, ast.Cond) or (isinstance(part, ast.Binary) and part.op in ("&&", "||"))
