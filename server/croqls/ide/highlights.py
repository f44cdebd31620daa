"""What is lit with the place under the cursor (LSP `textDocument/documentHighlight`).

A name lights its places, as read or written; the words `wait` and `trigger` light each other's statements, those of
a copy light what reads its data, and those of a multiply the copies that it reads. Must not know LSP types.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from croqc.flow.report import KernelFlow
from croqc.sema.model import Model, Symbol, SymbolKind
from croqc.service.check import FunctionReport
from croqc.syntax import ast
from croqc.syntax.tokens import Kind
from croqc.syntax.visit import nodes_of, nodes_of_kind, walk
from croqc.text.span import Span
from croqls.ide.flow_sites import consumers_of, producers_of, triggers_of, waits_of
from croqls.ide.names import Use, named_at, places_of
from croqls.ide.snapshot import Snapshot, token_at

Paired = ast.Wait | ast.Trigger | ast.Copy | ast.Mma


@dataclass(frozen=True, slots=True)
class Highlight:
    """An absolute span; `writes` where the thing is made or changed."""

    span: Span
    writes: bool


def highlights(snapshot: Snapshot, offset: int) -> tuple[Highlight, ...]:
    """The places of the name there."""
    named = named_at(snapshot, offset)
    if named is None:
        return ()
    places = places_of(snapshot, named)
    written: dict[Span, bool] = {}
    for place in places:
        written[place.span] = written.get(place.span, False) or place.use is not Use.READ
    return tuple(Highlight(span, writes) for span, writes in written.items())


def needs_flow(snapshot: Snapshot, offset: int) -> bool:
    """Whether the place is the word of a wait, trigger, copy or multiply of a function that has a credit flow."""
    function = snapshot.function_at(offset)
    if function is None or function.analysis is None or statement_at(function, offset) is None:
        return False
    return function.sound


def flow_highlights(snapshot: Snapshot, offset: int) -> tuple[Highlight, ...]:
    """What the credit flow puts together with the statement there; the snapshot's report has verdicts."""
    function = snapshot.function_at(offset)
    if function is None or function.analysis is None:
        return ()
    node = statement_at(function, offset)
    known = (snapshot.report.flows or {}).get(function.analysis)
    if node is None or known is None:
        return ()
    model = function.analysis.model
    for flow in known.kernels:
        if flow.kernel.node.span.contains(node.span.start):
            found = dict.fromkeys(_lit(flow, model, node))
            return tuple(Highlight(span.shift(function.base), writes) for span, writes in sorted(found))
    return ()


def plain_highlights(snapshot: Snapshot, offset: int) -> tuple[Highlight, ...]:
    """What is known without the credit flow: the statement there, and every `trigger` of the events that it waits for,
    or every `wait` for those that it triggers."""
    function = snapshot.function_at(offset)
    node = statement_at(function, offset) if function is not None else None
    if function is None or function.analysis is None or node is None:
        return ()
    model = function.analysis.model
    found: list[ast.Node] = [node]
    if isinstance(node, ast.Wait | ast.Trigger):
        events = _events_of(model, node)
        waits, triggers = (nodes_of_kind(model.function, kind) for kind in (ast.Wait, ast.Trigger))
        others = triggers if isinstance(node, ast.Wait) else waits
        found += [one for one in others if isinstance(one, ast.Wait | ast.Trigger) and events & _events_of(model, one)]
    lit = {one.span: isinstance(one, ast.Trigger | ast.Copy) for one in found}
    return tuple(Highlight(span.shift(function.base), writes) for span, writes in sorted(lit.items()))


def _events_of(model: Model, node: ast.Wait | ast.Trigger) -> set[Symbol]:
    """Those that a statement names, and not what their indices are made of."""
    symbols = (model.uses.get(name) for ref in node.refs for name in nodes_of_kind(ref, ast.Name))
    return {symbol for symbol in symbols if symbol is not None and symbol.kind is SymbolKind.EVENT}


def statement_at(function: FunctionReport, offset: int) -> Paired | None:
    """The statement whose own words, in front of its operands, the place touches."""
    token = token_at(function, offset)
    if token is None or token.kind not in (Kind.WORD, Kind.DOTTED) or function.analysis is None:
        return None
    for node in nodes_of(function.analysis.model.function):
        if isinstance(node, Paired) and _head(node).start <= token.start < _head(node).end:
            return node
    return None


def _head(node: Paired) -> Span:
    start, end = node.span.start, node.span.end
    match node:
        case ast.Wait(refs=refs) | ast.Trigger(refs=refs):
            end = refs[0].span.start if refs else end
        case ast.Copy(target=target, source=source):
            start, end = target.span.end if target else start, source.span.start
        case ast.Mma(target=target, acc=acc):
            start, end = target.span.end if target else start, acc.span.start
    return Span(start, end)


def _lit(flow: KernelFlow, model: Model, node: Paired) -> Iterator[tuple[Span, bool]]:
    if isinstance(node, ast.Copy):
        yield node.span, True
        yield from ((span, False) for span in consumers_of(flow, node.span))
        return
    if isinstance(node, ast.Mma):
        yield node.span, False
        yield from ((span, True) for span in producers_of(flow, node.span))
        return
    gives = isinstance(node, ast.Trigger)
    yield node.span, gives
    facts = {event.symbol: event for event in flow.events}
    for ref in node.refs:
        name = next((one for one in walk(ref) if isinstance(one, ast.Name)), None)
        symbol = model.uses.get(name) if name is not None else None
        if symbol in facts:
            found = waits_of if gives else triggers_of
            spans = found(flow, facts[symbol], ref.span)
            yield from ((_whole(model, span), not gives) for span in spans)


def _whole(model: Model, site: Span) -> Span:
    """The statement that a site is an operand of."""
    holders = (
        node.span
        for node in nodes_of(model.function)
        if isinstance(node, ast.Wait | ast.Trigger) and node.span.start <= site.start and site.end <= node.span.end
    )
    return next(holders, site)
