"""The IR as text for people: one statement a line, indented, the same bytes for the same kernel. Must not decide.

`lhs[0][block_m * 64, k * 64 : 64 x 128]` is a tile: slot, origin, extents. Behind a statement stand the fields that
differ from "nothing decided", by name; so a new field shows without a change here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from typing import Any, Final

from croqc.pipe import ir
from croqc.pipe.exprs import ATOM, BINDING, UNARY, ZERO, Cast, Expr, Fn, Held, Lit, Op, Read, Space, Tensor, Tile, Var
from croqc.text.span import NOWHERE, Span

_INDENT: Final = "  "


# --- expressions -------------------------------------------------------------------------------


def expression(expr: Expr, binding: int = 0) -> str:
    """An expression in the language's own notation; parentheses where `binding` asks for them."""
    text, own = _expression(expr)
    return f"({text})" if own < binding else text


def _expression(expr: Expr) -> tuple[str, int]:
    match expr:
        case Lit(value=value, elem=elem):
            plain = str(value).lower() if isinstance(value, bool) else repr(value)
            return (plain if elem in ("s32", "bool") else f"{plain}:{elem}"), ATOM
        case Var(name=name):
            return name, ATOM
        case Cast(value=value, elem=elem):
            return f"{elem}({expression(value)})", ATOM
        case Fn(name=name, args=args):
            return f"{name}({', '.join(map(expression, args))})", ATOM
        case Read(tile=place, index=index):
            return f"{tile(place)}.at({', '.join(map(expression, index))})", ATOM
        case Held():
            return _held(expr), ATOM
        case Op(op="?:", args=(test, then, other)):
            return f"{expression(test, 2)} ? {expression(then, 2)} : {expression(other, 2)}", 1
        case Op(op=op, args=(only,)):
            return op + expression(only, UNARY), UNARY
        case Op(op=op, args=(left, right)):
            own = BINDING[op]
            return f"{expression(left, own)} {op} {expression(right, own + 1)}", own
    raise AssertionError(f"no text for {type(expr).__name__}")


def _held(element: Held) -> str:
    """`acc[1].at(i, j)`, and behind `fragments` the thread's own element that it is."""
    slot = "" if element.slot == ZERO else f"[{expression(element.slot)}]"
    at = ", ".join(map(expression, element.index))
    own = "" if element.register is None else f" own {expression(element.register, ATOM)}"
    return f"{element.name}{slot}.at({at}){own}"


def _extents(shape: tuple[Expr, ...]) -> str:
    return " x ".join(expression(extent, BINDING["*"]) for extent in shape)


def tile(place: Tile) -> str:
    """`name[slot][origin : extents]`, and which dimensions it has and how much of each exists, where that matters."""
    tensor = place.tensor
    slot = f"[{expression(place.slot)}]" if tensor.slots > 1 else ""
    text = f"{tensor.name}{slot}[{', '.join(map(expression, place.origin))} : {_extents(place.shape)}]"
    if place.dims != tuple(range(len(tensor.shape))):
        text += f" of dims {', '.join(map(str, place.dims))}"
    if place.scales:
        text += f" by {', '.join(map(expression, place.scales))}"
    if any(limit is not None for limit in place.valid):
        limits = ("all" if limit is None else expression(limit) for limit in place.valid)
        text += f" (valid {', '.join(limits)})"
    return text


# --- statements --------------------------------------------------------------------------------


def _slot(slot: ir.SlotRef) -> str:
    return f"{slot.event}[{'order ' if slot.ordered else ''}{expression(slot.at)}]"


def _acc(stmt: Any) -> str:
    acc: ir.Accumulator = stmt.acc
    return f"{acc.name}[{expression(stmt.index)}]" if acc.count > 1 else acc.name


def _loop(stmt: ir.Loop) -> str:
    return f"for {stmt.name} from {expression(stmt.start)} to {expression(stmt.stop)} step {expression(stmt.step)}"


def _multiply(stmt: ir.Multiply) -> str:
    sides = f"{tile(stmt.a)} x {tile(stmt.b)}"
    majors = "".join("k" if major else "m" for major in (stmt.a_k_major, stmt.b_k_major))
    return f"{_acc(stmt)} += {sides}  {stmt.instruction} {stmt.m}x{stmt.n}x{stmt.k} by {stmt.k_step}, major {majors}"


