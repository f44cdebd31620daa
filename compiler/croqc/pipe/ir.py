"""The pipeline IR on one screen: kernels, roles, slots, barriers, loads, waits, arrives, multiplies, stores.

Immutable. `build` makes it from an analysed function, every pass makes a new one, `codegen` prints the last. Fields
marked "(pass)" are None or empty until that pass has decided them; `verify` says which must be set when.
Must not hold decisions in comments or names: what is decided stands in a field.
"""

from __future__ import annotations

from enum import Enum

from croqc.pipe.exprs import Expr, Tensor, Tile
from croqc.pipe.ir_control import Atomic as Atomic
from croqc.pipe.ir_control import Call as Call
from croqc.pipe.ir_control import If as If
from croqc.pipe.ir_control import Jump as Jump
from croqc.pipe.ir_control import Let as Let
from croqc.pipe.ir_control import Loop as Loop
from croqc.pipe.ir_control import Print as Print
from croqc.pipe.ir_control import Scope as Scope
from croqc.pipe.ir_control import Set as Set
from croqc.pipe.ir_control import Stmt as Stmt
from croqc.pipe.ir_control import Text as Text
from croqc.pipe.ir_control import While as While
from croqc.pipe.ir_control import Write as Write
from croqc.pipe.ir_declared import Accumulator as Accumulator
from croqc.pipe.ir_declared import Bounds as Bounds
from croqc.pipe.ir_declared import Box as Box
from croqc.pipe.ir_declared import Event as Event
from croqc.pipe.ir_declared import Index as Index
from croqc.pipe.ir_declared import Pointer as Pointer
from croqc.pipe.ir_declared import Shared as Shared
from croqc.pipe.ir_declared import Spread as Spread
from croqc.pipe.ir_declared import TensorMap as TensorMap
from croqc.pipe.ir_declared import TensorMemory as TensorMemory
from croqc.pipe.ir_events import Arrive as Arrive
from croqc.pipe.ir_events import Expect as Expect
from croqc.pipe.ir_events import SlotRef as SlotRef
from croqc.pipe.ir_events import Sync as Sync
from croqc.pipe.ir_events import Wait as Wait
from croqc.pipe.ir_probes import Probe as Probe
from croqc.pipe.ir_probes import Probes as Probes
from croqc.pipe.ir_probes import ProbeSite as ProbeSite
from croqc.pipe.ir_probes import Recorder as Recorder
from croqc.pipe.ir_registers import LoadMetadata as LoadMetadata
from croqc.pipe.ir_registers import Put as Put
from croqc.pipe.ir_registers import Reduce as Reduce
from croqc.pipe.ir_registers import Scale as Scale
from croqc.pipe.ir_registers import Settle as Settle
from croqc.pipe.ir_registers import Visit as Visit
from croqc.sema.model import Unit
from croqc.targets.table import Instruction as Instruction
from croqc.text.record import record
from croqc.text.span import Span

# --- roles -------------------------------------------------------------------------------------


@record
class Role(Stmt):
    """A region that some paths run, one or `several`. `threads` is how many threads of a unit run it, `groups` the
    numbers of the warpgroups that any of them belongs to. With the unit BLOCK one path runs it, whose threads, from
    number `first` on, are no single warp or warpgroup: then BLOCK stands for them in the statements inside.

    (elect) `elected`: one of them does it all; (registers) `registers`: what its warpgroups set by `setmaxnreg` at its
    start, None to leave them, and whether each of their threads `gives` some; (barriers) `barrier`: the number of the
    named barrier that such a path meets at.
    """

    path: str
    cond: Expr
    body: tuple[Stmt, ...]
    unit: Unit
    threads: int
    groups: tuple[int, ...]
    first: int = 0
    several: bool = False
    elected: bool = False
    registers: int | None = None
    gives: bool = False
    barrier: int = 0


# --- movement ----------------------------------------------------------------------------------


class Mechanism(Enum):
    """How a copy is executed (mechanism)."""

    TMA = "tma"
    CP_ASYNC = "cp.async"
    VECTOR = "vector"
    SCALAR = "scalar"


class Form(Enum):
    COPY = "copy"
    TRANSPOSE = "transp"
    PAD = "pad"


