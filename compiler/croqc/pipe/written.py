"""Which global tensors the statements of a kernel may write, in whatever way. Must not say when, nor who sees it."""

from __future__ import annotations

from collections.abc import Iterator

from croqc.pipe import ir
from croqc.pipe.exprs import Space, Tensor
from croqc.pipe.tiles import handed_on
from croqc.pipe.walk import statements


def written(kernel: ir.Kernel) -> frozenset[str]:
    """The global tensors of a kernel that it writes, hands to a device function, or names in an island or assembly."""
    found: set[str] = set()
    for stmt in statements(kernel.body):
        found |= {tensor.name for tensor in (*stored(stmt), *handed_on(stmt))}
        if isinstance(stmt, ir.Text):
            found |= stmt.words
    return frozenset(tensor.name for tensor in kernel.tensors if tensor.name in found)


def stored(stmt: ir.Stmt) -> Iterator[Tensor]:
    """The global tensors that a statement itself writes."""
    match stmt:
        case ir.Copy(dest=tile) | ir.StoreTile(dest=tile) | ir.Write(tile=tile):  # an Atomic is a Write
            if tile.tensor.space is Space.GLOBAL:
                yield tile.tensor