def _visit(stmt: ir.Visit) -> str:
    return f"visit {_acc(stmt)} as {', '.join(stmt.names)}, counted by {stmt.counter}"


def _reduce(stmt: ir.Reduce) -> str:
    source = f"{stmt.source.name}[{expression(stmt.at)}]" if stmt.source.count > 1 else stmt.source.name
    return f"{_acc(stmt)} = {stmt.op} of rows of {source}"


_MULTIPLY = frozenset({"acc", "index", "a", "b", "a_k_major", "b_k_major", "instruction", "m", "n", "k", "k_step"})

# How each statement reads, and the fields that its text has used.
FORMS: Final[dict[type, tuple[Callable[[Any], str], frozenset[str]]]] = {
    ir.Let: (lambda s: f"let {s.name}: {s.elem} = {expression(s.value)}", frozenset({"name", "elem", "value"})),
    ir.Set: (lambda s: f"{s.name} = {expression(s.value)}", frozenset({"name", "value"})),
    ir.Write: (
        lambda s: f"{tile(s.tile)}.at({', '.join(map(expression, s.index))}) = {expression(s.value)}",
        frozenset({"tile", "index", "value"}),
    ),
    ir.Atomic: (
        lambda s: f"atomic {s.op} {tile(s.tile)}.at({', '.join(map(expression, s.index))}), {expression(s.value)}",
        frozenset({"tile", "index", "value", "op"}),
    ),
    ir.Print: (lambda s: f"print {s.text!r}", frozenset({"text"})),
    ir.Loop: (_loop, frozenset({"name", "start", "stop", "step"})),
    ir.While: (lambda s: f"while {expression(s.cond)}", frozenset({"cond"})),
    ir.If: (lambda s: f"if {expression(s.cond)}", frozenset({"cond"})),
    ir.Jump: (lambda s: s.word, frozenset({"word"})),
    ir.Scope: (lambda s: "scope", frozenset()),
    ir.Role: (
        lambda s: f"role {s.path}  when {expression(s.cond)}",
        frozenset({"path", "cond", "several"}),
    ),  # a title names all paths
    ir.Text: (lambda s: f"text {s.text!r}", frozenset({"text"})),
    ir.Call: (lambda s: f"call {s.name}({', '.join(map(expression, s.args))})", frozenset({"name", "args"})),
    ir.Wait: (lambda s: f"wait {_slot(s.slot)}", frozenset({"slot"})),
    ir.Arrive: (lambda s: f"arrive {_slot(s.slot)}", frozenset({"slot"})),
    ir.Expect: (lambda s: f"expect {_slot(s.slot)}", frozenset({"slot"})),
    ir.Sync: (lambda s: "sync", frozenset()),
    ir.Probe: (lambda s: f"probe {s.site}", frozenset({"site"})),
    ir.Copy: (lambda s: f"{s.form.value} {tile(s.source)} => {tile(s.dest)}", frozenset({"form", "source", "dest"})),
    ir.Await: (lambda s: f"await {', '.join(s.handles)}", frozenset({"handles"})),
    ir.EmptyGroup: (lambda s: "end an empty group", frozenset()),
    ir.Rotate: (lambda s: f"rotate {', '.join(s.handles)}", frozenset({"handles"})),
    ir.Fill: (lambda s: f"{_acc(s)} = {expression(s.value)}", frozenset({"acc", "index", "value"})),
    ir.Declare: (lambda s: f"declare {s.acc.name}", frozenset({"acc"})),
    ir.LoadFragment: (
        lambda s: f"{s.name} = fragment {tile(s.tile)}  {s.rows} x {s.k}, major {'k' if s.k_major else 'm'}",
        frozenset({"name", "tile", "rows", "k", "k_major"}),
    ),
    ir.Multiply: (_multiply, _MULTIPLY),
    ir.Fence: (lambda s: "fence" if s.kind is ir.Fencing.WGMMA else f"fence {s.kind.value}", frozenset({"kind"})),
    ir.Commit: (lambda s: f"commit keep {s.keep}", frozenset({"keep"})),
    ir.StoreTile: (lambda s: f"store {_acc(s)} => {tile(s.dest)}", frozenset({"acc", "index", "dest"})),
    ir.StoresRead: (lambda s: "stores written" if s.written else "stores read", frozenset({"written"})),
    ir.AwaitLaunches: (lambda s: "await launches in front", frozenset()),
    ir.Start: (lambda s: f"start {_acc(s)}", frozenset({"acc", "index"})),
    ir.Complete: (lambda s: f"complete multiplies by {_slot(s.slot)}", frozenset({"slot"})),
    ir.ArriveCommitted: (lambda s: f"arrive {_slot(s.slot)} when complete", frozenset({"slot"})),
    ir.LoadMetadata: (
        lambda s: f"{s.name} = metadata {tile(s.tile)}  {s.rows} rows, {s.steps} of {s.k_step}",
        frozenset({"name", "tile", "rows", "k_step", "steps"}),
    ),
    ir.Visit: (_visit, frozenset({"acc", "index", "names", "counter"})),
    ir.Put: (lambda s: f"{expression(s.element)} = {expression(s.value)}", frozenset({"element", "value"})),
    ir.Reduce: (_reduce, frozenset({"op", "acc", "index", "source", "at"})),
    ir.Scale: (lambda s: f"scale {_acc(s)} as {', '.join(s.names)}", frozenset({"acc", "index", "names", "counter"})),
    ir.Settle: (lambda s: f"settle {s.acc.name}", frozenset({"acc"})),
    ir.KeepAccumulator: (lambda s: f"keep {_acc(s)}", frozenset({"acc", "index"})),
    ir.LoadAccumulator: (lambda s: f"load {_acc(s)}", frozenset({"acc", "index"})),
}
_BODIES: Final = ("body", "then", "other")


