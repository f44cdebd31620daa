"""Which threads a statement needs together: barriers, copies that several threads make, multiplies (reference, 4.3,
4.4, 4.7, 5.3). Needs copies and multiplies. Must not ask who comes to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Protocol

from croqc.sema import masks
from croqc.sema.model import CopyInfo, Level, MmaInfo, Unit
from croqc.sema.nesting import Around
from croqc.sema.roots import base_name
from croqc.sema.types import Future
from croqc.syntax import ast
from croqc.syntax.visit import nodes_of_kind

_BY_LEVEL: Final = {Level.GROUP4: Unit.GROUP4, Level.GROUP: Unit.GROUP}
_BY_WORD: Final = {None: Unit.BLOCK, "block": Unit.BLOCK, "group-4": Unit.GROUP4, "group": Unit.GROUP}
_WIDEST_FIRST: Final = (Unit.BLOCK, Unit.GROUP4, Unit.GROUP)


class Facts(masks.Facts, Protocol):
    """As of masks, with copies and multiplies."""

    @property
    def copies(self) -> Mapping[ast.Copy, CopyInfo]: ...
    @property
    def multiplies(self) -> Mapping[ast.Mma, MmaInfo]: ...


def unit_of(facts: Facts, node: ast.Node, around: Around) -> Unit | None:
    """Who executes a statement together; None where each thread does for itself, or where it is not known. A named
    barrier counts warps."""
    match node:
        case ast.Copy():
            info = facts.copies.get(node)
            return None if info is None else _several(info.unit)
        case ast.Sync(kind="shared"):
            return Unit.BLOCK
        case ast.Sync(kind="barrier", level=level):
            return _innermost(facts, around) if level == "thread" else _BY_WORD.get(level)
        case ast.CallStmt(call=ast.Call(kind="barrier")):
            return Unit.GROUP
        case ast.Wait(refs=refs):
            return _of_futures(facts, refs)
        case (
            ast.FragOp() | ast.MmaFill() | ast.MmaLoad() | ast.Mma() | ast.MmaScale() | ast.MmaStore() | ast.MmaCommit()
        ):
            units = {info.unit for info in facts.multiplies.values()}
            return _several(units.pop()) if len(units) == 1 else None
    return None


def word_of(node: ast.Node) -> str:
    """What a person calls the statement."""
    match node:
        case ast.Copy(engine=engine, op=op):
            return f"{engine}.{op}"
        case ast.Sync(kind=kind):
            return f"sync.{kind}"
        case ast.CallStmt(call=ast.Call(callee=callee)):
            return callee
        case ast.Wait():
            return "wait"
        case ast.InThreads():
            return "inthreads"
        case ast.Parallel():
            return "parallel"
    return "mma"


def _several(unit: Unit) -> Unit | None:
    return unit if unit in _WIDEST_FIRST else None


def _innermost(facts: Facts, around: Around) -> Unit:
    """`sync.barrier : thread` is for the threads of the enclosing group, or of the block (4.7)."""
    units = [_BY_LEVEL[level] for axis in around.axes if (level := facts.levels.get(axis)) in _BY_LEVEL and level]
    return units[-1] if units else Unit.BLOCK


def _of_futures(facts: Facts, refs: tuple[ast.Expr, ...]) -> Unit | None:
    """Whose threads a copy by threads is waited for with: the widest unit of those that a handle may stand for. Which
    these are is not followed where handles change."""
    names = [name for ref in refs if (name := base_name(ref)) is not None]
    meant = {symbol for name in names if (symbol := facts.uses.get(name)) and isinstance(symbol.type, Future)}
    if not meant:
        return None
    changes = any(nodes_of_kind(facts.function, ast.Rotate)) or any(nodes_of_kind(facts.function, ast.Select))
    units = {
        info.unit
        for node, info in facts.copies.items()
        if node.engine == "dma"
        and node.target is not None
        and (changes or not meant.isdisjoint({facts.uses.get(node.target)}))
    }
    return next((unit for unit in _WIDEST_FIRST if unit in units), None)
