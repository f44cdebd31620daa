"""Events on which multicast copies land: these are events of the whole cluster. Must not report.

The bytes of such a copy belong to a generation in every block, and they must be expected there before it can complete
(reference, 7.5). A block knows of its own copies only. So each trigger of such an event arrives in every block, as
`trigger.cluster` does: no block's generation completes before all of them have told of their copies.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from croqc.sema.model import Kernel, Symbol
from croqc.sema.roots import Tables, base_name
from croqc.sema.types import Event
from croqc.syntax import ast
from croqc.syntax.visit import nodes_of_kind


def cluster_events(tables: Tables, kernels: Sequence[Kernel]) -> frozenset[Symbol]:
    """The events of kernels with clusters on which a multicast copy lands: the one that it names, that its future is
    joined to, or that is triggered next behind a synchronous one."""
    found = (event for kernel in kernels if kernel.cluster for event in _landed_on(tables, kernel.node))
    return frozenset(event for event in found if isinstance(event.type, Event))


def _landed_on(tables: Tables, node: ast.Parallel) -> Iterator[Symbol]:
    copies = [
        copy for copy in nodes_of_kind(node, ast.Copy) if any(each.name == "multicast" for each in copy.modifiers)
    ]
    if not copies:
        return
    futures = {symbol for copy in copies for symbol in _symbols(tables, [copy.target]) if copy.is_async}
    for copy in copies:
        yield from _symbols(tables, [copy.event])
    for trigger in nodes_of_kind(node, ast.Trigger):
        if not futures.isdisjoint(_symbols(tables, trigger.after)):
            yield from _symbols(tables, trigger.refs)
    plain = {copy for copy in copies if copy.event is None and not copy.is_async}
    for block in nodes_of_kind(node, ast.Block):
        yield from _told_by_the_next(tables, block.stmts, plain)


def _told_by_the_next(tables: Tables, stmts: Sequence[ast.Node], plain: set[ast.Copy]) -> Iterator[Symbol]:
    waiting = False
    for stmt in stmts:
        waiting |= stmt in plain
        if waiting and isinstance(stmt, ast.Trigger):
            yield from _symbols(tables, stmt.refs)
            waiting = False


def _symbols(tables: Tables, refs: Sequence[ast.Node | None]) -> Iterator[Symbol]:
    for ref in refs:
        name = None if ref is None else base_name(ref)
        symbol = None if name is None else tables.uses.get(name)
        if symbol is not None:
            yield symbol