def _rest(stmt: ir.Stmt, used: frozenset[str]) -> Iterator[str]:
    """The other fields that say something, by name."""
    names: tuple[str, ...] = type(stmt).__match_args__
    for name in names:
        value = getattr(stmt, name)
        if name in used or name in ("span", *_BODIES):
            continue
        says = value is not None if name == "unroll" else value not in (None, False, "", (), -1)  # 0 is False here
        if not says:
            continue
        word = name.removeprefix("is_").replace("_", " ")
        yield word if value is True else f"{word} {_value(value)}"


def _value(value: object) -> str:
    match value:
        case Enum():
            return str(value.value)
        case ir.SlotRef():
            return _slot(value)
        case ir.Box():
            return f"map {value.map} ({', '.join(map(str, value.at))})"
        case Tensor() | ir.Accumulator():
            return value.name
        case tuple():
            return " ".join(_value(item) for item in value)
        case Lit() | Var() | Op() | Fn() | Cast() | Read() | Held():
            return expression(value)
    return str(value)


Forms = Mapping[type, tuple[Callable[[Any], str], frozenset[str]]]


Told = tuple[str, Span]  # a line, and what it stands for in the source; NOWHERE where that is nothing


def statements(body: tuple[ir.Stmt, ...], depth: int, forms: Forms = FORMS) -> Iterator[Told]:
    """The lines of a list of statements, those inside indented by one step more."""
    for stmt in body:
        head, used = forms[type(stmt)]
        rest = ", ".join(_rest(stmt, used))
        yield _INDENT * depth + head(stmt) + (f"  {rest}" if rest else ""), stmt.span
        match stmt:
            case ir.If(then=then, other=other):
                yield from statements(then, depth + 1, forms)
                if other:
                    yield _INDENT * depth + "else", NOWHERE
                    yield from statements(other, depth + 1, forms)
            case ir.Loop() | ir.While() | ir.Scope() | ir.Role() | ir.Visit() | ir.Probe():
                inner = stmt.body
                yield from statements(inner, depth + 1, forms)


# --- kernels -----------------------------------------------------------------------------------


def _tensor(tensor: Tensor) -> str:
    slots = f"{tensor.slots} x " if tensor.slots > 1 else ""
    return f"{tensor.name}: {tensor.elem} {slots}[{', '.join(map(expression, tensor.shape))}]"


