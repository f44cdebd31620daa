"""What scales and fragments promise of register tiles and their elements, and unread of values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from croqc.pipe import ir
from croqc.pipe.held import held_in
from croqc.pipe.live import live_part
from croqc.pipe.walk import statements


def scales(kernel: ir.Kernel) -> Iterator[str]:
    """What is scaled has tiles of its own."""
    for stmt in statements(kernel.body):
        if isinstance(stmt, ir.Scale):
            yield f"nothing has placed what scales {stmt.acc.name}"


def fragments(kernel: ir.Kernel) -> Iterator[str]:
    """Every tile lies somewhere, and every element that is named is one of the thread's own."""
    spreads = {tile.name: tile.spread for tile in kernel.accumulators}
    for name, spread in spreads.items():
        if spread is None:
            yield f"nothing says where the elements of {name} lie"
    for stmt in statements(kernel.body):
        for element in held_in(stmt):
            if element.register is None:
                yield f"nothing says which element of {element.name} is the thread's own"
        if isinstance(stmt, ir.Reduce) and stmt.acc.spread is not ir.Spread.ROWS:
            yield f"a reduction of rows into {stmt.acc.name}, which does not lie along rows"
        if isinstance(stmt, ir.Visit):
            for put in statements(stmt.body):
                if isinstance(put, ir.Put) and spreads.get(put.element.name) is not stmt.acc.spread:
                    yield f"several elements of {stmt.acc.name} write one of {put.element.name}"


def unread(kernel: ir.Kernel) -> Iterator[str]:
    """No value has a name that nothing reads."""
    body, read = live_part(kernel.body, frozenset())
    kept = Counter(stmt.name for stmt in statements(body) if isinstance(stmt, ir.Let))
    made = Counter(stmt.name for stmt in statements(kernel.body) if isinstance(stmt, ir.Let))
    unread = [*(made - kept), *(index.name for index in kernel.indices if index.name not in read)]
    yield from (f"nothing reads '{name}'" for name in unread)