@record
class Copy(Stmt):
    """Moves a box. `order` permutes dimensions (TRANSPOSE), `low` and `value` place the source (PAD).

    `zero_fill`: what the source does not cover becomes 0. `handle` names the future, if the source gave it one;
    `is_async`: the source waits for it. `engine` is the word that the source used: "dma" or "tma". `multicast`: it
    lands in the same place of every block of the cluster, on the same barrier.
    (mechanism) `mechanism`, `vector` (bytes an access), `instead`: why threads make a copy that asks for TMA; (layout)
    `boxes`: its transfers; (fold) `completes`: the slot whose generation counts the bytes of all.
    """

    source: Tile
    dest: Tile
    form: Form
    unit: Unit
    engine: str
    is_async: bool
    handle: str = ""
    order: tuple[int, ...] = ()
    low: tuple[Expr, ...] = ()
    value: Expr | None = None
    zero_fill: bool = False
    multicast: bool = False
    completes: SlotRef | None = None
    mechanism: Mechanism | None = None
    vector: int = 0
    instead: str = ""
    boxes: tuple[Box, ...] = ()


@record
class Await(Stmt):
    """Until the copies of some handles have landed. `among`: the program waits for one of them, and any may be it.
    (groups) `keep`: how many groups of cp.async, ended behind those, may stay in flight."""

    handles: tuple[str, ...]
    unit: Unit
    among: bool = False
    keep: int = 0


@record
class EmptyGroup(Stmt):
    """(groups) Each thread ends a group of cp.async without copies."""


@record
class Rotate(Stmt):
    """`handles[i]` takes the slot that `handles[i + 1]` names, the last that of the first."""

    handles: tuple[str, ...]


# --- multiplies --------------------------------------------------------------------------------


@record
class Fill(Stmt):
    """Sets every element of an accumulator; `declares`: its registers exist from here to the end of the scope."""

    acc: Accumulator
    index: Expr
    value: Expr
    declares: bool = False


@record
class Declare(Stmt):
    """(overwrite) An accumulator's registers exist from here to the end of the scope; nothing is in them yet."""

    acc: Accumulator


@record
class LoadFragment(Stmt):
    """An operand in registers: `rows` (M or N) by `k` elements of `tile`, which lies [rows, k] or, not `k_major`, [k,
    rows].

    `declares`: its registers exist from here to the end of the scope. A unit of four warps has 16 of the rows in each.
    (rows) `by_words`: the elements of a register lie side by side in an aligned word of memory.
    """

    name: str
    tile: Tile
    rows: int
    k: int
    k_major: bool
    unit: Unit
    declares: bool
    by_words: bool = False


@record
class Multiply(Stmt):
    """`acc += a x b`: tiles as chapter 6.2 says, `instruction` and `k_step` as sema found them in the target's table.

    `b_k_major`: b is stored [N, K]. `a_registers`, `b_registers`: the fragments that hold the operands, empty where
    they are read from shared memory. `metadata`: the words that say where the elements of a sparse A stand, which holds
    half of K; empty for a dense one. (rows) `steps`: how many instructions the K extent takes. (overwrite) `adds`:
    where it does not hold, the first of them overwrites the accumulator; None: it holds always. (registers) `first`:
    the accumulator's column that its `n` begin at, where several multiplies have a part each.
    """

    acc: Accumulator
    index: Expr
    a: Tile
    b: Tile
    a_k_major: bool
    b_k_major: bool
    instruction: Instruction
    m: int
    n: int
    k: int
    k_step: int
    a_registers: str = ""
    b_registers: str = ""
    metadata: str = ""
    steps: int = 0
    adds: Expr | None = None
    first: int = 0


class Fencing(Enum):
    """What a fence orders (PTX ISA, wgmma.fence, tcgen05.fence).

    WGMMA: accesses of registers before it, and multiplies behind it. BEFORE: what its thread did to tensor
    memory, and a barrier behind it; AFTER: a barrier before it, and what its thread does to tensor memory.
    """

    WGMMA = "wgmma"
    BEFORE = "tcgen05 before"
    AFTER = "tcgen05 after"


@record
class Fence(Stmt):
    """(rows, tensor_memory) What stands in front of it comes first for what stands behind."""

    kind: Fencing


@record
class Commit(Stmt):
    """Ends the group of multiplies and waits until at most `keep` groups are in flight; `closes`: there is one open.
    `movable`: the source only says that they are complete here; (completion) none is left."""

    keep: int = 0
    closes: bool = True
    movable: bool = False


@record
class Start(Stmt):
    """(tensor_memory) An accumulator in tensor memory starts anew: the next multiply overwrites it. `declares`: it is
    there from here to the end of the scope, with registers of its name for ordinary code."""

    acc: Accumulator
    index: Expr
    declares: bool


@record
class Complete(Stmt):
    """(tensor_memory) The warpgroup waits until its multiplies so far are complete: their commit arrives on its `slot`,
    whose parity is `phase`."""

    slot: SlotRef
    phase: str


