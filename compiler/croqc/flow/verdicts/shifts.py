"""A role that counts the slots of a ring from another one than its partner does (credit-flow, section 4).

The suspicion is tried out: with the same slot in the same turn everywhere the run must be clean. A role that names two
slots a turn, as one that loads ahead does, is left alone.
"""

from __future__ import annotations

from collections.abc import Mapping

from croqc.flow.exprs import Expr, apply, const
from croqc.flow.report import FlowFinding
from croqc.flow.verdicts.case import Case
from croqc.flow.verdicts.rings import Use, declarations, is_clean_with, moving_in, uses_of
from croqc.text.diagnostics import Related


def judge_shift(case: Case) -> FlowFinding | None:
    moving = moving_in(case)
    uses = [use for use in uses_of(case) if use.modulus is not None and use.length]
    if len({use.modulus for use in uses}) != 1:
        return None
    shifts = {use: _shift(use, moving) for use in uses}
    roles: dict[object, int] = {}
    for use, shift in shifts.items():
        if roles.setdefault(use.op.role, shift) != shift:
            return None
    if len(set(roles.values())) < 2:
        return None
    for common in sorted(set(roles.values())):
        if is_clean_with(case, [(use, _shifted(use.index, moving, common)) for use in uses]):
            return _told(case, shifts, common)
    return None


def _shift(use: Use, moving: set[int]) -> int:
    """By how many slots a reference is ahead of the index that is reduced."""
    assert use.modulus is not None
    return next(_constant(part.args[0]) for part in use.index.walk() if _reduces(part, moving)) % use.modulus


def _reduces(expr: Expr, moving: set[int]) -> bool:
    return expr.op == "%" and bool(expr.args[1].const) and bool(expr.variables() & moving)


def _constant(expr: Expr) -> int:
    """The number that is added to something else; 0 without one."""
    if expr.op not in ("+", "-"):
        return 0
    last = expr.args[1].const
    if last is not None:
        return _constant(expr.args[0]) + (last if expr.op == "+" else -last)
    return (expr.args[0].const or 0) if expr.op == "+" else 0


def _shifted(expr: Expr, moving: set[int], shift: int) -> Expr:
    """The same index with another number added to what is reduced."""
    if _reduces(expr, moving):
        base = expr.args[0]
        moved = apply("+", base, const(shift - _constant(base)))
        return Expr("%", (moved, expr.args[1]), expr.value)
    if not expr.args:
        return expr
    return Expr(expr.op, tuple(_shifted(arg, moving, shift) for arg in expr.args), expr.value, expr.span)


def _told(case: Case, shifts: Mapping[Use, int], common: int) -> FlowFinding | None:
    """At the first reference that is shifted, of those whose array the partner uses, too."""
    odd = [use for use, shift in shifts.items() if shift != common]
    even = [use for use, shift in shifts.items() if shift == common]
    for use in odd:
        partner = next((one for one in even if one.declared == use.declared), None)
        if partner is None or use.modulus is None:
            continue
        other = _path(case, partner)
        return case.finding(
            "ring-mismatch",
            use.span,
            [Related(f"{other} takes slot s here", partner.span), *declarations((*odd, *even))[:4]],
            name=use.name,
            modulus=use.modulus,
            length=use.length,
            expected=use.modulus,
            shift=(shifts[use] - common) % use.modulus,
            path=_path(case, use),
            other=other,
            iteration="",
        )
    return None


def _path(case: Case, use: Use) -> str:
    return case.name(min(case.sites.reach[id(use.op)]), use.op)
