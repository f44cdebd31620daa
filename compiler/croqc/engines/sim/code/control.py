"""Conditions, `while`, jumps and masked regions (reference, 4.4, 4.5). Loops over extents stand in `loops`."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

import numpy as np

from croqc.engines.sim.code.compiler import BREAK, CONTINUE, IDLE, LEAVE, RETURN, Code, Compiler, Fn, as_steps
from croqc.engines.sim.code.sync import meet, step
from croqc.engines.sim.code.values import is_uniform
from croqc.engines.sim.errors import SimError, StepLimitError
from croqc.engines.sim.machine.dtypes import Array
from croqc.engines.sim.state import Frame
from croqc.syntax import ast

STEPS_A_ROUND, FEWEST_ROUNDS = 40, 1000
"""Of the step budget one `while` may use a round for so many steps: one that never ends is found in good time."""
NOTHING = Code(lambda frame: None)


def condition_fn(c: Compiler, node: ast.Expr | ast.Call) -> Fn:
    if isinstance(node, ast.Call):
        raise SimError("a call of a device function is not simulated", node.span, unsupported=True)
    return c.expr(node)


def _if(c: Compiler, node: ast.If) -> Code:
    return branch(condition_fn(c, node.cond), c.body(node.then), NOTHING if node.other is None else c.body(node.other))


def branch(test: Fn, then: Code, other: Code) -> Code:
    """Both sides one after the other where threads differ, each for its own threads."""
    if not then.steps and not other.steps:
        return Code(_plain_branch(test, then, other))
    yes, no = as_steps(then), as_steps(other)

    def run(frame: Frame) -> Any:
        condition = test(frame)
        if is_uniform(condition):
            return (yield from (yes if condition else no)(frame))
        saved = frame.mask
        for side, mask in ((yes, condition), (no, ~condition)):
            if _enter(frame, saved, mask):
                yield from side(frame)
        return _leave(frame, saved)

    return Code(run, True)


def _plain_branch(test: Fn, then: Code, other: Code) -> Callable[[Frame], Any]:
    yes, no = then.run, other.run

    def run(frame: Frame) -> Any:
        condition = test(frame)
        if is_uniform(condition):
            return (yes if condition else no)(frame)
        saved = frame.mask
        for side, mask in ((yes, condition), (no, ~condition)):
            if _enter(frame, saved, mask):
                side(frame)
        return _leave(frame, saved)

    return run


def _enter(frame: Frame, saved: Array | None, mask: Array) -> bool:
    frame.mask = frame.active(mask if saved is None else saved & mask)
    return bool(frame.mask is None or frame.mask.any())


def _leave(frame: Frame, saved: Array | None) -> Any:
    frame.mask = frame.active(saved)
    return IDLE if frame.mask is not None and not frame.mask.any() else None


class LoopScope:
    """The active threads of one loop: which entered it, and which a jump has taken out since."""

    __slots__ = ("broken", "continued", "entered", "mask")

    def __init__(self, frame: Frame) -> None:
        self.entered = self.mask = frame.mask
        self.broken, self.continued = frame.broken, frame.continued
        frame.broken = frame.continued = None

    def next(self, frame: Frame, condition: Any = True) -> bool:
        """Begins an iteration for the threads for which the condition holds; False if there are none."""
        frame.continued = None
        mask = frame.active(self.mask)
        if is_uniform(condition):
            frame.mask = mask
            return bool(condition) and (mask is None or bool(mask.any()))
        frame.mask = self.mask = condition if mask is None else mask & condition
        return bool(frame.mask.any())

    def leave(self, frame: Frame, signal: Any) -> Any:
        """Restores what was before the loop; passes on a signal that leaves more than the loop."""
        frame.broken, frame.continued = self.broken, self.continued
        frame.mask = frame.active(self.entered)
        if signal in (LEAVE, RETURN):
            return signal
        return IDLE if frame.mask is not None and not frame.mask.any() else None


def _while(c: Compiler, node: ast.While) -> Code:
    """Steps to the scheduler in every round, so that a loop without end meets a limit: its own, or the budget."""
    test, body, span = c.expr(node.cond), as_steps(c.body(node.body)), node.span

    def run(frame: Frame) -> Generator[Any, None, Any]:
        scope, signal, rounds = LoopScope(frame), None, 0
        allowed = frame.run.budget.limit
        limit = max(allowed // STEPS_A_ROUND, FEWEST_ROUNDS)
        while scope.next(frame) and scope.next(frame, test(frame)):
            rounds += 1
            if rounds > limit:
                message = f"this loop did not end within {limit} rounds, all that a run of {allowed} steps leaves it"
                raise StepLimitError(message, span)
            yield from step(frame, span)
            signal = yield from body(frame)
            if signal in (BREAK, LEAVE, RETURN):
                break
        return scope.leave(frame, signal)

    return Code(run, True)


def _jump(c: Compiler, node: ast.Jump) -> Code:
    signal = {"break": BREAK, "continue": CONTINUE, "yield": LEAVE}[node.word]
    field = {"break": "broken", "continue": "continued", "yield": "left"}[node.word]

    def run(frame: Frame) -> Any:
        if frame.mask is None:
            return signal
        gone = getattr(frame, field)
        setattr(frame, field, frame.mask if gone is None else gone | frame.mask)
        frame.mask = np.zeros_like(frame.mask)
        return IDLE

    return Code(run)


def _inside_region(body: Code) -> Code:
    """The body of a region, whose threads do together what those of a unit do elsewhere."""
    if not body.steps:
        return body
    inner = as_steps(body)

    def run(frame: Frame) -> Any:
        saved, frame.region = frame.region, frame.mask
        signal = yield from inner(frame)
        frame.region = saved
        return signal

    return Code(run, True)


def _inthreads(c: Compiler, node: ast.InThreads) -> Code:
    """A region for some threads; behind an outermost one without `.async` stands a barrier of the block (4.4)."""
    outermost, c.in_region = not c.in_region, True
    region = branch(c.expr(node.cond), _inside_region(c.body(node.body)), NOTHING)
    c.in_region = not outermost
    if node.is_async or not outermost:
        return region
    inner, span = as_steps(region), node.span

    def run(frame: Frame) -> Any:
        signal = yield from inner(frame)
        if signal is None:
            yield from meet(frame, span)
        return signal

    return Code(run, True)


CONTROL: dict[type, Callable[[Compiler, Any], Code]] = {
    ast.If: _if,
    ast.While: _while,
    ast.Jump: _jump,
    ast.InThreads: _inthreads,
}
