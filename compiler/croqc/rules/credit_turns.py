"""Counters of turns that roles keep for themselves: where each role of an event changes its own. Must not edit."""

from __future__ import annotations

from croqc.refactor.base import Code
from croqc.rules.credit_sites import Site, site_at, triggers
from croqc.sema.types import Scalar
from croqc.syntax import ast
from croqc.syntax.visit import nodes_of_kind
from croqc.text.diagnostics import Related
from croqc.text.span import Span


def counted_apart(code: Code, place: Span) -> tuple[Related, ...]:
    """What only one of two roles does with the counters that both keep under the same names: the one that waits at a
    place and the first that triggers for it. Nothing where they count alike, or under other names."""
    site = site_at(code, place)
    if site is None:
        return ()
    partner = next((one for one in triggers(code, site.event) if one.region not in (None, site.region)), None)
    if site.region is None or partner is None:
        return ()
    own, other = _counters(code, site), _counters(code, partner)
    if not own or own != other:
        return ()
    waits, gives = _steps(code, site, own), _steps(code, partner, own)
    return (
        *(Related("only the role that waits counts so", node.span) for key, node in waits if key not in dict(gives)),
        *(Related("only the role that triggers counts so", node.span) for key, node in gives if key not in dict(waits)),
    )


def _counters(code: Code, site: Site) -> set[str]:
    """The changing integers that number the slot and bound the loops around it."""
    tests = [node.cond for node in site.inner if isinstance(node, ast.While)]
    names = [name for part in (site.ref, *tests) for name in nodes_of_kind(part, ast.Name)]
    symbols = [code.model.uses.get(name) for name in names]
    return {one.name for one in symbols if one is not None and one.mutable and isinstance(one.type, Scalar)}


def _steps(code: Code, site: Site, counters: set[str]) -> list[tuple[tuple[str, int], ast.Node]]:
    """The changes of counters and the conditions of loops, each by its text and the number of loops around it."""
    found: list[tuple[tuple[str, int], ast.Node]] = []
    for stmt, around in code.around.items():
        if site.region in around.chain and any(name.id in counters for name in nodes_of_kind(stmt, ast.Name)):
            node = stmt.cond if isinstance(stmt, ast.While) else stmt
            if isinstance(stmt, ast.While | ast.ScalarDecl) or _changes(stmt, counters):
                depth = sum(isinstance(one, ast.While | ast.Foreach) for one in around.chain)
                found.append(((" ".join(code.of(node).split()), depth), node))
    return found


def _changes(stmt: ast.Node, counters: set[str]) -> bool:
    return isinstance(stmt, ast.Assign) and any(
        isinstance(part.target, ast.Name) and part.target.id in counters for part in stmt.parts
    )
