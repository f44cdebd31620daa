"""Changes the number of stages of a ring everywhere at once (reference, 7.6; credit-flow, section 5).

    shared event full[2], empty[2];
    shared f16 [2 * 64, 64] buf;
    parallel w by 2 : group-4 {
      inthreads.async (w == 0) {
        foreach {k} in [cdiv(K, 64)] {
          wait empty[k % 2];
          dma.copy a.subspan(64, 64).at(b, k) => buf.subspan(64, 64).at(k % 2, 0);
          trigger full[k % 2];
        }
      }
      inthreads.async (w == 1) {
        foreach {s} in [2] { trigger empty[s]; }
        foreach {k} in [cdiv(K, 64)] { slot = k % 2; wait full[slot]; trigger empty[slot]; }
      }
    }

becomes, for three stages,

    shared event full[3], empty[3];
    shared f16 [3 * 64, 64] buf;
    parallel w by 2 : group-4 {
      inthreads.async (w == 0) {
        foreach {k} in [cdiv(K, 64)] {
          wait empty[k % 3];
          dma.copy a.subspan(64, 64).at(b, k) => buf.subspan(64, 64).at(k % 3, 0);
          trigger full[k % 3];
        }
      }
      inthreads.async (w == 1) {
        foreach {s} in [3] { trigger empty[s]; }
        foreach {k} in [cdiv(K, 64)] { slot = k % 3; wait full[slot]; trigger empty[slot]; }
      }
    }

Where a macro names the number, only its definition is changed. Must not touch numbers that mean something else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from croqc.refactor.base import Code, Outcome, Refusal
from croqc.refactor.repeated import written_between
from croqc.sema.model import Symbol, SymbolKind
from croqc.sema.roots import base_name
from croqc.sema.types import Event, Storage
from croqc.syntax import ast
from croqc.syntax.visit import walk
from croqc.text.edits import Edit
from croqc.text.span import Span

TITLE = "Change to {} stages"
_MOST = 32
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def sites(code: Code) -> Iterator[Symbol]:
    """Event arrays of one dimension, which stand for their rings."""
    return (event for event in code.events if isinstance(event.type, Event) and len(event.type.array) == 1)


def applies(code: Code, event: Symbol) -> bool:
    return event in set(sites(code))


def edits(code: Code, event: Symbol, number: int) -> Outcome:
    """The ring of an event with `number` stages."""
    assert isinstance(event.type, Event) and isinstance(event.decl, ast.EventName)
    if not 1 <= number <= _MOST:
        return Refusal(f"a ring has 1 to {_MOST} stages", event.name_span)
    extent = event.decl.array[0]
    if not isinstance(extent, ast.IntLit):
        return Refusal("the number of stages is computed", extent.span)
    again = _loaded_again(code)
    if again is not None:
        return again
    ring = set(_literals(code, extent))
    if extent.macro is not None:
        return _definition(code, extent, number, ring)
    places = {literal.span for literal in ring}
    return tuple(Edit(span, str(number)) for span in sorted(places))


def _loaded_again(code: Code) -> Refusal | None:
    """Another number of stages lets loads run further ahead of what is written back to where they come from."""
    for copy, info in code.model.copies.items():
        if info.source_storage in (Storage.GLOBAL, Storage.HOST):
            place = written_between(code, code.model.function.body.stmts, copy.source)
            if place is not None:
                return Refusal("this may write what the ring loads", place.span)
    return None


def _definition(code: Code, extent: ast.IntLit, number: int, ring: set[ast.IntLit]) -> Outcome:
    """The macro's definition in front of the function, if it is this number, stands there once and means the ring."""
    name = code.of(extent)
    pattern = (
        rf"^([ \t]*#[ \t]*define[ \t]+{re.escape(name)}[ \t]+)({re.escape(extent.text)})(?=[ \t]*(?://.*|/\*.*)?\r?$)"
    )
    found = list(re.finditer(pattern, code.file, re.MULTILINE))
    if not name.isidentifier() or len(found) != 1:
        return Refusal(f"'{name}' is not defined as a plain number in this file", extent.span)
    used = [node for node in walk(code.model.function) if isinstance(node, ast.IntLit) and node.macro == name]
    other = next((node for node in used if node not in ring), None)
    if other is not None:
        return Refusal(f"'{name}' stands for something else here, too", other.span)
    word = re.compile(rf"\b{re.escape(name)}\b")
    everywhere = len(word.findall(_COMMENT.sub(" ", code.file)))
    if len(word.findall(code.bare)) != len(used) or everywhere != len(used) + 1:
        return Refusal(f"'{name}' is used elsewhere, too", extent.span)
    start, end = found[0].span(2)
    return (Edit(Span(start, end).shift(-code.base), str(number)),)