def _shared(item: ir.Shared) -> str:
    swizzle = f", swizzle {item.swizzle}" if item.swizzle else ""
    place = f", at {item.offset}" if item.offset >= 0 else ""
    return f"shared {_tensor(item.tensor)}, {item.bytes} bytes, aligned {item.alignment}{swizzle}{place}"


def _event(event: ir.Event) -> str:
    ready = ", ready" if event.ready else ""
    return f"event {event.name}[{event.slots}]: arrivals {' '.join(map(str, event.arrivals))}{ready}"


def _accumulator(acc: ir.Accumulator) -> str:
    count = f"{acc.count} x " if acc.count > 1 else ""
    where = {None: ", a vector", ir.Spread.ROWS: ", along rows", ir.Spread.COLUMNS: ", along columns"}.get(
        acc.spread, ""
    )
    return f"accumulator {acc.name}: {count}{acc.elem} {acc.m} x {acc.n} of {acc.unit.value}{where}"


def _declarations(kernel: ir.Kernel) -> Iterator[Told]:
    for line in _arrays(kernel):
        yield line, NOWHERE
    yield from ((_shared(item), item.span) for item in kernel.shared)
    for line in _inside(kernel):
        yield line, NOWHERE


def _arrays(kernel: ir.Kernel) -> Iterator[str]:
    for name, elem in kernel.scalars:
        yield f"scalar {name}: {elem}"
    for name, divisor in kernel.assumed:
        yield f"assumed {name} % {divisor} == 0"
    for tensor in kernel.tensors:
        yield f"{Space.GLOBAL.value} {_tensor(tensor)}"
    for pointer in kernel.pointers:
        yield f"pointer {pointer.name}" + (", restricted" if pointer.restricted else "")
    for number, item in enumerate(kernel.maps):
        swizzle = f", swizzle {item.swizzle}" if item.swizzle else ""
        yield f"map {number}: {item.tensor.name}, box {' x '.join(map(str, item.box))} innermost first{swizzle}"


def _inside(kernel: ir.Kernel) -> Iterator[str]:
    for tensor in kernel.locals:
        yield f"{Space.LOCAL.value} {_tensor(tensor)}"
    yield from (_event(event) for event in kernel.events)
    for name, of in kernel.phases:
        yield f"phase {name} of {of}"
    yield from (_accumulator(acc) for acc in kernel.accumulators)
    for name, of, slot in kernel.handles:
        yield f"handle {name}: {of}[{slot}]"
    for index in kernel.indices:
        yield f"index {index.name}: thread / {index.unit} % {index.bound}"
    if kernel.first_barrier != 1:
        yield f"barriers of warpgroups from {kernel.first_barrier} on"
    if (memory := kernel.tensor_memory) is not None:
        groups = f"{memory.groups} from warpgroup {memory.first} on, {memory.share} each"
        offsets = ", ".join(f"{name} at {offset}" for name, offset in memory.offsets)
        yield f"tensor memory {memory.columns} columns, for {groups}: {offsets}"
    if kernel.shared_bytes:
        yield f"block memory {kernel.shared_bytes} bytes, barriers at {kernel.barriers_at}"


def placed_lines(kernel: ir.Kernel) -> Iterator[Told]:
    """The whole kernel, what it declares, then its body: each line with its place."""
    grid = _extents(kernel.grid) or "1"
    if kernel.cluster:
        grid += " in clusters of " + " x ".join(f"{name} by {extent}" for name, extent in kernel.cluster)
    names = f" as {', '.join(kernel.grid_names)}" if kernel.grid_names else ""
    yield f"kernel {kernel.name}: grid {grid}{names}, {kernel.threads} threads", NOWHERE
    if kernel.bounds != ir.OPEN:
        bounds = kernel.bounds
        line = f"bounds: {bounds.blocks} blocks, clusters of {bounds.cluster}, {bounds.registers} registers"
        yield _INDENT + line, NOWHERE
    for line, span in _declarations(kernel):
        yield _INDENT + line, span
    yield _INDENT + "body", NOWHERE
    yield from statements(kernel.body, 2)
