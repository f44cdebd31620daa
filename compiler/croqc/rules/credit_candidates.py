"""Edits that mend the usual slips of a credit flow wherever they stand, whatever finding they show as.

Each is a candidate only: whoever takes one tries it out first (`service.fix_trials`). Must not word findings, and must
not suggest what takes work away that the kernel does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from croqc.refactor.base import Code
from croqc.rules.base import Subject
from croqc.rules.credit_edits import is_plain, unwrapped
from croqc.rules.credit_sites import Loop, code_of, grants, sites
from croqc.rules.credit_slips import doubled
from croqc.rules.credit_words import fix
from croqc.rules.flow_places import Seat, inside, quoted, symbols
from croqc.rules.role_data import works
from croqc.rules.role_exits import left_early
from croqc.rules.slot_mends import one_modulus, one_slot, unshifted
from croqc.rules.start_mends import each_slot
from croqc.syntax import ast
from croqc.text.diagnostics import Fix

_WORDS = {ast.Wait: "Wait", ast.Trigger: "Trigger", ast.MmaCommit: "Commit"}


def candidates(subject: Subject) -> tuple[Fix, ...]:
    """The candidates of a function, the likeliest first."""
    code = code_of(subject)
    kinds = (_in_every_turn, _in_both, _placed, one_modulus, one_slot, unshifted, _doubled, left_early, each_slot)
    return tuple(dict.fromkeys(one for kind in kinds for one in kind(code)))


def _doubled(code: Code) -> Iterator[Fix]:
    for event in code.events:
        yield from doubled(code, event)


def _in_every_turn(code: Code) -> Iterator[Fix]:
    """A wait, a trigger or a commit that stands alone under a condition, without it."""
    for guard in code.around:
        if not isinstance(guard, ast.If) or len(guard.then.stmts) != 1 or guard.other is not None:
            continue
        inner = guard.then.stmts[0]
        word = next((word for kind, word in _WORDS.items() if isinstance(inner, kind)), None)
        around = code.around[guard].chain
        bare = unwrapped(code, guard) if word and around and isinstance(around[-1], Loop) else None
        if bare is not None and code.written(inner):
            name = quoted(symbols(code, getattr(inner, "refs", ())))
            what = f"{word} for {name}" if isinstance(inner, ast.Wait) else f"{word} {name}".rstrip()
            yield from fix(f"{what} in every turn", (bare,))


def _in_both(code: Code) -> Iterator[Fix]:
    """A wait or a trigger that one branch of a condition has and the other one lacks, in both."""
    for guard in code.around:
        if not isinstance(guard, ast.If) or not isinstance(guard.other, ast.Block):
            continue
        for one, other in ((guard.then, guard.other), (guard.other, guard.then)):
            if not (other.braced and other.stmts and code.written(other.stmts[0]) and code.written(other.stmts[-1])):
                continue
            present = {code.of(stmt) for stmt in other.stmts}
            for stmt in one.stmts:
                if not isinstance(stmt, ast.Wait | ast.Trigger) or not code.written(stmt) or code.of(stmt) in present:
                    continue
                first = isinstance(stmt, ast.Wait)
                place = (
                    code.before(other.stmts[0], code.of(stmt)) if first else code.after(other.stmts[-1], code.of(stmt))
                )
                what = f"{'Wait for' if first else 'Trigger'} {quoted(symbols(code, stmt.refs))}"
                yield from fix(f"{what} in both branches", (place,), safe=True)


# --- order in a turn -------------------------------------------------------------------------------


def _placed(code: Code) -> Iterator[Fix]:
    """The one wait of a turn, or its one trigger, on the right side of the work."""
    started = {grant.site.stmt for event in code.events for grant in grants(code, event)}
    alike = Counter((site.loop, type(site.stmt)) for site in sites(code))
    for site in sites(code):
        block = code.blocks.get(site.stmt)
        if site.loop is None or block is None or not block.braced or site.stmt in started:
            continue
        if alike[site.loop, type(site.stmt)] > 1:
            continue
        seat = Seat(block, site.stmt)
        work = [stmt for stmt in (*seat.before, *seat.later) if works(code, stmt)]
        if not work or not (code.written(work[0]) and code.written(work[-1])):
            continue
        if isinstance(site.stmt, ast.Wait) and work[0] in seat.before and is_plain(code, site.stmt, "wait"):
            edits = (code.before(work[0], code.of(site.stmt)), code.removal(site.stmt))
            yield from fix(f"Wait for '{site.event.name}' first", edits, safe=True)
        if isinstance(site.stmt, ast.Trigger) and work[-1] in seat.later and is_plain(code, site.stmt, "trigger"):
            commit = ["mma.commit;"] if _is_open(code, work) else []
            edits = (code.removal(site.stmt), code.after(work[-1], *commit, code.of(site.stmt)))
            yield from fix(f"Trigger '{site.event.name}' when the work is done", edits, safe=True)


def _is_open(code: Code, work: list[ast.Node]) -> bool:
    """Whether multiplies among some statements of a turn are not committed."""
    if code.model.ends_at_statement:
        return False
    nodes = [node for stmt in work for node in inside(stmt)]
    multiplies = any(isinstance(node, ast.Mma) and node.form != "scale" for node in nodes)
    return multiplies and not any(isinstance(node, ast.MmaCommit) for node in nodes)