def _literals(code: Code, like: ast.IntLit) -> Iterator[ast.IntLit]:
    """The numbers that are the ring's, written as the one given: of events, buffers, moduli of slots, and loops that
    wait for or trigger all slots."""
    slots = set(_slot_expressions(code))
    for node in walk(code.model.function.body):
        match node:
            case ast.EventName(array=array) | ast.BufferName(array=array):
                yield from _are(array, like)
            case ast.BufferDecl(shape=(first, *_)) if _is_packed(code, node):
                yield from _factor(first, like)
            case ast.Binary(op="%", right=right) if node in slots:
                yield from _are((right,), like)
            case ast.Foreach(bindings=(ast.Binding(names=(name,), extent=extent),)) if _is_slot_loop(code, node, name):
                yield from _are(extent.items if isinstance(extent, ast.ShapeLit) else (extent,), like)


def _are(nodes: tuple[ast.Expr, ...], like: ast.IntLit) -> Iterator[ast.IntLit]:
    for node in nodes:
        if isinstance(node, ast.IntLit) and (node.macro, node.value) == (like.macro, like.value):
            yield node


def _factor(node: ast.Expr, like: ast.IntLit) -> Iterator[ast.IntLit]:
    """N of the packed extent `N * R` or `R * N`; the left one where both are the same number."""
    if isinstance(node, ast.Paren):
        yield from _factor(node.inner, like)
    elif isinstance(node, ast.Binary) and node.op == "*":
        found = [*_are((node.left,), like), *_are((node.right,), like)]
        yield from found[:1]


def _subscripts(code: Code) -> Iterator[ast.Expr]:
    """What names a slot: subscripts of events and buffers, and the first coordinate in a packed buffer."""
    for node in walk(code.model.function.body):
        symbol = _symbol(code, node) if isinstance(node, ast.Chain) else None
        if symbol is None or not isinstance(node, ast.Chain):
            continue
        for suffix in node.suffixes:
            if isinstance(suffix, ast.Index) and symbol.kind in (SymbolKind.EVENT, SymbolKind.BUFFER):
                yield from suffix.args
            elif isinstance(suffix, ast.Member) and suffix.name == "at" and suffix.args and _packed(code, symbol):
                yield suffix.args[0]


def _slot_expressions(code: Code) -> Iterator[ast.Node]:
    """Every expression under a subscript, through the names that were assigned for it."""
    assigned: dict[Symbol, list[ast.Node]] = {}
    for node in walk(code.model.function.body):
        if isinstance(node, ast.AssignPart) and isinstance(node.target, ast.Name):
            symbol = code.model.uses.get(node.target)
            if symbol is not None:
                assigned.setdefault(symbol, []).append(node.value)
    seen: set[ast.Node] = set()
    stack: list[ast.Node] = list(_subscripts(code))
    while stack:
        here = stack.pop()
        if here in seen:
            continue
        for node in walk(here):
            seen.add(node)
            yield node
            symbol = code.model.uses.get(node) if isinstance(node, ast.Name) else None
            stack += assigned.get(symbol, []) if symbol is not None else []


def _symbol(code: Code, node: ast.Node) -> Symbol | None:
    name = base_name(node)
    return code.model.uses.get(name) if name is not None else None


def _packed(code: Code, symbol: Symbol) -> bool:
    """A shared buffer that is cut into slots by the first coordinate of a `subspan`."""
    if symbol.kind is not SymbolKind.BUFFER:
        return False
    return any(info.symbol is symbol for info in code.model.buffers) and any(
        view.base is symbol and view.ops and view.ops[0].kind.value == "subspan" for view in code.model.views.values()
    )


def _is_packed(code: Code, decl: ast.BufferDecl) -> bool:
    symbols = (code.model.uses.get(one.name) for one in decl.names)
    return any(symbol is not None and _packed(code, symbol) for symbol in symbols)


def _is_slot_loop(code: Code, loop: ast.Foreach, index: ast.Name) -> bool:
    """`foreach {s} in [N]` that does nothing but wait for or trigger slots, and whose index alone subscripts them."""
    if not all(isinstance(stmt, ast.Wait | ast.Trigger) for stmt in loop.body.stmts):
        return False
    symbol = code.model.uses.get(index)
    inside = set(walk(loop.body))
    return any(
        isinstance(one, ast.Name) and one in inside and code.model.uses.get(one) is symbol for one in _subscripts(code)
    )
