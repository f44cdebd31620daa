"""The typed tree of a Croqtile function: functions, bodies, control. All nodes are imported from here.

Immutable, without semantic facts (those are side tables of `sema`, keyed by node identity). Spans are
relative to the function's `__co__`; a node made by a macro carries the span of the macro's use.
Tuples keep source order. Grammar rule names in the docstrings are those of the reference, chapter 2.
"""

from __future__ import annotations

from croqc.syntax.decls import (
    BufferDecl,
    BufferName,
    Dyn,
    EventDecl,
    EventName,
    FragDecl,
    ScalarDecl,
    ScalarInit,
    ShapeDecl,
    TupleDecl,
    TypeRef,
)
from croqc.syntax.doubts import Doubts
from croqc.syntax.exprs import (
    AddressOf,
    Binary,
    BoundOf,
    Builtin,
    Call,
    Chain,
    Cond,
    Const,
    Count,
    Derive,
    Expr,
    IncDec,
    Index,
    IntLit,
    Member,
    Missing,
    Name,
    Node,
    Paren,
    Pick,
    RealLit,
    Select,
    ShapeLit,
    SizeOf,
    Str,
    Suffix,
    TupleLit,
    Unary,
)
from croqc.syntax.operations import (
    AnyFuture,
    Asm,
    AsmOperand,
    Assert,
    Attribute,
    Copy,
    Cpp,
    FragOp,
    LaunchBounds,
    MapBuffer,
    Mma,
    MmaCommit,
    MmaFill,
    MmaLoad,
    MmaScale,
    MmaStore,
    Modifier,
    PadConfig,
    Print,
    Rotate,
    SetReg,
    StorageDest,
    Sync,
    TransConfig,
    Trigger,
    Wait,
)
from croqc.text.record import record
from croqc.text.span import NOWHERE, Span

Rhs = Expr | Call | Select


# --- functions (2.2) ---------------------------------------------------------------------------


@record(eq=False)
class Param(Node):
    type: TypeRef
    name: Name | None
    is_global: bool
    by_ref: bool


@record(eq=False)
class Function(Node):
    """A whole `__co__` function; the span runs from `__co__` to the closing brace. `doubts` are None without syntax
    errors."""

    result: TypeRef
    name: Name
    params: tuple[Param, ...]
    body: Block
    doubts: Doubts | None = None


# --- bodies (2.4.1) ----------------------------------------------------------------------------


@record(eq=False)
class Block(Node):
    """`body`. Without braces it holds one statement, or none for `;`."""

    stmts: tuple[Stmt, ...]
    braced: bool = True


@record(eq=False)
class ErrorStmt(Node):
    """Tokens that could not be read, up to the resynchronisation point; already reported."""


# --- assignment and calls (2.4.2, 2.4.12) ------------------------------------------------------


@record(eq=False)
class AssignPart(Node):
    """`op` is "=", "+=", "-=", "*=", "/=" or "%="."""

    target: Expr
    op: str
    value: Rhs


@record(eq=False)
class Assign(Node):
    parts: tuple[AssignPart, ...]


@record(eq=False)
class CallStmt(Node):
    call: Call


# --- structure (2.4.3 to 2.4.7) ----------------------------------------------------------------


@record(eq=False)
class Axis(Node):
    """One level of a `parallel`. `names` is empty for an anonymous axis; `level` is None if not written."""

    tuple_name: Name | None
    names: tuple[Name, ...]
    braced: bool
    bounds: tuple[Expr, ...]
    bracketed: bool
    level: str | None = None
    level_span_start: int = -1  # offset of the level word
    level_arg: Name | None = None
    cooperative: bool = False


@record(eq=False)
class Parallel(Node):
    """`paren_stream`: the older `parallel(s)`."""

    attributes: tuple[Attribute, ...]
    is_async: bool
    stream: Name | None
    axes: tuple[Axis, ...]
    body: Block
    paren_stream: bool = False
    op_span: Span = NOWHERE  # of the `(` of the older form


