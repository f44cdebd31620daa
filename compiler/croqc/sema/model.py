"""What analysis says of one function: symbols and side tables keyed by tree nodes.

Pure data, the one interface that flow, rules, simulator, lowering and editor read. Must not analyse.
A node that is missing from a table is not understood there; readers stay silent about it.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType
from typing import Final

from croqc.sema.symbolic import Int
from croqc.sema.types import Data, Storage, Type
from croqc.syntax import ast
from croqc.targets.table import Instruction, Target
from croqc.text.diagnostics import Related
from croqc.text.record import record
from croqc.text.span import Span

NO_ARGS: Final[Mapping[str, object]] = {}


class SymbolKind(Enum):
    PARAM = "parameter"
    DIMENSION = "dimension"  # a symbolic extent of the parameters
    VARIABLE = "variable"  # scalars, shapes, tuples, named views
    BUFFER = "buffer"
    EVENT = "event"
    FUTURE = "future"
    FRAGMENT = "fragment"
    PARALLEL = "parallel index"
    LOOP = "loop index"
    ANONYMOUS = "anonymous buffer"  # made by `=> shared`


class Symbol:
    """A declared name, compared by identity. `type` is filled by the type stage and refined by later ones.

    `decl` is the node that declares it (Param, BufferName, EventName, AssignPart, Axis, Binding, Range, Copy …),
    `name_span` the name's own place (empty for anonymous buffers). `scope` numbers the block it lives in.
    `atom` is the symbol under which its value occurs in `Int`s: the name, made unique; empty where it has none.
    """

    __slots__ = ("atom", "decl", "kind", "mutable", "name", "name_span", "scope", "type")

    def __init__(
        self,
        name: str,
        kind: SymbolKind,
        type: Type,
        decl: ast.Node,
        name_span: Span,
        mutable: bool = False,
        scope: int = 0,
        atom: str = "",
    ) -> None:
        self.name = name
        self.kind = kind
        self.type = type
        self.decl = decl
        self.name_span = name_span
        self.mutable = mutable
        self.scope = scope
        self.atom = atom


class ViewKind(Enum):
    """The view operations of 3.5, each with the suffixes that belong to it grouped."""

    CHUNKAT = "chunkat"  # args: factors
    CHUNK = "chunk"  # args: factors; at
    SUBSPAN = "subspan"  # args: extents; strides; step; at
    MODSPAN = "modspan"
    WINDOW = "view"  # args: extents; strides; at holds `.from`
    SPAN_AS = "span_as"  # args: the new extents
    SQUEEZE = "sqz"


@record
class ViewOp:
    """One view operation: expressions as written. `shape`: the extents after it."""

    kind: ViewKind
    args: tuple[ast.Expr, ...]
    strides: tuple[ast.Expr, ...]
    step: tuple[ast.Expr, ...]
    at: tuple[ast.Expr, ...]
    shape: tuple[Int, ...]
    span: Span


@record
class View:
    """How a data reference resolves: base symbol, subscripts, view operations, and the element, if one is read.

    `base` is a buffer, parameter, future or named view; `slots` the array subscripts; `mdata` for `.mdata`.
    `element` holds the arguments of a closing `.at(…)` that reads or writes an element, else None.
    """

    base: Symbol
    slots: tuple[ast.Expr, ...]
    ops: tuple[ViewOp, ...]
    element: tuple[ast.Expr, ...] | None
    data: Data
    mdata: bool = False


class Level(Enum):
    """Levels of parallelism (4.1), outermost first."""

    TERM = "term"
    DEVICE = "device"
    CLUSTER = "cluster"
    BLOCK = "block"
    GROUP4 = "group-4"
    GROUP = "group"
    THREAD = "thread"


@record
class Kernel:
    """One outermost `parallel`: a launch. `threads` is the block size, None where it is not static."""

    node: ast.Parallel
    block_axes: tuple[ast.Axis, ...]
    threads: int | None
    cluster: tuple[Int, ...] = ()


class Unit(Enum):
    """Who executes a cooperative statement together (chapters 5.3, 6)."""

    BLOCK = "block"
    GROUP4 = "group-4"
    GROUP = "group"
    THREAD = "thread"
    HOST = "host"


UNITS: Final[Mapping[Level, Unit]] = {Level.GROUP4: Unit.GROUP4, Level.GROUP: Unit.GROUP, Level.THREAD: Unit.THREAD}
THREADS: Final[Mapping[Unit, int]] = {Unit.GROUP4: 128, Unit.GROUP: 32, Unit.THREAD: 1}
"""The threads of each unit that is a part of a block."""
MAX_THREADS: Final = 1024
"""The threads that a block may have (CUDA C++ programming guide, technical specifications)."""


@record
class CopyInfo:
    """A copy, resolved. `box` is the copied extents; `bytes` of one copy if static. `dest` is the symbol written:
    for `=> shared` an anonymous one. `swizzle` 0, 32, 64 or 128 (bytes)."""

    source: View
    dest: View
    source_storage: Storage
    dest_storage: Storage
    box: tuple[Int, ...]
    bytes: int | None
    swizzle: int
    zero_fill: bool
    unit: Unit


class OperandKind(Enum):
    SHARED = "shared"  # by descriptor: the tile is read from shared memory while the multiply runs
    REGISTER = "register"


@record
class MmaInfo:
    """A multiply, resolved against the target's tables. Tile extents in elements; `k_step` is the instruction's K.

    `instruction` is the row's. `a`/`b` say where the operands are read.
    `split`: a 64-row shape spread over the four warps where the target has no warpgroup instruction.
    """

    m: int
    n: int
    k: int
    k_step: int
    instruction: Instruction
    unit: Unit
    elem_a: str
    elem_b: str
    elem_acc: str
    a: OperandKind
    b: OperandKind
    split: bool = False


@record
class BufferInfo:
    """A buffer with storage inside a kernel: bytes of all its slots, alignment, swizzle of its contents."""

    symbol: Symbol
    slots: int
    slot_bytes: int
    alignment: int
    swizzle: int = 0

    @property
    def bytes(self) -> int:
        return self.slots * self.slot_bytes


@record
class Finding:
    """A fact that a rule puts into words: `rule` is the rule's public name, `args` the values for its message."""

    rule: str
    span: Span
    args: Mapping[str, object] = NO_ARGS
    related: tuple[Related, ...] = ()


