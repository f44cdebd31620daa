"""The typed tree of a Croqtile function: events, copies, tensor cores, output (2.4.8 to 2.4.15, 2.14).

Immutable; spans are relative to the function's `__co__`. Must not hold semantic facts.
"""

from __future__ import annotations

from croqc.syntax.exprs import Expr, Name, Node, Select, Str
from croqc.text.record import record
from croqc.text.span import NOWHERE, Span


@record(eq=False)
class Attribute(Node):
    """`[[launch_bounds(…)]]`, `[[maxnreg(n)]]`, `[[schedule(k_tiles(…))]]` (then `args` are the tiles)."""

    name: str
    args: tuple[Expr, ...]


# --- events and synchronisation (2.4.8 to 2.4.10) ----------------------------------------------


@record(eq=False)
class Wait(Node):
    """Each ref is a Name or a Chain (`e[i]`, `e.at(order)`, `f.data`). `phase`: the older `wait<N>`."""

    refs: tuple[Expr, ...]
    phase: Expr | None = None
    op_span: Span = NOWHERE  # of the `<` of the phase


@record(eq=False)
class Trigger(Node):
    refs: tuple[Expr, ...]
    after: tuple[Expr, ...] = ()
    cluster: bool = False


@record(eq=False)
class Sync(Node):
    """`sync.<storage>` (kind is the storage word), `sync.barrier : level`, `sync.fence : level<storage>`."""

    kind: str
    level: str | None = None
    storage: str | None = None


@record(eq=False)
class Rotate(Node):
    """`swap(a, b)` (`word` "swap") and `rotate(a, b, …)`."""

    word: str
    names: tuple[Name, ...]
    parenthesised: bool = True


# --- data movement (2.4.11) --------------------------------------------------------------------


@record(eq=False)
class Modifier(Node):
    """`.swiz<N>`, `.zfill`, …: `name` without the dot, numbers in `args`.

    `old` marks the older spellings: `.swizzle(N)`, `.sp(n:m)`.
    """

    name: str
    args: tuple[int, ...] = ()
    old: bool = False


@record(eq=False)
class PadConfig(Node):
    low: tuple[Expr, ...]
    high: tuple[Expr, ...]
    mid: tuple[Expr, ...]
    value: Expr


@record(eq=False)
class TransConfig(Node):
    order: tuple[int, ...]


@record(eq=False)
class StorageDest(Node):
    """`=> shared` and its like: the compiler allocates the destination."""

    storage: str


@record(eq=False)
class Copy(Node):
    """`[target =] engine.op[config][.async[<event>]]modifiers source => dest [after f]`.

    `op` is "copy", "load", "transp", "pad", or "store" (older). `event` is the classic operand.
    `source_zfill`: `.zfill` written behind the source. `old_async`: the older `.copy_async`.
    """

    target: Name | None
    engine: str
    op: str
    config: PadConfig | TransConfig | None
    is_async: bool
    event: Expr | None
    modifiers: tuple[Modifier, ...]
    source: Expr
    dest: Expr | StorageDest | Select
    after: Name | None
    source_zfill: bool = False
    old_async: bool = False
    op_span: Span = NOWHERE  # of the dotted op word
    event_span: Span = NOWHERE  # of the `<` of the event operand


@record(eq=False)
class AnyFuture(Node):
    """`f = dma.any;`."""

    target: Name
    engine: str


@record(eq=False)
class MapBuffer(Node):
    """`w = src.map<local>(offset, size)`; `op` is "map" or "remap"."""

    target: Name
    source: Expr
    op: str
    storage: str
    offset: Expr
    size: Expr


# --- tensor cores and fragments (2.4.13) -------------------------------------------------------


@record(eq=False)
class MmaFill(Node):
    """`c = mma.fill[.T] v` (`declares`) or `mma.fill c, v`."""

    acc: Expr
    elem: str | None
    value: Expr
    declares: bool


@record(eq=False)
class MmaLoad(Node):
    """`r = mma.load… src`; `frag` for `.frag`; `op` is "load", or "desc", "loadR", "loadS" (older).

    `assigned` is False for `mma.load src, r`.
    """

    target: Expr
    source: Expr
    op: str = "load"
    frag: bool = False
    swizzle: Modifier | None = None
    is_async: bool = False
    assigned: bool = True
    op_span: Span = NOWHERE  # of the dotted op word


@record(eq=False)
class Mma(Node):
    """`mma.A.B[.sp|.scale|.async] acc, a, b, …`.

    `form` is "", "sp", "scale" or "async"; `extra` holds metadata or the two scales. `target` only for
    "async". `order` holds the older `.order<…>` tiles.
    """

    layout_a: str
    layout_b: str
    form: str
    acc: Expr
    a: Expr
    b: Expr
    extra: tuple[Expr, ...] = ()
    target: Name | None = None
    schedule: Attribute | None = None
    order: tuple[int, ...] | None = None
    op_span: Span = NOWHERE  # of `.order`


@record(eq=False)
class MmaScale(Node):
    acc: Expr
    scale_a: Expr
    scale_b: Expr


@record(eq=False)
class MmaStore(Node):
    """`form` is "", "transp", "async" or "mask" (then `limits` holds rows[, cols])."""

    form: str
    acc: Expr
    dest: Expr
    limits: tuple[Expr, ...] = ()


@record(eq=False)
class MmaCommit(Node):
    """`mma.commit`; with `keep` set the older `mma.wait<keep>`."""

    keep: int | None = None
    op_span: Span = NOWHERE  # of the dotted op word


@record(eq=False)
class FragOp(Node):
    """`reduce_max(dst, src, dim)`, `reduce_sum(…)`, `all_reduce_sum(x)`, `copy(dst, src)`."""

    op: str
    args: tuple[Expr, ...]
    dim: int | None = None


# --- output, assertions, islands (2.4.14, 2.4.15), older statements (2.14) ----------------------


@record(eq=False)
class Print(Node):
    word: str
    static: bool
    args: tuple[Expr, ...]


@record(eq=False)
class Assert(Node):
    cond: Expr
    message: Str


@record(eq=False)
class Cpp(Node):
    text: Str


@record(eq=False)
class AsmOperand(Node):
    label: Name | None
    constraint: Str
    value: Expr


@record(eq=False)
class Asm(Node):
    """`sections` counts the colons written, so that the printer repeats them."""

    template: Str
    volatile: bool
    outputs: tuple[AsmOperand, ...]
    inputs: tuple[AsmOperand, ...]
    clobbers: tuple[Str, ...]
    sections: int = 0
    word: str = "asm"


@record(eq=False)
class SetReg(Node):
    """The older `setreg[.inc|.dec] e;`."""

    direction: str
    value: Expr


@record(eq=False)
class LaunchBounds(Node):
    """The older statement `launch_bounds(…);`."""

    args: tuple[Expr, ...]
    op_span: Span = NOWHERE  # of the `(`