@record(eq=False)
class Binding(Node):
    """`x in e`, `{x, y} in e`, `t = {x, y} in e`."""

    tuple_name: Name | None
    names: tuple[Name, ...]
    braced: bool
    extent: Expr


@record(eq=False)
class With(Node):
    bindings: tuple[Binding, ...]
    where: tuple[tuple[Name, Name], ...]
    body: Block


@record(eq=False)
class Range(Node):
    """`[local =] name [(lo : hi : step)]` over an index bound earlier."""

    local: Name | None
    name: Name
    sliced: bool
    lo: Expr | None
    hi: Expr | None
    step: Expr | None


@record(eq=False)
class LoopHint(Node):
    """`unroll[(n)]`, `vectorize(name, n)`; `automap` only to be refused."""

    name: str
    args: tuple[Expr, ...]


@record(eq=False)
class Foreach(Node):
    """Binding form (`bindings`) or range form (`ranges`), never both."""

    bindings: tuple[Binding, ...]
    ranges: tuple[Range, ...]
    hints: tuple[LoopHint, ...]
    body: Block


@record(eq=False)
class If(Node):
    cond: Expr | Call
    then: Block
    other: Block | None


@record(eq=False)
class While(Node):
    cond: Expr
    body: Block


@record(eq=False)
class Jump(Node):
    """`break`, `continue` or `yield`."""

    word: str


@record(eq=False)
class Return(Node):
    value: Expr | None


@record(eq=False)
class InThreads(Node):
    is_async: bool
    cond: Expr
    body: Block


@record(eq=False)
class Apply(Node):
    """`apply {i, j} in x.span body`."""

    names: tuple[Name, ...]
    frag: Name
    body: Block


Decl = ScalarDecl | BufferDecl | ShapeDecl | TupleDecl | EventDecl | FragDecl
MmaStmt = MmaFill | MmaLoad | Mma | MmaScale | MmaStore | MmaCommit
Stmt = (
    Decl | Assign | CallStmt | Parallel | With | Foreach | If | While | Jump | Return | InThreads
    | Wait | Trigger | Sync | Rotate | Copy | AnyFuture | MapBuffer | MmaStmt | Apply | FragOp
    | Print | Assert | Cpp | Asm | SetReg | LaunchBounds | ErrorStmt
)  # fmt: skip

__all__ = [
    "AddressOf",
    "AnyFuture",
    "Apply",
    "Asm",
    "AsmOperand",
    "Assert",
    "Assign",
    "AssignPart",
    "Attribute",
    "Axis",
    "Binary",
    "Binding",
    "Block",
    "BoundOf",
    "BufferDecl",
    "BufferName",
    "Builtin",
    "Call",
    "CallStmt",
    "Chain",
    "Cond",
    "Const",
    "Copy",
    "Count",
    "Cpp",
    "Decl",
    "Derive",
    "Dyn",
    "ErrorStmt",
    "EventDecl",
    "EventName",
    "Expr",
    "Foreach",
    "FragDecl",
    "FragOp",
    "Function",
    "If",
    "InThreads",
    "IncDec",
    "Index",
    "IntLit",
    "Jump",
    "LaunchBounds",
    "LoopHint",
    "MapBuffer",
    "Member",
    "Missing",
    "Mma",
    "MmaCommit",
    "MmaFill",
    "MmaLoad",
    "MmaScale",
    "MmaStmt",
    "MmaStore",
    "Modifier",
    "Name",
    "Node",
    "PadConfig",
    "Parallel",
    "Param",
    "Paren",
    "Pick",
    "Print",
    "Range",
    "RealLit",
    "Return",
    "Rhs",
    "Rotate",
    "ScalarDecl",
    "ScalarInit",
    "Select",
    "SetReg",
    "ShapeDecl",
    "ShapeLit",
    "SizeOf",
    "Stmt",
    "StorageDest",
    "Str",
    "Suffix",
    "Sync",
    "TransConfig",
    "Trigger",
    "TupleDecl",
    "TupleLit",
    "TypeRef",
    "Unary",
    "Wait",
    "While",
    "With",
]
