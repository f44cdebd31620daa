"""Where a function names its events: waits, triggers, credits at start, roles and loops. Must not edit or word.

Reads the tree and the model for the fixes of the credit-flow rules; what a macro made has the macro's place.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from croqc.refactor.base import Code
from croqc.rules.base import Subject
from croqc.rules.role_data import begins_work, feeds
from croqc.sema.model import Symbol
from croqc.sema.nesting import statements
from croqc.sema.types import Event, Storage
from croqc.syntax import ast
from croqc.text.record import record
from croqc.text.span import Span

Loop = ast.Foreach | ast.While
_QUIET = (ast.MmaFill, ast.FragDecl, ast.SetReg, ast.Cpp)


@lru_cache(maxsize=2)
def code_of(subject: Subject) -> Code:
    """The function as the rewrites see it, the same for all findings of it. Places stay relative to the function."""
    text = subject.text
    return Code(text + subject.newline, 0, text, 0, subject.analysis, {})


@record
class Site:
    """A reference to an event in a statement, and the statements around it, outermost first."""

    stmt: ast.Wait | ast.Trigger
    ref: ast.Expr
    event: Symbol
    chain: tuple[ast.Node, ...]

    @property
    def region(self) -> ast.InThreads | None:
        return next((node for node in reversed(self.chain) if isinstance(node, ast.InThreads)), None)

    @property
    def inner(self) -> tuple[ast.Node, ...]:
        """What stands around it inside its region."""
        if self.region is None:
            return ()
        return self.chain[self.chain.index(self.region) + 1 :]

    @property
    def loop(self) -> Loop | None:
        """The innermost loop inside the region."""
        return next((node for node in reversed(self.inner) if isinstance(node, Loop)), None)


def sites(code: Code) -> tuple[Site, ...]:
    """Every reference to an event in `wait` and `trigger`, in source order."""
    return _sites(code)[0]


@lru_cache(maxsize=2)
def _sites(code: Code) -> tuple[tuple[Site, ...], dict[Symbol, list[Site]]]:
    """All of them, and those of each event: rules ask for every event in turn, and there may be a thousand."""
    found = tuple(_found(code))
    own: dict[Symbol, list[Site]] = {}
    for site in found:
        own.setdefault(site.event, []).append(site)
    return found, own


def _found(code: Code) -> Iterator[Site]:
    for stmt, around in code.around.items():
        if isinstance(stmt, ast.Wait | ast.Trigger):
            for ref in stmt.refs:
                event = code.event_of(ref)
                if event is not None:
                    yield Site(stmt, ref, event, around.chain)


def site_at(code: Code, span: Span) -> Site | None:
    """The reference at a place, or the first one of the statement at a place."""
    found = [one for one in sites(code) if span in (one.ref.span, one.stmt.span)]
    return found[0] if found else None


def triggers(code: Code, event: Symbol) -> list[Site]:
    return [one for one in _sites(code)[1].get(event, ()) if isinstance(one.stmt, ast.Trigger)]


def waits(code: Code, event: Symbol) -> list[Site]:
    return [one for one in _sites(code)[1].get(event, ()) if isinstance(one.stmt, ast.Wait)]


# --- credits at start ------------------------------------------------------------------------------


@record
class Grant:
    """A trigger that gives credits at start: `loop` runs over the slots, `guards` are the `if`s that hold nothing
    else, from the inside; `whole` is the outermost of them all."""

    site: Site
    loop: ast.Foreach | None
    guards: tuple[ast.If, ...]

    @property
    def whole(self) -> ast.Node:
        return self.guards[-1] if self.guards else self.unguarded

    @property
    def unguarded(self) -> ast.Node:
        return self.loop or self.site.stmt

    @property
    def chain(self) -> tuple[ast.Node, ...]:
        """What stands around the whole of it."""
        return self.site.chain[: len(self.site.chain) - len(self.guards) - (self.loop is not None)]


def grants(code: Code, event: Symbol) -> list[Grant]:
    """The credits at start of an event, also such as come too late."""
    return [grant for site in triggers(code, event) if (grant := _grant(code, site)) is not None]


def _grant(code: Code, site: Site) -> Grant | None:
    if site.region is None or len(site.stmt.refs) > 1:
        return None
    rest = list(site.inner)
    node: ast.Node = site.stmt
    loop: ast.Foreach | None = None
    last = rest[-1] if rest else None
    if isinstance(last, ast.Foreach) and _runs_over_slots(code, last, site):
        loop = node = last
        rest.pop()
    guards: list[ast.If] = []
    while rest and isinstance(guard := rest[-1], ast.If) and guard.then.stmts == (node,) and guard.other is None:
        guards.append(guard)
        node = guard
        rest.pop()
    if loop is None and (_works(rest) or not _starts(code, site)):
        return None
    return Grant(site, loop, tuple(guards))


def _works(chain: list[ast.Node]) -> bool:
    return any(isinstance(node, Loop) for node in chain)


def _runs_over_slots(code: Code, loop: ast.Foreach, site: Site) -> bool:
    """`foreach {s} in [N] { trigger e[s]; }` with nothing else in it."""
    if loop.body.stmts != (site.stmt,) or len(loop.bindings) != 1:
        return False
    match site.ref:
        case ast.Chain(suffixes=(ast.Index(args=(ast.Name() as index,)),)):
            names = [code.model.uses.get(name) for name in loop.bindings[0].names]
            return code.model.uses.get(index) in names
    return False


def _starts(code: Code, site: Site) -> bool:
    """Whether no wait and no access of the region comes before."""
    for node, around in code.around.items():
        if node is site.stmt:
            return True
        if site.region in around.chain and (isinstance(node, ast.Wait) or begins_work(code, node)):
            return False
    return True


def steady(code: Code, event: Symbol) -> list[Site]:
    """The triggers that are no credits at start."""
    first = [grant.site.stmt for grant in grants(code, event)]
    return [site for site in triggers(code, event) if site.stmt not in first]


# --- roles and loops -------------------------------------------------------------------------------


def regions_of(found: list[Site]) -> list[ast.InThreads]:
    """The roles of some references, each once."""
    return list(dict.fromkeys(site.region for site in found if site.region is not None))


def partners_of(code: Code, event: Symbol, role: ast.InThreads) -> list[ast.InThreads]:
    """The other roles that handle a ring with a role: by an event besides this one that one of them triggers and the
    other waits for."""
    found = []
    for other in sites(code):
        if other.region is None or other.region is role or other.event is event:
            continue
        users = {one.region for one in (*triggers(code, other.event), *waits(code, other.event))}
        if role in users:
            found.append(other.region)
    return list(dict.fromkeys(found))


def serves(code: Code, giver: ast.InThreads, taker: ast.InThreads, event: Symbol) -> bool:
    """Whether a role triggers an event besides this one that another one waits for."""
    awaited = {one.event for one in sites(code) if one.region is taker and isinstance(one.stmt, ast.Wait)}
    return any(one.region is giver for each in awaited - {event} for one in triggers(code, each))


def is_ring(code: Code, site: Site, givers: list[ast.InThreads]) -> bool:
    """Whether the role of a wait and those that give it back hand slots to each other, once a turn each way."""
    mine = [one for one in sites(code) if one.region is site.region and one.loop is site.loop]
    data = {one.event for one in mine if isinstance(one.stmt, ast.Trigger)}
    if len(mine) != 2 or len(data) != 1 or site.event in data or site.loop is None:
        return False
    for region in givers:
        theirs = [one for one in sites(code) if one.region is region and one.loop is not None]
        turns = [(one.event in data, isinstance(one.stmt, ast.Wait)) for one in theirs if one.event is not site.event]
        if turns != [(True, True)] or len(theirs) != 2 or theirs[0].loop is not theirs[1].loop:
            return False
    return bool(givers)


def prologue_end(region: ast.InThreads) -> ast.Node | None:
    """The first statement of a role behind those that only prepare it; None where nothing can be put in front."""
    if not region.body.braced:
        return None
    return next((stmt for stmt in region.body.stmts if not isinstance(stmt, _QUIET)), None)


def work_loop(code: Code, region: ast.InThreads, event: Symbol) -> tuple[Loop, Site] | None:
    """The innermost loop in which a role works on the ring of an event, and the wait for the ring's other event."""
    awaited = [one for one in sites(code) if one.region is region and isinstance(one.stmt, ast.Wait) and one.loop]
    partners = regions_of(waits(code, event))
    mates = [one for one in awaited if any(each.region in partners for each in triggers(code, one.event))]
    site = next(iter(mates or awaited), None)
    return (site.loop, site) if site is not None and site.loop is not None else None


