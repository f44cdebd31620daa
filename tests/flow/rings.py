"""Runs written by hand as the analysis reports them: the seed's ring, and a kernel without one. Must not assert.

`ring` plays one producer and some consumers of a ring in turns; nothing of `flow` but its data is used.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from croqc.flow.paths import kernel_paths
from croqc.flow.report import BufferFacts, EventFacts, FlowFinding, KernelFlow, Step, Strength
from croqc.sema.model import Model, SymbolKind
from croqc.text.record import replace
from croqc.text.span import Span

BYTES = 16384


@dataclass
class Play:
    """The run under way: what each event slot has, and what each path still has to do."""

    counts: dict[str, int]
    steps: list[Step] = field(default_factory=list)
    edges: list[tuple[int, int]] = field(default_factory=list)
    arrived: dict[tuple[str, int], list[int]] = field(default_factory=dict)
    made: dict[tuple[str, int], list[list[int]]] = field(default_factory=dict)
    waited: dict[tuple[str, str, int], int] = field(default_factory=dict)
    outstanding: dict[tuple[str, int], int] = field(default_factory=dict)

    def add(self, step: Step) -> int:
        self.steps.append(replace(step, t=len(self.steps)))
        return len(self.steps) - 1

    def trigger(self, step: Step, extra: int = 0) -> None:
        assert step.slot is not None
        key = (step.event, step.slot)
        made = self.made.setdefault(key, [])
        arrived = self.arrived.setdefault(key, [])
        self.outstanding[key] = self.outstanding.get(key, 0) + extra
        left = self.counts[step.event] - len(arrived) - 1
        arrived.append(self.add(replace(step, generation=len(made), pending=left, bytes=self.outstanding[key])))
        self.settle(key)

    def land(self, step: Step, size: int) -> None:
        key = (step.event, step.slot or 0)
        self.outstanding[key] -= size
        self.arrived[key].append(self.add(replace(step, bytes=self.outstanding[key])))
        self.settle(key)

    def settle(self, key: tuple[str, int]) -> None:
        arrivals = [at for at in self.arrived[key] if self.steps[at].op != "land"]
        if len(arrivals) == self.counts[key[0]] and not self.outstanding[key]:
            self.made[key].append(self.arrived.pop(key))
            self.arrived[key] = []

    def wait(self, step: Step) -> bool:
        assert step.slot is not None
        key = (step.path, step.event, step.slot)
        turn = self.waited.get(key, 0)
        made = self.made.get((step.event, step.slot), [])
        if turn >= len(made):
            return False
        at = self.add(replace(step, generation=turn, parity=turn & 1))
        self.edges += [(source, at) for source in made[turn]]
        self.waited[key] = turn + 1
        return True


def ring(model: Model, stages: int, turns: int, bootstrap: bool = True) -> KernelFlow:
    """The course's: `wait empty; copy, copy; trigger full` against `wait full; multiply; commit; trigger empty`."""
    kernel = model.kernels[0]
    paths = kernel_paths(model, kernel)
    producer, *consumers = [path.name for path in paths]
    play = Play({"full": 1, "empty": len(consumers)})
    programs = {producer: _producer(producer, stages, turns)}
    programs |= {name: _consumer(name, stages, turns, bootstrap) for name in consumers}
    stuck = _run(play, programs)
    sides = {"full": ([producer], consumers), "empty": (consumers, [producer])}
    events = tuple(
        EventFacts(
            *(symbol.name, symbol, stages, (play.counts[symbol.name],) * stages, False, symbol.name_span),
            (Span(1, 2),) if bootstrap and symbol.name == "empty" else (),
            tuple((name, Span(3, 4)) for name in sides[symbol.name][0]),
            tuple((name, Span(5, 6)) for name in sides[symbol.name][1]),
            shape=(stages,),
        )
        for symbol in model.symbols
        if symbol.kind is SymbolKind.EVENT
    )
    buffers = tuple(
        BufferFacts(info.symbol.name, info.symbol, info.slots, info.slot_bytes, info.symbol.name_span)
        for info in model.buffers
        if info.slots > 1 and info.symbol.kind is SymbolKind.BUFFER
    )
    steps, edges = tuple(play.steps), tuple(play.edges)
    sizes = {"K": 128 * turns}
    finding = FlowFinding("credit-deadlock", stuck[0].span, sizes=sizes, steps=steps + tuple(stuck)) if stuck else None
    strength = Strength.FAILS if finding else Strength.PROVED
    findings = (finding,) if finding else ()
    return KernelFlow(
        kernel, strength, "", "", None, paths, events, buffers, findings, () if finding else steps, edges, sizes
    )


