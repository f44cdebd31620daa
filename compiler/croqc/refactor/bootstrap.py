"""Credits at start: bootstrap triggers become `= ready` on the declaration, and back (reference, 7.2; credit-flow, 2).

    shared event full[4], empty[4];
    parallel w by 2 : group-4 {
      inthreads.async (w == 0) {
        foreach {k} in [cdiv(K, 64)] { wait empty[k % 4]; trigger full[k % 4]; }
      }
      inthreads.async (w == 1) {
        foreach {s} in [4] {
          trigger empty[s];
        }
        foreach {k} in [cdiv(K, 64)] { wait full[k % 4]; trigger empty[k % 4]; }
      }
    }

becomes, if every path that gives the event back grants one credit a slot, once,

    shared event full[4], empty[4] = ready;
    parallel w by 2 : group-4 {
      inthreads.async (w == 0) {
        foreach {k} in [cdiv(K, 64)] { wait empty[k % 4]; trigger full[k % 4]; }
      }
      inthreads.async (w == 1) {
        foreach {k} in [cdiv(K, 64)] { wait full[k % 4]; trigger empty[k % 4]; }
      }
    }

In a tile loop the bootstrap stands under `if (ti == 0)`. Must not move any other statement.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import prod

from croqc.flow.arrivals import Arrivals, slot_arrivals
from croqc.flow.paths import enters, kernel_paths
from croqc.refactor.base import Code, Outcome, Refusal, subscript
from croqc.sema.masks import atoms_of
from croqc.sema.model import Kernel, Model, Symbol
from croqc.sema.types import Bounded, BoundedTuple, Event
from croqc.syntax import ast
from croqc.text.edits import Edit
from croqc.text.span import Span

TITLE = "Declare '{}' as ready"
TITLE_BACK = "Start '{}' in its regions"
_MOST_ROUNDS = 4096  # of a bootstrap loop
_WORK = (ast.Wait, ast.Copy, ast.Mma, ast.MmaLoad, ast.MmaStore, ast.CallStmt)


def bootstraps(code: Code, event: Symbol) -> Iterator[ast.Trigger]:
    """Triggers of the event in front of every wait and access of their region."""
    for stmt, _ in code.refs(event):
        if isinstance(stmt, ast.Trigger) and not stmt.after and _starts(code, stmt):
            yield stmt


def sites(code: Code) -> Iterator[Symbol]:
    """Events with a bootstrap that are not declared ready."""
    for event in code.events:
        assert isinstance(event.type, Event)
        if not event.type.ready and any(bootstraps(code, event)) and _waited(code, event):
            yield event


def applies(code: Code, event: Symbol) -> bool:
    return event in set(sites(code)) and not isinstance(edits(code, event), Refusal)


def edits(code: Code, event: Symbol) -> Outcome:
    """The bootstrap of an event becomes `= ready`."""
    problem = _uneven(code, event)
    if problem is not None:
        return problem
    made: dict[ast.Node, Edit] = {}
    granted: dict[ast.InThreads, list[int]] = {}
    for trigger in dict.fromkeys(bootstraps(code, event)):
        if any(code.event_of(ref) is not event for ref in trigger.refs):
            return Refusal("the trigger starts several events at once", trigger.span)
        start = _whole(code, trigger, event)
        if isinstance(start, Refusal):
            return start
        slots = granted.setdefault(_region(code, trigger), [])
        slots += start.slots
        twice = next((slot for slot in slots if slots.count(slot) > 1), None)
        if twice is not None:
            return Refusal(f"{_slot(event, twice)} is started more than once in one region", trigger.span)
        made[start.node] = code.removal(start.node)
    assert isinstance(event.type, Event) and isinstance(event.decl, ast.EventName)
    for region, slots in granted.items():
        missing = set(range(prod(event.type.array))) - set(slots)
        if missing:
            return Refusal(f"{_slot(event, min(missing))} is not started in the region", region.span)
    end = event.decl.span.end
    return (Edit(Span(end, end), " = ready"), *made.values())


def _slot(event: Symbol, slot: int) -> str:
    assert isinstance(event.type, Event)
    return f"'{event.name}[{slot}]'" if event.type.array else f"'{event.name}'"


def _starts(code: Code, stmt: ast.Trigger) -> bool:
    """Whether no wait and no access stands in front of the trigger in its region."""
    regions = code.around[stmt].regions
    return bool(regions) and stmt in _in_front(code)[regions[-1]]


@lru_cache(maxsize=4)
def _in_front(code: Code) -> dict[ast.Node, set[ast.Node]]:
    """Of each node that encloses statements: those in front of its first wait or access, in source order."""
    found: defaultdict[ast.Node, set[ast.Node]] = defaultdict(set)
    worked: set[ast.Node] = set()
    for stmt, around in code.around.items():
        for outer in around.chain:
            if outer not in worked:
                found[outer].add(stmt)
        if isinstance(stmt, _WORK):
            worked |= set(around.chain)
    return found


def _region(code: Code, stmt: ast.Node) -> ast.InThreads:
    return code.around[stmt].regions[-1]


def _waited(code: Code, event: Symbol) -> bool:
    return any(isinstance(stmt, ast.Wait) for stmt, _ in code.refs(event))


def facts_of(code: Code, event: Symbol) -> tuple[Kernel, list[Arrivals]] | None:
    """The event's kernel and the arrivals of its slots."""
    return _facts(code.model).get(event)


