"""Text of the statements without a body: events, copies, tensor cores, output (2.4.8 to 2.4.15, 2.14).

Older forms are printed as they were written. Must not know blocks or indentation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from croqc.syntax import operations as o
from croqc.syntax.exprs import Expr, Name, Node, Select
from croqc.syntax.printer_exprs import comma_list, print_expr


def print_attribute(node: o.Attribute) -> str:
    """`[[maxnreg(64)]]`; the tiles of a schedule stand in a `k_tiles` of their own."""
    args = comma_list(node.args)
    return f"[[{node.name}({f'k_tiles({args})' if node.name == 'schedule' else args})]]"


def _ints(numbers: Iterable[int], separator: str = ", ") -> str:
    return separator.join(map(str, numbers))


def _target(name: Name | None) -> str:
    return "" if name is None else f"{name.id} = "


def _wait(node: o.Wait) -> str:
    phase = "" if node.phase is None else f"<{print_expr(node.phase)}>"
    return f"wait{phase} {comma_list(node.refs)}"


def _trigger(node: o.Trigger) -> str:
    after = f" after {comma_list(node.after)}" if node.after else ""
    return f"trigger{'.cluster' if node.cluster else ''} {comma_list(node.refs)}{after}"


def _sync(node: o.Sync) -> str:
    level = "" if node.level is None else f" : {node.level}"
    return f"sync.{node.kind}{level}" + ("" if node.storage is None else f"<{node.storage}>")


def _rotate(node: o.Rotate) -> str:
    names = comma_list(node.names)
    return f"{node.word}({names})" if node.parenthesised else f"{node.word} {names}"


def _modifier(node: o.Modifier) -> str:
    numbers = _ints(node.args, ":" if node.name == "sp" else ", ")
    if not numbers:
        return "." + node.name
    return f".{node.name}({numbers})" if node.old else f".{node.name}<{numbers}>"


def _config(node: o.PadConfig | o.TransConfig | None) -> str:
    if node is None:
        return ""
    if isinstance(node, o.TransConfig):
        return f"<{_ints(node.order)}>"
    sides = ", ".join(f"{{{comma_list(side)}}}" for side in (node.low, node.high, node.mid))
    return f"<{sides}, {print_expr(node.value)}>"


def _destination(node: Expr | o.StorageDest | Select) -> str:
    return node.storage if isinstance(node, o.StorageDest) else print_expr(node)


def _copy(node: o.Copy) -> str:
    op = node.op
    if node.old_async:
        op += "_async"
    op += _config(node.config)
    if node.is_async and not node.old_async:
        op += ".async"
    if node.event is not None:
        op += f"<{print_expr(node.event)}>"
    op += "".join(map(_modifier, node.modifiers))
    source = print_expr(node.source) + (".zfill" if node.source_zfill else "")
    after = "" if node.after is None else f" after {node.after.id}"
    return f"{_target(node.target)}{node.engine}.{op} {source} => {_destination(node.dest)}{after}"


def _any(node: o.AnyFuture) -> str:
    return f"{_target(node.target)}{node.engine}.any"


def _map(node: o.MapBuffer) -> str:
    window = comma_list((node.offset, node.size))
    return f"{_target(node.target)}{print_expr(node.source)}.{node.op}<{node.storage}>({window})"


def _fill(node: o.MmaFill) -> str:
    word = "mma.fill" if node.elem is None else f"mma.fill.{node.elem}"
    if node.declares:
        return f"{print_expr(node.acc)} = {word} {print_expr(node.value)}"
    return f"{word} {comma_list((node.acc, node.value))}"


def _load(node: o.MmaLoad) -> str:
    word = f"mma.{node.op}{'.frag' if node.frag else ''}"
    word += ("" if node.swizzle is None else _modifier(node.swizzle)) + (".async" if node.is_async else "")
    if node.assigned:
        return f"{print_expr(node.target)} = {word} {print_expr(node.source)}"
    return f"{word} {comma_list((node.source, node.target))}"


def _mma(node: o.Mma) -> str:
    schedule = "" if node.schedule is None else print_attribute(node.schedule) + " "
    word = f"mma.{node.layout_a}.{node.layout_b}" + (f".{node.form}" if node.form else "")
    if node.order is not None:
        word += f".order<{_ints(node.order)}>"
    operands = comma_list((node.acc, node.a, node.b, *node.extra))
    return f"{schedule}{_target(node.target)}{word} {operands}"


def _scale(node: o.MmaScale) -> str:
    return f"mma.scale {comma_list((node.acc, node.scale_a, node.scale_b))}"


def _store(node: o.MmaStore) -> str:
    form = f".{node.form}" if node.form else ""
    return f"mma.store{form} {comma_list((node.acc, node.dest, *node.limits))}"


def _commit(node: o.MmaCommit) -> str:
    return "mma.commit" if node.keep is None else f"mma.wait<{node.keep}>"


def _frag_op(node: o.FragOp) -> str:
    dim = "" if node.dim is None else f", {node.dim}"
    return f"{node.op}({comma_list(node.args)}{dim})"


def _print(node: o.Print) -> str:
    return f"{node.word}{'!' if node.static else ''}({comma_list(node.args)})"


def _assert(node: o.Assert) -> str:
    return f"assert({comma_list((node.cond, node.message))})"


def _cpp(node: o.Cpp) -> str:
    return f"__cpp__({print_expr(node.text)})"


def _operand(node: o.AsmOperand) -> str:
    label = "" if node.label is None else f"[{node.label.id}] "
    return f"{label}{print_expr(node.constraint)}({print_expr(node.value)})"


def _asm(node: o.Asm) -> str:
    lists = (
        ", ".join(map(_operand, node.outputs)),
        ", ".join(map(_operand, node.inputs)),
        comma_list(node.clobbers),
    )
    tail = "".join(f" : {text}" if text else " :" for text in lists[: node.sections])
    return f"{node.word}{' volatile' if node.volatile else ''}({print_expr(node.template)}{tail})"


def _setreg(node: o.SetReg) -> str:
    word = f"setreg.{node.direction}" if node.direction else "setreg"
    return f"{word} {print_expr(node.value)}"


def _launch_bounds(node: o.LaunchBounds) -> str:
    return f"launch_bounds({comma_list(node.args)})"


OPERATIONS: Final[Mapping[type[Node], Callable[[Any], str]]] = {
    o.Wait: _wait,
    o.Trigger: _trigger,
    o.Sync: _sync,
    o.Rotate: _rotate,
    o.Copy: _copy,
    o.AnyFuture: _any,
    o.MapBuffer: _map,
    o.MmaFill: _fill,
    o.MmaLoad: _load,
    o.Mma: _mma,
    o.MmaScale: _scale,
    o.MmaStore: _store,
    o.MmaCommit: _commit,
    o.FragOp: _frag_op,
    o.Print: _print,
    o.Assert: _assert,
    o.Cpp: _cpp,
    o.Asm: _asm,
    o.SetReg: _setreg,
    o.LaunchBounds: _launch_bounds,
}
