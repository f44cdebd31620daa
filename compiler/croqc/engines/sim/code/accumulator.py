"""Register tiles while the program runs (reference, 6.5). Must not multiply and must not know statements."""

from __future__ import annotations

from dataclasses import dataclass

from croqc.engines.sim.code.values import Value, cast
from croqc.engines.sim.errors import SimError
from croqc.engines.sim.machine.dtypes import Array, DType, convert
from croqc.engines.sim.machine.memory import Buffer
from croqc.engines.sim.state import Frame
from croqc.text.span import Span


@dataclass(slots=True, eq=False)
class Accumulator:
    """A register tile. `buffer` appears with the first multiply, which fixes the shape; `value` fills it then.

    `sums`: multiplies since the last `mma.scale`, where the function scales this accumulator.
    """

    kind: DType
    value: Value
    buffer: Buffer | None = None
    sums: Array | None = None

    def tile(self, *shape: int) -> Array:
        if self.buffer is None:
            self.buffer = Buffer("the accumulator", self.kind, shape)
            self.buffer.flat[...] = cast(self.value, self.kind)
        return self.buffer.values()


def settle(frame: Frame, acc: Accumulator) -> None:
    """Ends the multiplies in flight into an accumulator: it is about to be read."""
    if frame.block is not None:
        frame.block.scheduler.drain_into(acc)


def tile_of(frame: Frame, value: Value, span: Span) -> Buffer:
    """The elements of a register tile, after the multiplies in flight into it."""
    if not isinstance(value, Accumulator):
        raise SimError("this is no register tile", span)
    settle(frame, value)
    if value.buffer is None:
        reason = "no multiply has given this register tile its shape"
        raise SimError(f"{reason}: declare it with one, as 'frag f32 [64, 64] d'", span, unsupported=True)
    if value.sums is not None:
        value.buffer.values()[...] += convert(value.sums, value.kind)
        value.sums = None
    return value.buffer


def from_values(old: Value, values: Array) -> Accumulator:
    """The tile after a whole assignment; a new one takes the values' type."""
    tile = old if isinstance(old, Accumulator) else Accumulator(values.dtype, 0)
    tile.tile(*values.shape)[...] = convert(values, tile.kind)
    return tile
