"""Steps on futures: wait, `swap`, `rotate`. What is waited for comes of other steps."""

from __future__ import annotations

from croqc.flow.ops_multiplies import end_up_to
from croqc.flow.program import Loop, Op
from croqc.flow.state import PathState, Place
from croqc.flow.steps import Step, Walk
from croqc.text.span import Span


def wait_handle(machine: Walk, path: PathState, op: Op, handle: int) -> None:
    """Waiting for what a handle holds; a synchronous copy is complete."""
    transfer = path.handles.get(handle)
    if transfer is None:
        machine.fault("empty-handle", path.at(op), handle=handle)
    elif transfer.asynchronous:
        if transfer.done or transfer.bound is not None:
            place = Place(path.number, transfer.op, transfer.env)
            machine.fault("twice", path.at(op), place, handle=handle, bound=transfer.bound is not None)
        if transfer.multiply:
            end_up_to(machine, path, transfer)
        elif transfer.bound is None:
            machine.accesses.end(path, transfer.accesses)
        transfer.done = True


class WaitFuture(Step):
    __slots__ = ("handle",)
    WORD = "wait-future"

    def __init__(self, span: Span, handle: int, loops: tuple[Loop, ...]) -> None:
        super().__init__(span, loops)
        self.handle = handle

    def step(self, machine: Walk, path: PathState) -> bool:
        wait_handle(machine, path, self, self.handle)
        path.touched = True
        machine.note(path, self)
        path.pc += 1
        return True


def home(machine: Walk, path: PathState, handle: int) -> tuple[int, ...]:
    """The slots of the buffer that a handle keeps, whatever it holds; empty where no exchange names it."""
    return path.homes.get(handle) or machine.program.homes.get(handle, ())


class Rotate(Step):
    """`swap` and `rotate`: each handle gets what the next one held, with its buffer. Without a second name: an empty
    placeholder, which keeps its buffer."""

    __slots__ = ("handles", "word")
    WORD = "swap"

    def __init__(self, span: Span, handles: tuple[int, ...], loops: tuple[Loop, ...], word: str = WORD) -> None:
        super().__init__(span, loops)
        self.handles = handles
        self.word = word

    def step(self, machine: Walk, path: PathState) -> bool:
        if len(self.handles) == 1:
            path.handles[self.handles[0]] = None
        else:
            held = [path.handles.get(handle) for handle in self.handles]
            homes = [home(machine, path, handle) for handle in self.handles]
            for handle, transfer in zip(self.handles, [*held[1:], held[0]], strict=True):
                path.handles[handle] = transfer
            path.homes.update(zip(self.handles, [*homes[1:], homes[0]], strict=True))
            path.stamp += 1
            machine.note(path, self, self.word)
        path.pc += 1
        return True
