"""Checks of jumps, loop hints and explicit synchronisation (reference, 4.5 and 4.7; rows L18 to L21).

Needs levels. Barriers inside a role belong to the credit-flow rules.
"""

from __future__ import annotations

from typing import Final

from croqc.sema import rulenames_device as rules
from croqc.sema.builder import Builder
from croqc.sema.levels import ORDER
from croqc.sema.model import Level
from croqc.sema.nesting import Around, statements
from croqc.sema.types import Bounded
from croqc.syntax import ast

_LOOPS = (ast.Foreach, ast.While)
_LEVELS: Final = {level.value: level for level in Level}


def check_control(builder: Builder) -> None:
    for node, around in statements(builder.function.body):
        match node:
            case ast.Jump():
                _check_jump(builder, node, around)
            case ast.Sync():
                _check_sync(builder, node, around)
            case ast.Foreach():
                _check_hints(builder, node)


def _check_jump(builder: Builder, node: ast.Jump, around: Around) -> None:
    if node.word == "yield":
        if around.on_host:
            builder.report(rules.MISPLACED_JUMP, node.span, word=node.word, needs="parallel")
        return
    innermost = next((one for one in reversed(around.chain) if isinstance(one, (*_LOOPS, ast.Parallel))), None)
    if not isinstance(innermost, _LOOPS):
        builder.report(rules.MISPLACED_JUMP, node.span, word=node.word, needs="loop")


def _check_sync(builder: Builder, node: ast.Sync, around: Around) -> None:
    if node.kind in ("barrier", "fence"):
        _check_scope(builder, node, around)
        return
    what = f"sync.{node.kind}"
    if node.kind == "global" and not around.on_host:
        builder.report(rules.MISPLACED_SYNC, node.span, what=what, reason="device")
    elif node.kind == "local":
        builder.report(rules.MISPLACED_SYNC, node.span, what=what, reason="local")
    elif node.kind == "shared" and around.on_host:
        builder.report(rules.MISPLACED_SYNC, node.span, what=what, reason="host")


def _check_scope(builder: Builder, node: ast.Sync, around: Around) -> None:
    """A scope wider than the region it stands in is only a warning, but for a grid barrier (L20, L21)."""
    what = f"sync.{node.kind}"
    if around.on_host:
        builder.report(rules.MISPLACED_SYNC, node.span, what=what, reason="host")
        return
    level = _LEVELS.get(node.level or "")
    if level is None or node.kind == "fence":
        return
    cooperative = any(axis.cooperative for axis in around.axes)
    if level in (Level.TERM, Level.DEVICE) or (level is Level.CLUSTER and not _has(builder, around, Level.CLUSTER)):
        if not cooperative:
            builder.report(rules.MISPLACED_SYNC, node.span, what=f"{what} : {level.value}", reason="grid")
        return
    units = [found for axis in around.axes if (found := builder.levels.get(axis)) in (Level.GROUP4, Level.GROUP)]
    enclosing = units[-1] if units else Level.BLOCK
    if enclosing is not None and around.regions and ORDER.index(level) < ORDER.index(enclosing):
        builder.report(rules.WIDE_BARRIER, node.span, level=level.value, enclosing=enclosing.value)


def _has(builder: Builder, around: Around, level: Level) -> bool:
    return any(builder.levels.get(axis) is level for axis in around.axes)


def _check_hints(builder: Builder, node: ast.Foreach) -> None:
    for hint in node.hints:
        values = [builder.static(arg) for arg in hint.args]
        if hint.name == "unroll" and values and (factor := values[0]) is not None:
            extent = _extent(builder, node)
            if extent is not None and factor > extent:
                builder.report(rules.LOOP_HINT, hint.span, reason="extent", value=factor, extent=extent)
        if hint.name == "vectorize" and len(values) == 2 and (width := values[1]) is not None:
            if width < 2 or width & (width - 1):
                builder.report(rules.LOOP_HINT, hint.span, reason="width", value=width, extent=None)
            elif any(isinstance(inner, _LOOPS) for inner, _ in statements(node.body)):
                builder.report(rules.LOOP_HINT, hint.span, reason="inner", value=width, extent=None)


def _extent(builder: Builder, node: ast.Foreach) -> int | None:
    """The static trip count of a loop over one index without a range."""
    names = [name for binding in node.bindings for name in binding.names]
    names += [item.name for item in node.ranges if not item.sliced]
    if len(names) != 1 or len(node.ranges) + len(node.bindings) != 1:
        return None
    symbol = builder.uses.get(names[0])
    return symbol.type.bound.const if symbol is not None and isinstance(symbol.type, Bounded) else None
