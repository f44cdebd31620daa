"""The least shared memory that a kernel can do with: buffers in use over the same statement never share bytes.

The lowering may lay buffers over each other that are never in use together (reference, 3.8). Where they lie it decides,
with barriers and copies in flight in view; that a kernel cannot fit can be told of the text alone. Must not place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from croqc.sema.builder import Builder
from croqc.sema.model import BufferInfo, Kernel, Symbol
from croqc.sema.types import Event
from croqc.syntax import ast
from croqc.syntax.visit import walk


def least_bytes(builder: Builder, kernel: Kernel, buffers: Sequence[BufferInfo]) -> int:
    """The bytes of those that are in use at once, at the statement where they are most."""
    uses = [_used(builder, stmt) for stmt in _statements(kernel.node.body)]
    futures = Counter(builder.uses.get(node.target) for node in builder.anonymous if node.target is not None)
    together = [0] * (len(uses) or 1)
    for info in buffers:
        names = {info.symbol}
        if isinstance(info.symbol.decl, ast.Copy) and (future := _future(builder, info.symbol.decl)) is not None:
            names |= {future} if futures[future] == 1 else set()
        own = [number for number, used in enumerate(uses) if names & used]
        always = isinstance(info.symbol.type, Event) or not own
        first, last = (0, len(together) - 1) if always else (own[0], own[-1])
        for number in range(first, last + 1):
            together[number] += info.bytes
    return max(together)


def _statements(block: ast.Block) -> Iterator[ast.Node]:
    """The statements of a block that run one behind the other, those of inner levels among them. Regions that run side
    by side are one, with the level around them."""
    for stmt in block.stmts:
        inner = (
            stmt if isinstance(stmt, ast.Block) else stmt.body if isinstance(stmt, ast.Parallel | ast.With) else None
        )
        if inner is None or any(isinstance(each, ast.InThreads) and each.is_async for each in walk(inner)):
            yield stmt
        else:
            yield from _statements(inner)


def _used(builder: Builder, stmt: ast.Node) -> set[Symbol]:
    """What a statement names, and what its copies make; declaring a buffer is no use of it."""
    found: set[Symbol] = set()
    for node in walk(stmt):
        if isinstance(node, ast.Copy) and (made := builder.anonymous.get(node)) is not None:
            found.add(made)
        elif isinstance(node, ast.Name) and (symbol := builder.uses.get(node)) is not None:
            found |= {symbol} if symbol.name_span != node.span else set()
    return found


def _future(builder: Builder, copy: ast.Copy) -> Symbol | None:
    return None if copy.target is None else builder.uses.get(copy.target)
