"""`select` among futures: a name for the transfer that one of several holds (reference, 5.4). Must not wait or copy."""

from __future__ import annotations

from collections.abc import Sequence

from croqc.flow.exprs import DATA, VARIES, Expr, UndecidedError, closure
from croqc.flow.ops_data import Copy
from croqc.flow.program import ForeignError, Loop
from croqc.flow.state import PathState
from croqc.flow.steps import Step, Walk
from croqc.text.span import Span


class Take(Step):
    """`handle` is given what one of `handles` holds: the same transfer, so that a wait for either is a wait for both.

    Whoever is not taken counts as waited for from then on, since some other turn may take it.
    """

    __slots__ = ("choice", "handle", "handles", "value")
    WORD = "select"

    def __init__(self, span: Span, handle: int, handles: Sequence[int], choice: Expr, loops: tuple[Loop, ...]) -> None:
        super().__init__(span, loops)
        self.handle = handle
        self.handles = tuple(handles)
        self.choice = choice
        self.value = closure(choice)

    def exprs(self) -> Sequence[Expr]:
        return (self.choice,)

    def step(self, machine: Walk, path: PathState) -> bool:
        held = [path.handles.get(handle) for handle in self.handles]
        taken = held[self._number(path)]
        path.handles[self.handle] = taken
        others = {id(each) for each in held if each is not None and each is not taken}
        path.flying = [each for each in path.flying if id(each) not in others]
        if machine.record is not None and taken is not None and isinstance(taken.op, Copy):
            machine.note(path, self, operand=taken.op.dest.operand, slots=taken.slots)
        path.pc += 1
        return True

    def _number(self, path: PathState) -> int:
        try:
            number = self.value(path.env)
        except UndecidedError as undecided:
            number = VARIES if undecided.threads else DATA
        if number is DATA:
            raise ForeignError(self.span, "which transfer 'select' takes depends on data")
        if number is VARIES:
            raise ForeignError(self.span, "which transfer 'select' takes differs between threads of one path")
        if not 0 <= number < len(self.handles):
            raise ForeignError(self.span, "the index of 'select' is outside its values")
        return int(number)
