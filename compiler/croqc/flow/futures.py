"""Which buffer a future's name stands for, turn by turn, under `swap`, `rotate` and `select`. Must not analyse.

Plays the names through the run that the analysis recorded; for hovers (credit-flow, sections 4 and 7).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from croqc.flow.report import KernelFlow, Step
from croqc.sema.model import Model, Symbol, SymbolKind
from croqc.syntax import ast
from croqc.syntax.visit import walk
from croqc.text.span import Span

_OUT = "global memory"


@dataclass(frozen=True, slots=True)
class FutureRow:
    """One iteration: what a copy filled, what was waited for, and what is named at its end; empty for nothing.

    A declared buffer stands by its name and slot, "ring[2]"; those that copies make for themselves are numbered in the
    order in which the run first fills them, "buffer 0".
    """

    iteration: tuple[tuple[str, int], ...]
    filled: str = ""
    waited: str = ""
    names: str = ""


@dataclass(frozen=True, slots=True)
class FutureTable:
    """The first iterations in which something happens to a name on `paths`, which all do the same with it; rows outside
    the loops have no iteration."""

    paths: tuple[str, ...]
    rows: tuple[FutureRow, ...]


def future_tables(flow: KernelFlow, model: Model, future: Symbol, limit: int) -> tuple[FutureTable, ...]:
    """What the name stands for, path by path: each has a future of its own. At most `limit` rows of each."""
    names = _Names(flow, model)
    found: dict[str, list[FutureRow]] = {}
    for step, about in names.steps():
        if future not in about:
            continue
        rows = found.setdefault(step.path, [])
        if not rows or rows[-1].iteration != step.iteration:
            rows.append(FutureRow(step.iteration))
        row = rows[-1]
        now = names.held.get((step.path, future), "")
        if step.op == "copy":
            row = replace(row, filled=now)
        elif step.op == "wait-future":
            row = replace(row, waited=now)
        rows[-1] = replace(row, names="" if now == _OUT else now)
    paths: dict[tuple[FutureRow, ...], list[str]] = {}
    for path, rows in found.items():
        paths.setdefault(tuple(rows[:limit]), []).append(path)
    return tuple(FutureTable(tuple(own), same) for same, own in paths.items())


class _Names:
    """What each future's name stands for while the run goes on, on each path."""

    def __init__(self, flow: KernelFlow, model: Model) -> None:
        self.flow = flow
        self.held: dict[tuple[str, Symbol], str] = {}
        self.numbers: dict[str, int] = {}
        self.made = {one.name for one in flow.buffers if one.symbol.kind is SymbolKind.ANONYMOUS}
        self.about: Mapping[Span, tuple[Symbol, ...]] = dict(_places(flow, model))

    def steps(self) -> Iterator[tuple[Step, tuple[Symbol, ...]]]:
        """Each step on futures with the futures that its statement names, after it has acted."""
        for step in self.flow.steps:
            about = self.about.get(step.span, ())
            if step.op in ("copy", "select") and about:
                self.held[step.path, about[0]] = self._buffer(step)
            elif step.op in ("swap", "rotate"):
                before = [self.held.get((step.path, symbol)) for symbol in about]
                for symbol, moved in zip(about, [*before[1:], *before[:1]], strict=True):
                    if moved is None:
                        self.held.pop((step.path, symbol), None)
                    else:
                        self.held[step.path, symbol] = moved
            elif step.op != "wait-future":
                continue
            yield step, about

    def _buffer(self, step: Step) -> str:
        if step.leaves:
            return _OUT
        if step.buffer in self.made or not step.buffer:
            return f"buffer {self.numbers.setdefault(step.buffer, len(self.numbers))}"
        return step.buffer + step.subscripts


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