@lru_cache(maxsize=4)
def _facts(model: Model) -> dict[Symbol, tuple[Kernel, list[Arrivals]]]:
    """Counted once a model, not once an event."""
    found: dict[Symbol, tuple[Kernel, list[Arrivals]]] = {}
    for kernel in model.kernels:
        for (event, _), arrivals in slot_arrivals(model, kernel_paths(model, kernel)).items():
            found.setdefault(event, (kernel, []))[1].append(arrivals)
    return found


def _uneven(code: Code, event: Symbol) -> Refusal | None:
    """The paths that start a slot must be those that complete its generations later on."""
    found = facts_of(code, event)
    name = event.name
    if found is None:
        return Refusal(f"the paths of '{name}' are not known", event.name_span)
    for arrivals in found[1]:
        if not arrivals.steady:
            return Refusal(f"no path gives '{name}' back later on", event.name_span)
        if arrivals.steady - arrivals.bootstrap:
            return Refusal(f"not every path that gives '{name}' back starts all its slots", event.name_span)
        if arrivals.bootstrap - arrivals.steady:
            return Refusal(f"a path starts '{name}' that does not give the same slots back", event.name_span)
        if arrivals.count != arrivals.computed:
            reason = f"'{name}' is declared with {arrivals.count} arrivals, but {arrivals.computed} complete it"
            return Refusal(reason, event.name_span)
    return None


@dataclass(frozen=True, eq=False)
class _Start:
    """A statement that gives credits at start, with its loop and its guard, and the slots that it gives one to."""

    node: ast.Node
    slots: tuple[int, ...]


def _whole(code: Code, trigger: ast.Trigger, event: Symbol) -> _Start | Refusal:
    """The statement to remove for a trigger, and the slots that it starts."""
    region = _region(code, trigger)
    chain = list(code.around[trigger].chain)
    outer = chain[: chain.index(region)]
    inner = chain[chain.index(region) + 1 :]
    whole: ast.Node = trigger
    around = inner[-1] if inner else None
    loop = around if isinstance(around, ast.Foreach) else None
    if loop is not None:
        if loop.body.stmts != (trigger,):
            return Refusal(f"the loop that starts '{event.name}' does something else, too", loop.span)
        whole = inner.pop()
    slots = _slots(code, trigger, loop, event)
    if isinstance(slots, Refusal):
        return slots
    guarded = _loops_below(code, outer, event)
    for guard in reversed(inner):
        if isinstance(guard, ast.With):  # it names an index and repeats nothing
            whole = guard if guard.body.stmts == (whole,) else whole
            continue
        indices = _first_rounds(code, guard)
        if not indices or not set(indices) <= set(guarded):
            return Refusal("the start stands under a condition or a loop of its own", guard.span)
        if not _alone(guard, whole):
            return Refusal("the condition around the start holds something else, too", guard.span)
        guarded = [index for index in guarded if index not in indices]
        whole = guard
    if guarded:
        return Refusal(f"'{event.name}' is started again in every round of an outer loop", trigger.span)
    return _Start(whole, slots)


def _slots(code: Code, trigger: ast.Trigger, loop: ast.Foreach | None, event: Symbol) -> tuple[int, ...] | Refusal:
    """The slots that a trigger starts, in all rounds of its loop: `foreach {s} in [N] { trigger e[s]; }`."""
    assert isinstance(event.type, Event)
    if len(event.type.array) > 1:
        return Refusal(f"'{event.name}' has more than one dimension", trigger.span)
    index = None if loop is None else _index(code, loop)
    rounds = 1 if loop is None else _bound(index)
    if rounds is None or rounds > _MOST_ROUNDS:
        assert loop is not None
        return Refusal(f"the loop that starts '{event.name}' is not a plain one over its slots", loop.span)
    slots: list[int] = []
    for ref in trigger.refs:
        for turn in range(rounds):
            slot = 0 if not event.type.array else _at(code, subscript(ref), index, turn)
            if slot is None:
                return Refusal(f"which slot of '{event.name}' is started does not follow from a loop's index", ref.span)
            slots.append(slot)
    return tuple(slots)


def _at(code: Code, arg: ast.Expr | None, index: Symbol | None, turn: int) -> int | None:
    """A subscript in one round of the loop over `index`."""
    if isinstance(arg, ast.Name) and index is not None and code.model.uses.get(arg) is index:
        return turn  # also where the index is a tuple of one, which has no value: `foreach s in [N]`
    value = code.model.values.get(arg) if arg is not None else None
    atom = atoms_of(code.model).get(index) if index is not None else None
    return value.evaluate({atom: turn} if atom is not None else {}) if value is not None else None


