"""What may hold in front of statements, whichever way control took to them: arms, turns of loops, jumps.

A forward analysis: of a loop as many turns are followed as change the state in front of it. Must not know what states
are made of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Generic, NamedTuple, TypeVar

from croqc.pipe import ir
from croqc.pipe.exprs import integer
from croqc.pipe.walk import Body, bodies, with_bodies

State = TypeVar("State")
_REPEATED = (ir.Loop, ir.While, ir.Visit)  # what `break` leaves and `continue` goes on with


class Ends(NamedTuple, Generic[State]):
    """The state behind a list that control ran to its end, and those at jumps out of it."""

    falls: State
    breaks: State
    continues: State


class Dataflow(Generic[State]):
    """`step`: the state behind what a statement does by itself, given the one that follows it in its list, if any.
    `either`: the state where two ways meet. `nowhere`: the state that no run reaches; met with another it is that.
    `entered`: the state in which a role begins; `left`: that behind it, given the one in front of it."""

    def __init__(
        self,
        step: Callable[[ir.Stmt, Body, State], State],
        either: Callable[[State, State], State],
        nowhere: State,
        entered: Callable[[ir.Role, State], State] = lambda role, state: state,
        left: Callable[[State, State], State] = lambda state, front: state,
    ) -> None:
        self._step, self._either, self._nowhere = step, either, nowhere
        self._entered, self._left = entered, left

    def changed(self, body: Body, state: State, change: Callable[[ir.Stmt, Body, State], Body]) -> Body:
        """Every statement replaced by what `change` gives for it, the one that follows and the state in front of it;
        inner ones first."""
        found: list[ir.Stmt] = []
        for stmt, following, front in self._listed(body, state):
            inner = partial(self.changed, state=self._inside(stmt, following, front), change=change)
            found += change(with_bodies(stmt, inner), following, front)
        return tuple(found)

    def fronts(self, body: Body, state: State) -> Iterator[tuple[ir.Stmt, State]]:
        """Every statement in and under a list, with the state in front of it."""
        for stmt, following, front in self._listed(body, state):
            yield stmt, front
            for part in bodies(stmt):
                yield from self.fronts(part, self._inside(stmt, following, front))

    def _listed(self, body: Body, state: State) -> Iterator[tuple[ir.Stmt, Body, State]]:
        for number, stmt in enumerate(body):
            following = body[number + 1 : number + 2]
            yield stmt, following, state
            state = self._behind(stmt, following, state).falls

    def _inside(self, stmt: ir.Stmt, following: Body, state: State) -> State:
        """The state where the lists inside a statement begin, in any turn."""
        state = self._step(stmt, following, state)
        if isinstance(stmt, ir.Role):
            return self._entered(stmt, state)
        if not isinstance(stmt, _REPEATED):
            return state
        while True:
            turn = self._ends(stmt.body, state)
            front = self._either(state, self._either(turn.falls, turn.continues))
            if front == state:
                return front
            state = front

    def _ends(self, body: Body, state: State) -> Ends[State]:
        breaks = continues = self._nowhere
        for number, stmt in enumerate(body):
            behind = self._behind(stmt, body[number + 1 : number + 2], state)
            state = behind.falls
            breaks, continues = self._either(breaks, behind.breaks), self._either(continues, behind.continues)
        return Ends(state, breaks, continues)

    def _behind(self, stmt: ir.Stmt, following: Body, state: State) -> Ends[State]:
        nowhere = self._nowhere
        if isinstance(stmt, ir.Jump):
            at = {"break": (state, nowhere), "continue": (nowhere, state)}
            return Ends(nowhere, *at.get(stmt.word, (nowhere, nowhere)))
        if isinstance(stmt, _REPEATED):
            front = self._inside(stmt, following, state)
            turn = self._ends(stmt.body, front)
            last = self._either(turn.falls, turn.continues) if _has_turns(stmt) else front
            return Ends(self._either(last, turn.breaks), nowhere, nowhere)
        state = self._step(stmt, following, state)
        match stmt:
            case ir.If(then=then, other=other):
                return self._meet(self._ends(then, state), self._ends(other, state))
            case ir.Role(body=body):  # other paths pass it by
                ends = self._ends(body, self._entered(stmt, state))
                through = Ends(*(self._left(end, state) for end in ends))
                return self._meet(through, Ends(state, nowhere, nowhere))
            case ir.Scope(body=body) | ir.Probe(body=body):
                return self._ends(body, state)
        return Ends(state, nowhere, nowhere)

    def _meet(self, one: Ends[State], other: Ends[State]) -> Ends[State]:
        return Ends(*(self._either(a, b) for a, b in zip(one, other, strict=True)))


def _has_turns(stmt: ir.Stmt) -> bool:
    """Whether a loop certainly has a turn: no way leads past its body."""
    if not isinstance(stmt, ir.Loop):
        return False
    start, stop = integer(stmt.start), integer(stmt.stop)
    return start is not None and stop is not None and start < stop
