"""Which buffer a future's name stands for, turn by turn, under `swap`, `rotate` and `select`. Must not analyse.

Plays the names through the run that the analysis recorded; for hovers (credit-flow, sections 4 and 7).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from croqc.flow.report import KernelFlow, Step
from croqc.sema.model import Model, Symbol
from croqc.syntax import ast
from croqc.syntax.visit import walk
from croqc.text.span import Span


@dataclass(frozen=True, slots=True)
class FutureRow:
    """One iteration: the buffer that a copy filled, the one that was waited for, and the one named at its end.

    Buffers are numbered in the order in which the run first fills them.
    """

    iteration: tuple[tuple[str, int], ...]
    filled: int | None
    waited: int | None
    names: int | None


def future_rows(flow: KernelFlow, model: Model, future: Symbol, limit: int) -> tuple[FutureRow, ...]:
    """The first iterations in which something happens to the name; rows outside the loops have no iteration."""
    names = _Names(flow, model)
    rows: list[FutureRow] = []
    for step, about in names.steps():
        if future not in about:
            continue
        if not rows or rows[-1].iteration != step.iteration:
            if len(rows) == limit:
                break
            rows.append(FutureRow(step.iteration, None, None, None))
        row = rows[-1]
        now = names.held.get(future)
        if step.op == "copy":
            row = replace(row, filled=now)
        elif step.op == "wait-future":
            row = replace(row, waited=now)
        rows[-1] = replace(row, names=now)
    return tuple(rows)


class _Names:
    """What each future's name stands for while the run goes on."""

    def __init__(self, flow: KernelFlow, model: Model) -> None:
        self.flow = flow
        self.held: dict[Symbol, int] = {}
        self.numbers: dict[tuple[str, int | None], int] = {}
        self.about: Mapping[Span, tuple[Symbol, ...]] = dict(_places(flow, model))

    def steps(self) -> Iterator[tuple[Step, tuple[Symbol, ...]]]:
        """Each step on futures with the futures that its statement names, after it has acted."""
        for step in self.flow.steps:
            about = self.about.get(step.span, ())
            if (step.op == "copy" and about) or (step.op == "select" and about):
                self.held[about[0]] = self._number(step)
            elif step.op == "swap":
                before = [self.held.get(symbol) for symbol in about]
                for symbol, moved in zip(about, [*before[1:], *before[:1]], strict=True):
                    if moved is None:
                        self.held.pop(symbol, None)
                    else:
                        self.held[symbol] = moved
            elif step.op != "wait-future":
                continue
            yield step, about

    def _number(self, step: Step) -> int:
        """An array of buffers is as many buffers (reference, 3.3)."""
        return self.numbers.setdefault((step.buffer, step.slot), len(self.numbers))


def _places(flow: KernelFlow, model: Model) -> Iterator[tuple[Span, tuple[Symbol, ...]]]:
    for node in walk(flow.kernel.node):
        match node:
            case ast.Copy(target=ast.Name() as target):
                yield node.span, _symbols(model, [target])
            case ast.AssignPart(target=ast.Name() as target):
                yield node.span, _symbols(model, [target])
            case ast.Rotate(names=names):
                yield node.span, _symbols(model, names)
            case ast.Wait(refs=refs):
                for ref in refs:
                    yield ref.span, _symbols(model, [one for one in walk(ref) if isinstance(one, ast.Name)][:1])


def _symbols(model: Model, names: Iterable[ast.Name]) -> tuple[Symbol, ...]:
    return tuple(symbol for name in names if (symbol := model.uses.get(name)) is not None)