def _index(code: Code, loop: ast.Foreach) -> Symbol | None:
    """The one index of a loop that takes all its values."""
    if len(loop.bindings) == 1 and len(loop.bindings[0].names) == 1:
        return code.model.uses.get(loop.bindings[0].names[0])
    if len(loop.ranges) == 1 and not loop.ranges[0].sliced:
        return code.model.uses.get(loop.ranges[0].local or loop.ranges[0].name)
    return None


def _bound(index: Symbol | None) -> int | None:
    match index.type if index is not None else None:
        case Bounded(bound=bound) | BoundedTuple(bounds=(bound,)):
            return bound.const
    return None


def _loops_below(code: Code, outer: list[ast.Node], event: Symbol) -> list[Symbol | None]:
    """The indices of loops between the event's declaration and the region; None for one without an index."""
    inside = [node for node in outer if isinstance(node, ast.Foreach | ast.While)]
    found: list[Symbol | None] = []
    for loop in inside:
        if loop.span.start <= event.name_span.start < loop.span.end:
            continue  # the event is declared anew in each round
        names = loop.bindings[0].names if isinstance(loop, ast.Foreach) and len(loop.bindings) == 1 else ()
        found.append(code.model.uses.get(names[0]) if len(names) == 1 else None)
    return found


def _first_rounds(code: Code, guard: ast.Node) -> list[Symbol]:
    """The indices i, j of `if (i == 0 && j == 0)`; none for any other statement."""
    found: list[Symbol] = []
    left = [guard.cond] if isinstance(guard, ast.If) and guard.other is None else []
    while left:
        match left.pop():
            case ast.Paren(inner=inner):
                left.append(inner)
            case ast.Binary(op="&&", left=one, right=other):
                left += [one, other]
            case ast.Binary(op="==", left=ast.Name() as name, right=ast.IntLit(value=0)) if name in code.model.uses:
                found.append(code.model.uses[name])
            case _:
                return []
    return found


def _alone(guard: ast.Node, inner: ast.Node) -> bool:
    return isinstance(guard, ast.If) and guard.then.stmts == (inner,)


# --- back: `= ready` to bootstrap loops ----------------------------------------------------------


def ready_sites(code: Code) -> Iterator[Symbol]:
    for event in code.events:
        assert isinstance(event.type, Event)
        if event.type.ready:
            yield event


def started(code: Code, event: Symbol) -> Outcome:
    """`= ready` becomes a bootstrap at the top of each region that gives the event back."""
    regions = _giving_regions(code, event)
    if isinstance(regions, Refusal):
        return regions
    assert isinstance(event.decl, ast.EventName) and isinstance(event.type, Event)
    array = event.decl.array
    if len(array) > 1:
        return Refusal(f"'{event.name}' has more than one dimension", event.name_span)
    tail = code.bare.index("ready", event.decl.name.span.end)
    equals = code.bare.rindex("=", 0, tail)
    blanks = len(code.bare[:equals].rstrip())
    made = [*code.replaced(Span(blanks, tail + len("ready")), "")]
    for region in regions:
        loops = _loops_below(code, list(code.around[region].chain), event)
        if any(index is None for index in loops):
            return Refusal("the region stands in a loop without an index to start in", region.span)
        if not region.body.braced or not region.body.stmts:
            return Refusal("the region has no braces", region.span)
        guards = [index.name for index in loops if index is not None]
        made.append(code.before(region.body.stmts[0], *_start(code, event, array, guards)))
    return tuple(made)


def _start(code: Code, event: Symbol, array: tuple[ast.Expr, ...], guards: list[str]) -> list[str]:
    lines = [f"trigger {event.name};"]
    if array:
        index = code.fresh("s")
        lines = [f"foreach {{{index}}} in [{code.of(array[0])}] {{", f"  trigger {event.name}[{index}];", "}"]
    if guards:
        test = " && ".join(f"{name} == 0" for name in guards)
        lines = [f"if ({test}) {{", *(f"  {line}" for line in lines), "}"]
    return lines


def _giving_regions(code: Code, event: Symbol) -> list[ast.InThreads] | Refusal:
    """The regions whose paths trigger the event; together all the paths that its count knows, each one once."""
    found = facts_of(code, event)
    regions: list[ast.InThreads] = []
    for stmt, _ in code.refs(event):
        if isinstance(stmt, ast.Trigger):
            if not code.around[stmt].regions:
                return Refusal(f"'{event.name}' is triggered outside every region", stmt.span)
            if _region(code, stmt) not in regions:
                regions.append(_region(code, stmt))
    if found is None or not regions:
        return Refusal(f"nothing triggers '{event.name}'", event.name_span)
    paths = kernel_paths(code.model, found[0])
    entered = [number for number, path in enumerate(paths) for region in regions if enters(path, region)]
    if any(sorted(entered) != sorted(arrivals.steady) for arrivals in found[1]):
        return Refusal(f"the regions that trigger '{event.name}' are not the paths that it counts", event.name_span)
    return regions