@record
class ArriveCommitted(Stmt):
    """(tensor_memory) One arrival of the path, made by the hardware when its multiplies so far are complete."""

    slot: SlotRef


@record
class LoadAccumulator(Stmt):
    """(tensor_memory) An accumulator's elements come into registers of its name."""

    acc: Accumulator
    index: Expr


@record
class KeepAccumulator(Stmt):
    """(tensor_memory) The registers of an accumulator's name become its elements."""

    acc: Accumulator
    index: Expr


@record
class StoreTile(Stmt):
    """Writes an accumulator. `transposed`: element (m, n) goes to `dest[n, m]`. `limits`: how many rows and columns the
    source asks for. (cover) `row_limits`, `column_limits`: what m and n must stay below to be written. (epilogue)
    `by_matrix`: stmatrix, of `columns` of the accumulator from `first` on."""

    acc: Accumulator
    index: Expr
    dest: Tile
    transposed: bool = False
    limits: tuple[Expr, ...] = ()
    row_limits: tuple[Expr, ...] = ()
    column_limits: tuple[Expr, ...] = ()
    by_matrix: bool = False
    first: int = 0
    columns: int = 0


@record
class StoresRead(Stmt):
    """(epilogue, barriers) Until the unit's TMA stores, but for the last `keep`, have read their source; `written`
    (stored): and have written it."""

    unit: Unit
    keep: int = 0
    written: bool = False


@record
class AwaitLaunches(Stmt):
    """(dependents) Every thread, until the launches in front are complete and what they wrote is seen.
    Nothing in front of it touches global memory."""


# --- kernels -----------------------------------------------------------------------------------


OPEN = Bounds()


@record
class Kernel:
    """One launch. `grid` holds the extents of the block indices, `grid_names` their names, x first. `cluster`: the
    indices of a block in its cluster with their extents, the last one fastest; each block of the grid is one for each
    of them (reference, 4.1). `bounds`: of the launch (4.2).

    `tensors`: global tensors in order of the parameters, `sources` what they are called in the source; `scalars`: sizes
    and scalar parameters with their types. `handles` maps each
    future to the tensor whose slot it names, with the slot that it names at first.
    `fixed`: sizes that the kernel was made for alone; `renamed`: scalars that are not called as in the source, with
    their names there; `given`: what values of the host part are computed from, where both keep theirs.
    `own_registers`: islands or device functions of the source change how many registers a thread has;
    `assumed`: divisors of sizes that the passes so far relied on; (layout) `maps`; (phases) `phases`: the events
    that paths wait for with bits of their own; (tensor_memory) `tensor_memory`; (barriers) `first_barrier`: the
    number of the first warpgroup's barrier; (memory) `barriers_at`, `shared_bytes`; (arguments) `pointers`;
    `passed`: the passes so far;
    `probes`: what a kernel with probes records, None without them.
    """

    name: str
    span: Span
    grid: tuple[Expr, ...]
    grid_names: tuple[str, ...]
    threads: int
    indices: tuple[Index, ...]
    tensors: tuple[Tensor, ...]
    sources: tuple[str, ...]
    scalars: tuple[tuple[str, str], ...]
    shared: tuple[Shared, ...]
    locals: tuple[Tensor, ...]
    events: tuple[Event, ...]
    accumulators: tuple[Accumulator, ...]
    handles: tuple[tuple[str, str, int], ...]
    body: tuple[Stmt, ...]
    fixed: tuple[tuple[str, int], ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()
    given: tuple[tuple[str, Expr], ...] = ()
    cluster: tuple[tuple[str, int], ...] = ()
    bounds: Bounds = OPEN
    own_registers: bool = False
    maps: tuple[TensorMap, ...] = ()
    assumed: tuple[tuple[str, int], ...] = ()
    phases: tuple[tuple[str, str], ...] = ()
    tensor_memory: TensorMemory | None = None
    first_barrier: int = 1
    barriers_at: int = 0
    shared_bytes: int = 0
    pointers: tuple[Pointer, ...] = ()
    passed: tuple[str, ...] = ()
    probes: Probes | None = None

    @property
    def dependent(self) -> bool:
        """Whether the kernel itself waits for the launches in front of it, and so may begin before they end."""
        return isinstance(next(iter(self.body), None), AwaitLaunches)

    def event(self, slot: SlotRef) -> Event:
        """The event of a slot, which `verify` has looked for."""
        return next(event for event in self.events if event.name == slot.event)
