"""Mends of credits at start that are there, but too few, too many or too late. Must not word findings."""

from __future__ import annotations

from collections.abc import Iterator

from croqc.refactor.base import Code
from croqc.rules.credit_edits import is_plain, regranted, slots_text
from croqc.rules.credit_sites import Grant, Site, first_turn, grants, loops_around, regions_of, sites, triggers
from croqc.rules.credit_words import fix
from croqc.sema.model import Symbol
from croqc.syntax import ast
from croqc.text.diagnostics import Fix
from croqc.text.edits import Edit
from croqc.text.span import Span


def lengthened(code: Code, event: Symbol) -> tuple[Fix, ...]:
    """Let the loop over the slots reach all of them, or start the slots that are not named."""
    length = slots_text(code, event)
    if length is None:
        return ()
    title = f"Give every slot of '{event.name}' a credit at start"
    named = [grant.site for grant in grants(code, event) if grant.loop is None]
    edits = _over_slots(code, event, length)
    for region in regions_of(named):
        sites_here = [one for one in named if one.region is region]
        edits += _name_rest(code, event, sites_here)
    return fix(title, tuple(edits), safe=not named)


def shortened(code: Code, place: Span) -> tuple[Fix, ...]:
    """Let the loops that give an event's credits at start, and nothing else, end with its last slot."""
    site = next((one for one in sites(code) if one.ref.span.start <= place.start < one.ref.span.end), None)
    length = slots_text(code, site.event) if site is not None else None
    if site is None or length is None or site not in [grant.site for grant in grants(code, site.event) if grant.loop]:
        return ()
    title = f"Give each slot of '{site.event.name}' one credit: '[{length}]'"
    return fix(title, tuple(_over_slots(code, site.event, length)), safe=True)


def surplus(code: Code, event: Symbol) -> tuple[Fix, ...]:
    """Leave out credits beside a loop over all slots; let a loop that comes to the first slot again end before."""
    length = slots_text(code, event)
    if length is None:
        return ()
    given = grants(code, event)
    beside = [grant.whole for grant in given if grant.loop is None] if any(grant.loop for grant in given) else []
    edits = [code.removal(whole) for whole in beside]
    edits += [edit for site in triggers(code, event) if (edit := _once_round(code, site, length)) is not None]
    return fix(f"Give each slot of '{event.name}' one credit", tuple(edits), safe=True)


def _once_round(code: Code, site: Site, length: str) -> Edit | None:
    """`foreach s in [N + 1] { trigger e[s % N]; }`, with nothing else in it, without the turns from N on."""
    loop, slots = site.loop, _length(site.event)
    if not isinstance(loop, ast.Foreach) or loop.body.stmts != (site.stmt,) or len(loop.bindings) != 1:
        return None
    extent = loop.bindings[0].extent
    items = extent.items if isinstance(extent, ast.ShapeLit) else (extent,)
    turns = code.model.values.get(items[0]) if len(items) == 1 else None
    match site.ref:
        case ast.Chain(suffixes=(ast.Index(args=(ast.Binary(op="%", left=ast.Name(), right=modulus),)),)):
            reduced = code.model.values.get(modulus)
            if reduced is not None and reduced.const == slots and turns is not None and (turns.const or 0) > slots:
                return Edit(extent.span, f"[{length}]") if is_plain(code, loop, "foreach") else None
    return None


def each_slot(code: Code) -> Iterator[Fix]:
    """`foreach s in [N] { trigger e[0]; }` triggers each slot once instead of one slot N times."""
    for event in code.events:
        edits: list[Edit] = []
        for site in triggers(code, event):
            loop = site.loop
            if not isinstance(loop, ast.Foreach) or loop.body.stmts != (site.stmt,) or len(loop.bindings) != 1:
                continue
            match site.ref, loop.bindings[0].names:
                case ast.Chain(suffixes=(ast.Index(args=(index,)),)), (name,):
                    slot = code.model.values.get(index)
                    if slot is not None and slot.const is not None and code.of(name) == name.id:
                        edits.append(Edit(index.span, name.id))
        yield from fix(f"Give each slot of '{event.name}' a credit at start", tuple(edits), safe=True)


def _over_slots(code: Code, event: Symbol, length: str) -> list[Edit]:
    """The bound of each loop over the slots that gives credits at start."""
    loops = [grant.loop for grant in grants(code, event)]
    plain = [loop for loop in loops if loop is not None and is_plain(code, loop, "foreach") and len(loop.bindings) == 1]
    return [Edit(loop.bindings[0].extent.span, f"[{length}]") for loop in plain]


def _name_rest(code: Code, event: Symbol, named: list[Site]) -> list[Edit]:
    """`trigger e[0];` is followed by the triggers of the other slots."""
    known = set()
    for site in named:
        match site.ref:
            case ast.Chain(suffixes=(ast.Index(args=(index,)),)) if index in code.model.values:
                known.add(code.model.values[index].const)
    missing = [number for number in range(_length(event)) if number not in known]
    return [code.after(named[-1].stmt, *(f"trigger {event.name}[{number}];" for number in missing))]


def _length(event: Symbol) -> int:
    return int(getattr(event.type, "array", (0,))[0])


def hurried(code: Code, event: Symbol) -> tuple[Fix, ...]:
    """Credits in a later tile come in the first one; credits behind the work come before it."""
    edits: list[Edit] = []
    for grant in grants(code, event):
        moved = _first_tile(code, grant) or regranted(code, grant)
        edits += moved or ()
    return fix(f"Give '{event.name}' its credits before the first turn", tuple(edits))


def _first_tile(code: Code, grant: Grant) -> tuple[Edit, ...] | None:
    """The condition on the tile that the credits stand under, if nothing comes before it in its role."""
    tests = [first_turn(loop) for loop in loops_around(grant.chain, grant.site.event)]
    if len(grant.guards) != 1 or not tests or None in tests or _is_behind(code, grant):
        return None
    guard = grant.guards[0]
    return (
        (Edit(guard.cond.span, " && ".join(test for test in tests if test)),) if is_plain(code, guard, "if") else None
    )


def _is_behind(code: Code, grant: Grant) -> bool:
    """Whether a wait or a loop of its role stands in front of the credits."""
    for node, around in code.around.items():
        if node is grant.whole:
            return False
        if grant.site.region in around.chain and isinstance(node, ast.Wait | ast.Copy):
            return True
    return False
