"""Rule `order-out-of-step`: the order of `e.at(order)`, or the phase of an older `wait<n>`, has the parity of another
generation (credit-flow, 2; reference, chapter 0)."""

from __future__ import annotations

from croqc.refactor import wait_phase
from croqc.refactor.base import Code
from croqc.rules.base import Rule, Subject, Words
from croqc.rules.credit_edits import slots_text
from croqc.rules.credit_sites import Site, code_of, event_type, loops_around, site_at, sites
from croqc.rules.credit_slips import doubled, skipped
from croqc.rules.credit_words import at, fix, ordinal, slot
from croqc.sema.events import order_of
from croqc.sema.masks import defining_value
from croqc.sema.model import Finding
from croqc.syntax import ast
from croqc.text.diagnostics import Fix, Severity
from croqc.text.edits import Edit
from croqc.text.span import Span


def _render(finding: Finding, subject: Subject) -> Words:
    args = finding.args
    own = args["own"]
    assert isinstance(own, int)
    if "phase" in args:
        message = (
            f"phase {args['phase']} is waited for,"
            f" but this is the {ordinal(own + 1)} wait of {args['path']} on {slot(args)}{at(args)}"
        )
        return Words(message, "without a phase the path counts its waits itself", fixes=_unphased(finding, subject))
    order = args["order"]
    message = (
        f"the order means generation {order} of {slot(args)},"
        f" but this is the {ordinal(own + 1)} {args['what']} of {args['path']} on it{at(args)}"
    )
    return Words(message, "let the order grow without end, or index the slot", fixes=_fixes(finding, subject))


def _fixes(finding: Finding, subject: Subject) -> tuple[Fix, ...]:
    code = code_of(subject)
    site = site_at(code, finding.span)
    order = order_of(site.ref) if site is not None else None
    if site is None or order is None:
        return ()
    slip = doubled(code, site.event) or _shifted(code, site, order) or skipped(code, site.event)
    slip = slip or _restarted(code, site, order)
    return slip or (*_unreduced(code, site, order), *_indexed(code, site, order))


def _unphased(finding: Finding, subject: Subject) -> tuple[Fix, ...]:
    """`wait<0> e` becomes `wait e`."""
    code = code_of(subject)
    for stmt in code.around:
        if isinstance(stmt, ast.Wait) and stmt.phase is not None and any(r.span == finding.span for r in stmt.refs):
            return fix(wait_phase.TITLE, wait_phase.without_phase(code, stmt))
    return ()


def _shifted(code: Code, site: Site, order: ast.Expr) -> tuple[Fix, ...]:
    """The order that the loop uses elsewhere, if it is one."""
    others = [order_of(one.ref) for one in sites(code) if one.loop is site.loop and one.ref is not site.ref]
    texts = {code.of(other) for other in others if other is not None}
    if len(texts) != 1 or code.of(order) in texts or site.loop is None or _reduces(order):
        return ()
    text = texts.pop()
    return fix(f"Let the order be '{text}'", (Edit(order.span, text),))


def _restarted(code: Code, site: Site, order: ast.Expr) -> tuple[Fix, ...]:
    """The order that the other roles of the ring give the same name: `o = k;` begins anew in every tile, where theirs,
    `o = ti * cdiv(K, TILE_K) + k;`, goes on."""
    mine = _definition(code, order)
    if mine is None or site.region is None:
        return ()
    own = code.of(mine)
    others = []
    for one in sites(code):
        other = order_of(one.ref)
        value = _definition(code, other) if other is not None and one.region is not site.region else None
        if value is not None and one.event.type == site.event.type:
            others.append(code.of(value))
    wanted = set(others)
    if len(wanted) != 1 or own in wanted:
        return ()
    return fix(f"Let the order be '{others[0]}'", (Edit(mine.span, others[0]),), safe=False)


def _definition(code: Code, order: ast.Expr) -> ast.Node | None:
    """What defines the name that an order is."""
    return defining_value(code.model.uses.get(order)) if isinstance(order, ast.Name) else None


def _reduces(order: ast.Expr) -> bool:
    inner = order.inner if isinstance(order, ast.Paren) else order
    return isinstance(inner, ast.Binary) and inner.op == "%"


def _alike(code: Code, site: Site, order: ast.Expr) -> list[tuple[Site, ast.Expr]]:
    """The references of the kernel whose order is written in the same way."""
    kernel = site.chain[0]
    found = []
    for one in sites(code):
        other = order_of(one.ref)
        if other is not None and one.chain[0] is kernel and code.of(other) == code.of(order):
            found.append((one, other))
    return found


def _unreduced(code: Code, site: Site, order: ast.Expr) -> tuple[Fix, ...]:
    """`e.at(k % N)` becomes `e.at(k)` where the loop over k is entered once."""
    inner = order.inner if isinstance(order, ast.Paren) else order
    if not isinstance(inner, ast.Binary) or inner.op != "%" or inner.left.span.end > inner.right.span.start:
        return ()
    region = site.region
    outer = site.chain[: site.chain.index(region)] if region is not None else ()
    if loops_around(outer, site.event) or len(loops_around(site.inner, site.event)) > 1:
        return ()
    modulus = code.model.values.get(inner.right)
    slots = event_type(site.event).array[0]
    if modulus is None or modulus.const is None:
        return ()
    text = code.of(inner.left)
    edits = tuple(Edit(other.span, text) for _, other in _alike(code, site, order))
    return fix(f"Let the order be '{text}'", edits, safe=modulus.const % slots == 0)


def _indexed(code: Code, site: Site, order: ast.Expr) -> tuple[Fix, ...]:
    """`e.at(k)` becomes `e[k % N]`: the same slot, whose rounds each path counts itself."""
    edits = []
    for one, other in _alike(code, site, order):
        length = slots_text(code, one.event)
        base = one.ref.base if isinstance(one.ref, ast.Chain) else None
        if length is None or base is None or isinstance(other, ast.IncDec):
            return ()
        text = code.of(other)
        if not isinstance(other, ast.Name | ast.Paren | ast.Chain | ast.IntLit):
            text = text if _is_reduced(code, one, other) else f"({text})"
        index = text if _is_reduced(code, one, other) else f"{text} % {length}"
        edits.append(Edit(Span(base.span.end, one.ref.span.end), f"[{index}]"))
    return fix("Index the slot itself", tuple(edits), safe=False)


def _is_reduced(code: Code, site: Site, order: ast.Expr) -> bool:
    """Whether an order is below the number of slots already."""
    if not isinstance(order, ast.Binary) or order.op != "%":
        return False
    modulus = code.model.values.get(order.right)
    return modulus is not None and modulus.const == event_type(site.event).array[0]


RULE = Rule(
    name="order-out-of-step",
    severity=Severity.ERROR,
    summary="The order or the phase of an event's slot has the parity of another generation.",
    rows=(),
    render=_render,
)
