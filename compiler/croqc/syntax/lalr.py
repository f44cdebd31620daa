"""A small LALR(1) machine over the grammar's tables. It shifts, reduces and looks ahead; must not know Croqtile.

Lark builds the tables; running them here keeps Lark out of the start-up and lets recovery try repairs on a
copy of the state stack alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from croqc.syntax.tables import CALL, PASS, Tables
from croqc.syntax.tokens import Token
from croqc.text.record import record
from croqc.text.span import Span

END: Final = "$END"
Action = Callable[[Any, Span, list[Any]], Any]  # the builder, the span of the production, its children


class Program:
    """Tables with the actions of their rules. Raises KeyError where a rule names an action that is not there."""

    def __init__(self, tables: Tables, actions: Mapping[str, Action]) -> None:
        self.tables = tables
        self.rules = [
            (
                rule.size,
                rule.origin,
                None if rule.take == tuple(range(rule.size)) else rule.take,  # all of them, as they stand
                actions[rule.action] if rule.mode == CALL else None,
            )
            for rule in tables.rules
        ]
        self.passes = [rule.mode == PASS for rule in tables.rules]
        self.jumps: dict[tuple[int, int, str], int] = {}  # remembered results of `jump`

    def jump(self, below: int, top: int, terminal: str) -> int:
        """The state on top after all productions that only rename their one symbol: a chain of fifteen
        precedence rows above a lone name is one step."""
        actions, gotos = self.tables.actions, self.tables.gotos
        while (action := actions[top].get(terminal, 0)) < 0 and self.passes[~action]:
            top = gotos[below][self.tables.rules[~action].origin]
        return top


@record(eq=False)
class Saved:
    """A moment of a `Machine`; `lists` are the values that are lists, with their lengths."""

    states: list[int]
    values: list[Any]
    lists: list[tuple[list[Any], int]]
    starts: list[int]
    firsts: list[int]
    fed: int
    end: int


class Machine:
    """The stacks of one parse. `values`, `starts` (offsets) and `firsts` (numbers of tokens fed before) run
    beside `states`, one entry shorter."""

    def __init__(self, program: Program, builder: object) -> None:
        self.program = program
        self.tables = tables = program.tables
        self.builder = builder
        self.states: list[int] = [tables.start]
        self.values: list[Any] = []
        self.starts: list[int] = []
        self.firsts: list[int] = []
        self.fed = 0
        self.end = 0  # of the token fed last

    def feed(self, token: Token) -> bool:
        """Reduce as far as the token asks and shift it; False, with some reductions done, if it fits nowhere.

        The end is not shifted: the value of the start symbol stays on top.
        """
        states, terminal = self.states, token.type
        actions, passes, jumps = self.tables.actions, self.program.passes, self.program.jumps
        while True:
            top = states[-1]
            action = actions[top].get(terminal)
            if action is None:
                return terminal == END and top == self.tables.end
            if action >= 0:
                states.append(action)
                self.values.append(token)
                self.starts.append(token.start)
                self.firsts.append(self.fed)
                self.fed += 1
                self.end = token.end
                return True
            if passes[~action]:
                key = states[-2], top, terminal
                jump = jumps.get(key)
                if jump is None:
                    jump = jumps[key] = self.program.jump(*key)
                states[-1] = jump
            else:
                self.reduce(~action, token.start)

    def reduce(self, number: int, at: int) -> None:
        """Apply rule `number`; `at` is where an empty production stands."""
        size, origin, take, call = self.program.rules[number]
        states, gotos = self.states, self.tables.gotos
        values, starts, firsts = self.values, self.starts, self.firsts
        if size == 1:  # every second one: what is on top is exchanged
            children = values[-1:] if take is None else _children(take, values[-1:])
            values[-1] = children if call is None else call(self.builder, Span(starts[-1], self.end), children)
            states[-1] = gotos[states[-2]][origin]
            return
        if size:
            children = values[-size:]
            if take is not None:
                children = _children(take, children)
            start, end, first = starts[-size], self.end, firsts[-size]
            del states[-size:], values[-size:], starts[-size:], firsts[-size:]
        else:
            children, start, end, first = [None] * len(take or ()), at, at, self.fed
        values.append(children if call is None else call(self.builder, Span(start, end), children))
        starts.append(start)
        firsts.append(first)
        states.append(gotos[states[-1]][origin])

    def fits(self, terminal: str) -> bool:
        """Whether `feed` would take a token of this kind."""
        return accepts(self.tables, self.states, [terminal])

    def save(self) -> Saved:
        """What `restore` needs to go on from here, however far the parse has gone by then."""
        lists = [(value, len(value)) for value in self.values if type(value) is list]
        return Saved(self.states[:], self.values[:], lists, self.starts[:], self.firsts[:], self.fed, self.end)

    def restore(self, saved: Saved) -> None:
        """Back to where `save` was called. Lists grow at their end only, so cutting them undoes what came behind."""
        self.states, self.values = saved.states[:], saved.values[:]
        self.starts, self.firsts = saved.starts[:], saved.firsts[:]
        self.fed, self.end = saved.fed, saved.end
        for value, length in saved.lists:
            del value[length:]

    def expected(self) -> set[str]:
        """The terminals that fit next."""
        return {name for name in self.tables.actions[self.states[-1]] if accepts(self.tables, self.states, [name])}

    def pop_to(self, terminal: str) -> int | None:
        """Drop entries until `terminal` can be shifted; how many tokens are left then, None if nothing on the
        stack allows it (then nothing is dropped)."""
        for height in range(len(self.states), 0, -1):
            if self.tables.actions[self.states[height - 1]].get(terminal, -1) >= 0:
                if height <= len(self.firsts):
                    self.fed = self.firsts[height - 1]
                del self.states[height:], self.values[height - 1 :]
                del self.starts[height - 1 :], self.firsts[height - 1 :]
                return self.fed
        return None


def accepts(tables: Tables, states: Sequence[int], terminals: Sequence[str]) -> bool:
    return accepted(tables, states, terminals) == len(terminals)


def accepted(tables: Tables, states: Sequence[int], terminals: Sequence[str]) -> int:
    """How many of the terminals fit, one after another, from the given stack; it is left as it is, and not copied:
    it can be as deep as the text is long."""
    height, above = len(states) - 1, [states[-1]]  # what is left of it, and what lies on that
    for count, terminal in enumerate(terminals):
        while True:
            action = tables.actions[above[-1]].get(terminal)
            if action is None:
                return count + (terminal == END and above[-1] == tables.end)
            if action >= 0:
                above.append(action)
                break
            rule = tables.rules[~action]
            height -= max(rule.size - len(above), 0)
            if rule.size:
                del above[-rule.size :]
            below = above[-1] if above else states[height - 1]
            above.append(tables.gotos[below][rule.origin])
    return len(terminals)


def _children(take: tuple[int, ...], values: list[Any]) -> list[Any]:
    if take and take[0] == -2:  # a repeated part: its own list goes on, so that long lists stay linear
        children: list[Any] = values[0]
        take = take[1:]
    else:
        children = []
    for code in take:
        if code >= 0:
            children.append(values[code])
        elif code == -1:
            children.append(None)
        else:
            children.extend(values[-2 - code])
    return children
