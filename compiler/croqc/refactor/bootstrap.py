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

from collections.abc import Iterator

from croqc.flow.arrivals import Arrivals, slot_arrivals
from croqc.flow.paths import enters, kernel_paths
from croqc.refactor.base import Code, Outcome, Refusal
from croqc.sema.model import Kernel, Symbol
from croqc.sema.symbolic import Int
from croqc.sema.types import Event
from croqc.syntax import ast
from croqc.text.edits import Edit
from croqc.text.span import Span

TITLE = "Declare '{}' as ready"
TITLE_BACK = "Start '{}' in its regions"
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
    made: list[Edit] = []
    granted: dict[ast.InThreads, int] = {}
    for trigger in bootstraps(code, event):
        if len(trigger.refs) > 1:
            return Refusal("the trigger starts several events at once", trigger.span)
        whole = _whole(code, trigger, event)
        if isinstance(whole, Refusal):
            return whole
        region = _region(code, trigger)
        granted[region] = granted.get(region, 0) + 1
        if granted[region] > 1:
            return Refusal(f"'{event.name}' is started twice in one region", trigger.span)
        made.append(code.removal(whole))
    assert isinstance(event.decl, ast.EventName)
    end = event.decl.span.end
    return (Edit(Span(end, end), " = ready"), *made)


def _starts(code: Code, stmt: ast.Trigger) -> bool:
    """Whether no wait and no access stands in front of the trigger in its region."""
    regions = code.around[stmt].regions
    if not regions:
        return False
    for other, around in code.around.items():
        if other is stmt:
            return True
        if regions[-1] in around.chain and isinstance(other, _WORK):
            return False
    return True


def _region(code: Code, stmt: ast.Node) -> ast.InThreads:
    return code.around[stmt].regions[-1]


def _waited(code: Code, event: Symbol) -> bool:
    return any(isinstance(stmt, ast.Wait) for stmt, _ in code.refs(event))


def facts_of(code: Code, event: Symbol) -> tuple[Kernel, list[Arrivals]] | None:
    """The event's kernel and the arrivals of its slots."""
    for kernel in code.model.kernels:
        found = slot_arrivals(code.model, kernel_paths(code.model, kernel))
        own = [arrivals for (one, _), arrivals in found.items() if one is event]
        if own:
            return kernel, own
    return None


def _uneven(code: Code, event: Symbol) -> Refusal | None:
    """The paths that start a slot must be those that complete its generations later on."""
    found = facts_of(code, event)
    if found is None:
        return Refusal(f"the paths of '{event.name}' are not known", event.name_span)
    for arrivals in found[1]:
        if not arrivals.steady or arrivals.bootstrap != arrivals.steady or arrivals.count != arrivals.computed:
            return Refusal(f"not every path that gives '{event.name}' back starts all its slots", event.name_span)
    return None


def _whole(code: Code, trigger: ast.Trigger, event: Symbol) -> ast.Node | Refusal:
    """The statement that grants one credit to each slot once: the trigger with its loop and its guard."""
    assert isinstance(event.type, Event)
    region, node = _region(code, trigger), trigger
    chain = list(code.around[trigger].chain)
    outer = chain[: chain.index(region)]
    inner = chain[chain.index(region) + 1 :]
    whole: ast.Node = node
    if isinstance(trigger.refs[0], ast.Chain):
        loop = inner.pop() if inner else None
        if not isinstance(loop, ast.Foreach) or not _covers(code, trigger, loop, event.type):
            return Refusal(f"the loop does not start every slot of '{event.name}' once", trigger.span)
        whole = loop
    guarded = _loops_below(code, outer, event)
    for guard in reversed(inner):
        index = _first_round(code, guard)
        if index is None or index not in guarded or not _alone(guard, whole):
            return Refusal("the start stands under a condition or a loop of its own", guard.span)
        guarded.remove(index)
        whole = guard
    if guarded:
        return Refusal(f"'{event.name}' is started again in every round of an outer loop", trigger.span)
    return whole


def _covers(code: Code, trigger: ast.Trigger, loop: ast.Foreach, event: Event) -> bool:
    """`foreach {s} in [N] { trigger e[s]; }` with N the number of slots, and nothing else in it."""
    ref = trigger.refs[0]
    match ref:
        case ast.Chain(suffixes=(ast.Index(args=(ast.Name() as index,)),)) if len(event.array) == 1:
            pass
        case _:
            return False
    if len(loop.bindings) != 1 or len(loop.bindings[0].names) != 1 or loop.body.stmts != (trigger,):
        return False
    symbol = code.model.uses.get(loop.bindings[0].names[0])
    return symbol is not None and code.model.uses.get(index) is symbol and _bound(code, symbol) == event.array[0]


def _bound(code: Code, index: Symbol) -> int | None:
    bound = getattr(index.type, "bound", None)
    return bound.const if isinstance(bound, Int) else None


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


def _first_round(code: Code, guard: ast.Node) -> Symbol | None:
    """The index i of `if (i == 0)`."""
    match guard:
        case ast.If(cond=ast.Binary(op="==", left=ast.Name() as name, right=ast.IntLit(value=0)), other=None):
            return code.model.uses.get(name)
    return None


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
    tail = code.text.index("ready", event.decl.name.span.end)
    equals = code.text.rindex("=", 0, tail)
    blanks = len(code.text[:equals].rstrip())
    made = [Edit(Span(blanks, tail + len("ready")), "")]
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
