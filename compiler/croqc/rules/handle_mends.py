"""Edits of handles: the right exchange of a double or triple buffer, a wait with fewer operands. No rule's words."""

from __future__ import annotations

from croqc.refactor.base import Code
from croqc.rules.credit_edits import behind, is_plain
from croqc.rules.credit_sites import Loop
from croqc.rules.credit_words import fix
from croqc.rules.flow_places import inside, loop_of, symbols, target_of, waits_for
from croqc.sema.model import Finding, Symbol
from croqc.syntax import ast
from croqc.text.diagnostics import Fix
from croqc.text.edits import Edit
from croqc.text.span import Span


def exchanged(code: Code, finding: Finding) -> tuple[Fix, ...]:
    """Exchange the handles of all operands of the loop as often as there are handles."""
    loops = [loop for one in finding.related if (loop := loop_of(code, one.span)) is not None]
    loops += [node for node in code.around if isinstance(node, Loop)]
    loop = next((one for one in loops if _families(code, one)), None)
    if loop is None or not loop.body.braced:
        return ()
    edits: list[Edit] = []
    lines: list[str] = []
    for family in _families(code, loop):
        wanted = f"{'swap' if len(family) == 2 else 'rotate'}({', '.join(symbol.name for symbol in family)})"
        found = [node for node in inside(loop) if isinstance(node, ast.Rotate) and _names(code, node) & set(family)]
        if not found:
            lines.append(f"{wanted};")
            continue
        if not all(is_plain(code, node, "swap|rotate") and code.blocks.get(node) is loop.body for node in found):
            return ()
        edits += [code.removal(node) for node in found[1:]]
        if [code.model.uses.get(name) for name in found[0].names] != family:
            end = found[0].span.end - code.of(found[0]).endswith(";")
            edits.append(Edit(Span(found[0].span.start, end), wanted))
    place = _place(code, loop)
    if lines and place is not None:
        edits.append(behind(code, place, lines))
    return fix("Exchange the handles at the end of the turn", tuple(edits))


def _names(code: Code, node: ast.Rotate) -> set[Symbol | None]:
    return {code.model.uses.get(name) for name in node.names}


def _families(code: Code, loop: Loop) -> list[list[Symbol]]:
    """The handles of each operand that the loop loads: futures of one source, in the order of their tiles."""
    loaded: dict[Symbol, list[Symbol]] = {}
    inner: set[Symbol] = set()
    for node in code.around:
        future = target_of(code, node)
        if not isinstance(node, ast.Copy) or future is None:
            continue
        view = code.model.views.get(node.source)
        if view is None or any(future in known for known in loaded.values()):
            continue
        loaded.setdefault(view.base, []).append(future)
        if loop in code.around[node].chain:
            inner.add(future)
    return [family for family in loaded.values() if len(family) > 1 and inner & set(family)]


def _place(code: Code, loop: Loop) -> ast.Node | None:
    """Where the others are exchanged, else the last statement of the loop."""
    stmts = loop.body.stmts
    found = next((stmt for stmt in reversed(stmts) if isinstance(stmt, ast.Rotate)), stmts[-1])
    return found if code.written(found) else None


def without(code: Code, wait: ast.Wait, futures: list[Symbol]) -> Edit:
    """A wait without some of its operands; nothing of it if none is left."""
    if waits_for(code, wait, futures):
        return code.removal(wait)
    kept = [code.of(ref) for ref in wait.refs if not set(symbols(code, [ref])) & set(futures)]
    return Edit(Span(wait.refs[0].span.start, wait.refs[-1].span.end), ", ".join(kept))