def _run(play: Play, programs: dict[str, list[Step]]) -> list[Step]:
    """Each path in turn, one step a turn, until all are done or none can go on; the waits that they then stand at."""
    at = dict.fromkeys(programs, 0)
    moved = True
    while moved:
        moved = False
        for name, program in programs.items():
            if at[name] == len(program):
                continue
            step = program[at[name]]
            if step.op == "wait" and not play.wait(step):
                continue
            _act(play, step)
            at[name] += 1
            moved = True
    rest = [programs[name][place] for name, place in at.items() if place < len(programs[name])]
    return [replace(step, t=len(play.steps) + n, generation=0, parity=0) for n, step in enumerate(rest)]


def _act(play: Play, step: Step) -> None:
    if step.op in ("trigger", "bootstrap"):
        play.trigger(step, step.bytes or 0)
    elif step.op == "land":
        play.land(step, BYTES)
    elif step.op != "wait":
        play.add(step)


def _producer(name: str, stages: int, turns: int) -> list[Step]:
    program = []
    for turn in range(turns):
        slot, where = turn % stages, (("iv_k", turn),)
        here = Step(0, name, "", Span(0, 0), where, slot=slot, shape=(stages,))
        program += [
            replace(here, op="wait", event="empty"),
            replace(here, op="copy", buffer="lhs_load_s", bytes=BYTES, fills=(("lhs_load_s", slot),)),
            replace(here, op="copy", buffer="rhs_load_s", bytes=BYTES, fills=(("rhs_load_s", slot),)),
            replace(here, op="trigger", event="full", bytes=2 * BYTES),
            replace(here, op="land", event="full", buffer="lhs_load_s"),
            replace(here, op="land", event="full", buffer="rhs_load_s"),
        ]
    return program


def _consumer(name: str, stages: int, turns: int, bootstrap: bool) -> list[Step]:
    start = Step(0, name, "bootstrap", Span(0, 0), event="empty", shape=(stages,))
    program = [replace(start, slot=slot, iteration=(("s", slot),)) for slot in range(stages)] if bootstrap else []
    for turn in range(turns):
        slot, where = turn % stages, (("iv_k", turn),)
        here = Step(0, name, "", Span(0, 0), where, slot=slot, shape=(stages,))
        program += [
            replace(here, op="wait", event="full"),
            replace(here, op="multiply", buffer="lhs_load_s", reads=(("lhs_load_s", slot),)),
            replace(here, op="commit", slot=None),
            replace(here, op="trigger", event="empty"),
        ]
    return program


def placed(flow: KernelFlow, text: str) -> KernelFlow:
    """The same with the places of the course kernel's statements in the steps (relative to the function)."""

    def span(step: Step) -> Span:
        words = {"wait": f"wait {step.event}[stage];", "bootstrap": "trigger empty[s];", "commit": "mma.commit;"}
        words |= {"trigger": f"trigger {step.event}[stage];", "multiply": "mma.row.row mc, ma, mb;"}
        copies = "dma.copy lhs.sub" if step.buffer == "lhs_load_s" else "dma.copy rhs.chunk"
        word = words.get(step.op, copies)
        at = text.index(word)
        return Span(at, at + len(word))

    def moved(steps: Sequence[Step]) -> tuple[Step, ...]:
        return tuple(replace(step, span=span(step)) for step in steps)

    def site(op: str, event: str) -> Span:
        return span(Step(0, "", op, Span(0, 0), event=event))

    def sited(event: EventFacts) -> EventFacts:
        triggers = tuple((path, site("trigger", event.name)) for path, _ in event.triggered_by)
        waits = tuple((path, site("wait", event.name)) for path, _ in event.waited_by)
        start = tuple(site("bootstrap", event.name) for _ in event.granted_by)
        triggers += tuple((path, one) for one in start for path, _ in event.triggered_by)
        return replace(event, granted_by=start, triggered_by=triggers, waited_by=waits)

    findings = tuple(replace(item, steps=moved(item.steps), span=span(item.steps[-2])) for item in flow.findings)
    return replace(flow, steps=moved(flow.steps), findings=findings, events=tuple(map(sited, flow.events)))
