"""Structure and control: parallel, with, foreach, if, while, inthreads, apply (2.4.3 to 2.4.7, 4.5)."""

from __future__ import annotations

from croqc.sema.access import is_wild
from croqc.sema.bindings import alias, bind, bind_apply, bind_axis, enter_range
from croqc.sema.exprtypes import check_bool
from croqc.sema.guards import under
from croqc.sema.model import Symbol
from croqc.sema.passed import assume_passed, doubt_passed, may_stop_short
from croqc.sema.walk import StmtTable, Walk
from croqc.syntax import ast


def _parallel(walk: Walk, node: ast.Parallel) -> None:
    for attribute in node.attributes:
        for arg in attribute.args:
            if not is_wild(arg):
                walk.expr(arg)
    if node.stream is not None:
        walk.expr(node.stream)
    walk.kernel_depth += 1
    with walk.scope(parallel=True):
        for axis in node.axes:
            bind_axis(walk, axis)
        walk.block(node.body)
    walk.kernel_depth -= 1


def _with(walk: Walk, node: ast.With) -> None:
    """Outside a loop that names them the indices of a `with` are 0 (3.4)."""
    with walk.scope():
        symbols = [symbol for binding in node.bindings for symbol in bind(walk, binding)]
        for pair in node.where:
            alias(walk, pair, symbols)
        walk.idle.update(symbols)
        walk.block(node.body)
    doubt_passed(walk, node)


def _foreach(walk: Walk, node: ast.Foreach) -> None:
    with walk.scope():
        outer = dict(walk.ranges.limits)
        for binding in node.bindings:
            bind(walk, binding)
        stopped = [enter_range(walk, loop) for loop in node.ranges]
        partners = _partners(walk, [symbol for symbol in stopped if symbol is not None])
        walk.idle.difference_update(partners)
        for hint in node.hints:
            for arg in hint.args:
                walk.expr(arg)
        if may_stop_short(walk, node):
            walk.ranges.doubt(atom for atom, ends in walk.ranges.limits.items() if outer.get(atom) is not ends)
        walk.block(node.body)
        walk.idle.update(symbol for symbol in stopped if symbol is not None)
        walk.idle.update(partners)
    doubt_passed(walk, node)


def _partners(walk: Walk, running: list[Symbol]) -> list[Symbol]:
    """Indices that move along: aliases, and the tuple or the parts of what runs."""
    moving = {name for symbol in running for name in _atoms(walk, symbol)}
    return [symbol for symbol in walk.idle if (atoms := _atoms(walk, symbol)) and atoms <= moving]


def _atoms(walk: Walk, symbol: Symbol) -> frozenset[str]:
    values = [walk.current.get(symbol), *walk.elements.get(symbol, ())]
    return frozenset(name for value in values if value is not None for name in value.names())


def _if(walk: Walk, node: ast.If) -> None:
    value = walk.expr(node.cond)
    check_bool(walk, node.cond, value.type, "if")
    _guarded(walk, node.cond, node.then, holds=True)
    if node.other is not None:
        _guarded(walk, node.cond, node.other, holds=False)
    assume_passed(walk, node)


def _guarded(walk: Walk, cond: ast.Expr | ast.Call, body: ast.Block, holds: bool) -> None:
    with walk.scope(), under(walk, cond, holds):
        walk.block(body)


def _while(walk: Walk, node: ast.While) -> None:
    check_bool(walk, node.cond, walk.expr(node.cond).type, "while")
    _guarded(walk, node.cond, node.body, holds=True)
    doubt_passed(walk, node)


def _inthreads(walk: Walk, node: ast.InThreads) -> None:
    check_bool(walk, node.cond, walk.expr(node.cond).type, "inthreads")
    _guarded(walk, node.cond, node.body, holds=True)
    doubt_passed(walk, node)


def _apply(walk: Walk, node: ast.Apply) -> None:
    with walk.scope():
        bind_apply(walk, node)
        walk.block(node.body)


STRUCTURE: StmtTable = {
    ast.Parallel: _parallel,
    ast.With: _with,
    ast.Foreach: _foreach,
    ast.If: _if,
    ast.While: _while,
    ast.InThreads: _inthreads,
    ast.Apply: _apply,
}
