"""What a kernel declares: events, accumulators, indices, shared tensors and tensor maps. `ir` offers these too.

Immutable, as all of the IR. Must not hold statements.
"""

from __future__ import annotations

from enum import Enum
from typing import Final

from croqc.pipe.exprs import Tensor
from croqc.sema.elements import ELEMENTS
from croqc.sema.model import THREADS, Unit
from croqc.text.record import record
from croqc.text.span import Span


@record
class Event:
    """An array of mbarriers. `arrivals[s]` complete a generation of slot s; `ready`: the first is complete at start.
    (fold, tensor_memory) `own`: of what a unit waits for by itself; nobody else gives it an arrival."""

    name: str
    slots: int
    arrivals: tuple[int, ...]
    ready: bool
    span: Span
    own: bool = False


class Spread(Enum):
    """How the elements of a register tile lie over the threads of its unit. Of a vector each thread holds those that
    go with its elements of a tile: the same ones as the other threads of its rows, or of its columns."""

    TILE = "tile"
    ROWS = "rows"
    COLUMNS = "columns"


@record
class Accumulator:
    """A register tile of `m` x `n` elements spread over a unit; `count` of them in an array.

    `vector`: declared with one extent, `m` until it is decided where it lies. (fragments) `spread`: how it lies; that
    of a multiply's accumulator is TILE from the start.
    """

    name: str
    elem: str
    m: int
    n: int
    unit: Unit
    count: int = 1
    vector: bool = False
    spread: Spread | None = Spread.TILE

    @property
    def packed(self) -> bool:
        """Whether elements lie in pairs, as multiplies take and give 16-bit floats."""
        return self.spread is Spread.TILE and self.elem in ("f16", "bf16")

    @property
    def turned(self) -> bool:
        """Whether it lies as its transpose does. No instruction has eight rows and more columns than eight: the
        operands change places, and what were columns are rows (PTX ISA, mma)."""
        return self.spread is Spread.TILE and self.unit is Unit.GROUP and self.m == 8 and self.n > 8

    @property
    def owned(self) -> int:
        """How many elements of one of them each thread holds."""
        match self.spread:
            case Spread.ROWS:
                return self.m * 4 // THREADS[self.unit]
            case Spread.COLUMNS:
                return self.n // 4
        return self.m * self.n // THREADS[self.unit]

    @property
    def registers(self) -> int:
        """Registers of 32 bits a thread that one of them takes."""
        each = self.owned // 2 if self.packed else self.owned
        return each * max(ELEMENTS[self.elem].bits // 32, 1)


@record
class Bounds:
    """What the source wants of a launch, 0 for what it leaves open: how many blocks a multiprocessor holds at least
    (registers: 1 where else none were moved), how many a cluster has at most, how many registers a thread has at most.
    """

    blocks: int = 0
    cluster: int = 0
    registers: int = 0


@record
class Index:
    """A parallel index inside the block: `threadIdx.x / unit % bound`."""

    name: str
    unit: int
    bound: int


@record
class Shared:
    """A tensor in shared memory. (layout) `swizzle` bytes and `alignment`; (memory) `offset` from the block's base."""

    tensor: Tensor
    bytes: int
    span: Span
    swizzle: int = 0
    alignment: int = 16
    offset: int = -1

    @property
    def slot_stride(self) -> int:
        """Bytes from one slot to the next."""
        return aligned(self.bytes, self.alignment)


@record
class TensorMap:
    """A TMA descriptor: which box of which tensor, innermost extent first (mechanism)."""

    tensor: Tensor
    box: tuple[int, ...]
    swizzle: int


@record
class Pointer:
    """(arguments) A global tensor whose address a kernel takes; `restricted`: nobody writes it meanwhile."""

    name: str
    restricted: bool


@record
class Box:
    """One transfer of a copy: the number of its tensor map, and where in the copy's tiles it begins, in elements."""

    map: int
    at: tuple[int, ...]


@record
class TensorMemory:
    """What a block takes of tensor memory: `columns`, of which `groups` warpgroups from number `first` on have equal
    parts of `share` columns; `offsets`: the first column of each accumulator in its part. (memory) `address_at`: where
    in shared memory the hardware leaves its address.
    """

    first: int
    groups: int
    columns: int
    share: int
    offsets: tuple[tuple[str, int], ...]
    address_at: int = -1


SWIZZLED: Final = 1024
"""What a swizzled tensor is aligned to, in bytes: the hardware permutes by bits of the address (reference, 5.6)."""


def aligned(value: int, to: int) -> int:
    """The least multiple of `to` that is no less than a number of bytes."""
    return -(-value // to) * to
