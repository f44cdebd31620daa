"""Return, print, assert and C++ islands (reference, 2.4.14, 2.4.15, 4.6)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from croqc.engines.sim.code.compiler import RETURN, Code, Compiler
from croqc.engines.sim.code.sync import step
from croqc.engines.sim.code.values import Value, is_uniform
from croqc.engines.sim.errors import SimError
from croqc.engines.sim.machine.memory import Buffer
from croqc.engines.sim.state import Frame, FutureState
from croqc.sema.register_hint import register_hint
from croqc.sema.types import Bounded
from croqc.syntax import ast

_GROUP_WAITS = ("wgmma.wait_group", "warpgroup_wait<0>")


def _return(c: Compiler, node: ast.Return) -> Code:
    value = None if node.value is None else c.expr(node.value)

    def run(frame: Frame) -> int:
        found = None if value is None else value(frame)
        if isinstance(found, FutureState) and found.view is not None:
            found = found.view.buffer
        frame.run.result = found.values() if isinstance(found, Buffer) else found
        return RETURN

    return Code(run)


def _print(c: Compiler, node: ast.Print) -> Code:
    if node.static:
        return Code(lambda frame: None)
    parts = [(c.expr(arg), isinstance(c.model.types.get(arg), Bounded)) for arg in node.args]
    end = "\n" if node.word == "println" else ""

    def run(frame: Frame) -> None:
        values = [(value(frame), bounded) for value, bounded in parts]
        lanes = range(frame.lanes or 1) if frame.mask is None else np.flatnonzero(frame.mask)
        lines = ["".join(_text(value, bounded, int(lane)) for value, bounded in values) + end for lane in lanes]
        frame.run.prints.extend(lines)

    return Code(run)


def _text(value: Value, bounded: bool, lane: int) -> str:
    if isinstance(value, tuple):
        return "{" + ", ".join(_text(item, False, lane) for item in value) + "}"
    if isinstance(value, str):
        return value
    if not is_uniform(value):
        value = value[lane]
    if isinstance(value, bool | np.bool_):
        return str(bool(value)).lower()
    if isinstance(value, int | np.integer):
        return f"{{{int(value)}}}" if bounded else str(int(value))
    return f"{float(value):f}"


def _assert(c: Compiler, node: ast.Assert) -> Code:
    condition, text, span = c.expr(node.cond), node.message.value, node.span

    def run(frame: Frame) -> None:
        holds = condition(frame)
        failed = not holds if is_uniform(holds) else bool((~holds if frame.mask is None else ~holds & frame.mask).any())
        if failed and (frame.mask is None or frame.mask.any()):
            raise SimError(f"assertion failed: {text}", span)

    return Code(run)


def _cpp(c: Compiler, node: ast.Cpp) -> Code:
    """Register hints do nothing here; an island that waits for the group counts as `mma.commit`."""
    text, span = node.text.value, node.span
    if register_hint(text) is not None:
        return Code(lambda frame: None)
    if any(word in text for word in _GROUP_WAITS):

        def run(frame: Frame) -> Any:
            yield from step(frame, span)
            if frame.block is not None:
                frame.block.scheduler.drain(frame.path)

        return Code(run, True)
    raise SimError("C++ is not simulated", span, unsupported=True)


def _asm(c: Compiler, node: ast.Asm) -> Code:
    raise SimError("inline assembly is not simulated", node.span, unsupported=True)


def _nothing(c: Compiler, node: ast.SetReg | ast.LaunchBounds) -> Code:
    return Code(lambda frame: None)


OUTPUT: dict[type, Callable[[Compiler, Any], Code]] = {
    ast.Return: _return,
    ast.Print: _print,
    ast.Assert: _assert,
    ast.Cpp: _cpp,
    ast.Asm: _asm,
    ast.SetReg: _nothing,
    ast.LaunchBounds: _nothing,
}