@record
class Context:
    """What a function's analysis depends on beside its tree. `co_functions` are the names of the file's functions,
    `macros` those of its macros: a mistyped name may mean one. `waiting_functions`: device functions that may wait for
    other threads, `by_value`: those that take no variable by reference, `by_reference`: name and number of parameters
    that may be references, of bodies in the file; `results`: name and element type of those that
    give a scalar. `constants`: name and value of each constant of host C++, which a function does not see.
    `macro_bodies`: name and body of each macro, where islands may use it. `in_sight`: device functions whose bodies the
    file has, with those of all that they call. `register_functions`: the words by
    which C++ changes how many registers a thread has, device functions of the file among them."""

    target: Target
    dialect: str = "any"
    device_functions: frozenset[str] = frozenset()
    co_functions: frozenset[str] = frozenset()
    macros: frozenset[str] = frozenset()
    waiting_functions: frozenset[str] = frozenset()
    by_value: frozenset[str] = frozenset()
    constants: tuple[tuple[str, str], ...] = ()
    results: tuple[tuple[str, str], ...] = ()
    macro_bodies: tuple[tuple[str, str], ...] = ()
    in_sight: frozenset[str] = frozenset()
    by_reference: frozenset[tuple[str, int]] = frozenset()
    register_functions: frozenset[str] = frozenset({"setmaxnreg"})


@record(eq=False, weak=True)
class Model:
    """The side tables of one function. `uses` maps every Name node, declaring ones too, to its symbol.

    `values`: symbolic values of integer expressions; indices occur as atoms named after their symbol.
    `ends_at_statement`: no `mma.commit` and no `mma.load` of a shared tile, so a multiply is complete at its
    statement (credit-flow, section 3).
    """

    function: ast.Function
    context: Context
    symbols: tuple[Symbol, ...]
    uses: Mapping[ast.Name, Symbol]
    types: Mapping[ast.Node, Type]
    values: Mapping[ast.Node, Int]
    views: Mapping[ast.Node, View]
    levels: Mapping[ast.Axis, Level]
    kernels: tuple[Kernel, ...]
    copies: Mapping[ast.Copy, CopyInfo]
    loads: Mapping[ast.MmaLoad, OperandKind]
    multiplies: Mapping[ast.Mma, MmaInfo]
    buffers: tuple[BufferInfo, ...]
    ends_at_statement: bool
    dialect: str  # "classic", "course", "current" or "any": what the function's own forms vote for
    result: Type
    mentioned: frozenset[Symbol] = frozenset()  # symbols whose name stands in the text of an island
    cluster_events: frozenset[Symbol] = frozenset()  # whose triggers arrive in every block of the cluster (multicasts)
    islands: Mapping[ast.Cpp, Mapping[str, Symbol]] = MappingProxyType({})  # which symbol each of their words names
    cut: tuple[Span, ...] = ()  # what is nested too deeply: nothing is known of what stands in it

    def reaches_cluster(self, trigger: ast.Trigger, event: Symbol | None) -> bool:
        """Whether a trigger of this event arrives in every block of the cluster."""
        return trigger.cluster or event in self.cluster_events


@record(eq=False)
class Analysis:
    """The outcome of `analyze`: always a model, however broken the text."""

    model: Model
    findings: tuple[Finding, ...]