def first_turn(loop: Loop) -> str | None:
    """The condition that holds in the first turn of a loop only; None where the loop has no index to tell it."""
    if not isinstance(loop, ast.Foreach):
        return None
    names = [name.id for binding in loop.bindings for name in binding.names]
    for item in loop.ranges:
        if item.lo is not None:
            return None
        names.append((item.local or item.name).id)
    return " && ".join(f"{name} == 0" for name in names) or None


def loops_around(chain: tuple[ast.Node, ...], event: Symbol) -> list[Loop]:
    """The loops among some enclosing statements in which the event is not declared anew."""
    place = event.name_span.start
    return [node for node in chain if isinstance(node, Loop) and not node.span.start <= place < node.span.end]


def statements_of(node: ast.Node) -> list[ast.Node]:
    return [stmt for stmt, _ in statements(node)]


def fills_shared(code: Code, node: ast.Node) -> bool:
    """Whether a copy inside writes shared memory."""
    copies = [stmt for stmt in statements_of(node) if isinstance(stmt, ast.Copy)]
    infos = [code.model.copies.get(copy) for copy in copies]
    return any(info is not None and info.dest_storage is Storage.SHARED for info in infos)


def carries_data(code: Code, event: Symbol) -> bool:
    """Whether those who trigger an event write what those who wait for it read."""
    takers = regions_of(waits(code, event))
    return any(feeds(code, giver, taker) for giver in regions_of(steady(code, event)) for taker in takers)


def event_type(event: Symbol) -> Event:
    assert isinstance(event.type, Event)
    return event.type
