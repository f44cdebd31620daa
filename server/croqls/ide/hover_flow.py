"""What a hover says of the credit flow: on an event, a wait, a trigger, a stage buffer (credit-flow, section 7).

Markdown from the outcome of the analysis. Must not analyse or know LSP types.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Sequence
from functools import lru_cache

from croqc.flow.futures import future_tables
from croqc.flow.landings import landed
from croqc.flow.report import EventFacts, KernelFlow
from croqc.flow.stages import StageRow, Use, stage_rows
from croqc.flow.tables import (
    WaitRow,
    givers,
    initial_credits,
    iteration_text,
    run_ahead,
    verdict_text,
    wait_rows,
    waiters,
)
from croqc.sema.model import Analysis, Model, Symbol, SymbolKind
from croqc.sema.slot_text import subscripts
from croqc.service.check import FunctionReport
from croqc.syntax import ast
from croqc.syntax.tokens import Token
from croqc.syntax.visit import walk
from croqc.targets.table import Feature
from croqc.text.span import Span
from croqls.ide.links import Places
from croqls.ide.snapshot import Snapshot

_WORDS = ("wait", "trigger")
_KINDS = (SymbolKind.EVENT, SymbolKind.BUFFER, SymbolKind.FUTURE)
_WAIT_HEAD = ("iteration", "slot", "generation", "waits for parity", "parity after", "phase bit after", "credits left")
_FUTURE_HEAD = ("iteration", "copy into", "waits for", "names at the end")
_FUTURE_ROWS = 6
_NUMBERED = "buffer "
_STAGE_HEAD = ("iteration", "slot", "generation", "filled by", "read by")


@lru_cache(maxsize=16)
def _analysed(analysis: Analysis) -> tuple[KernelFlow, ...]:
    from croqc.flow.analysis import TYPING_BUDGET, analyze_flow  # here, as below

    return analyze_flow(analysis.model, TYPING_BUDGET)


def has_flow(function: FunctionReport, token: Token) -> bool:
    """Whether the word belongs to the credit flow of a function that has one: those with errors have none."""
    analysis = function.analysis
    if analysis is None:
        return False
    symbol = _symbol_of(analysis.model, token)
    if token.text not in _WORDS and (symbol is None or symbol.kind not in _KINDS):
        return False
    return function.sound


def _symbol_of(model: Model, token: Token) -> Symbol | None:
    return next((sym for name, sym in model.uses.items() if name.span == token.span and name.id == token.text), None)


def flow_section(snapshot: Snapshot, function: FunctionReport, token: Token, pictures: bool) -> str:
    """As `flow_text`, for a document, with a drawn timeline."""
    analysis = function.analysis
    if analysis is None or not has_flow(function, token):
        return ""
    known = (snapshot.report.flows or {}).get(analysis)
    flows = known.kernels if known is not None else _analysed(analysis)
    model = analysis.model
    text = flow_text(
        flows, model, token, _symbol_of(model, token), Places(snapshot.uri, snapshot.source, function.base)
    )
    if not text or not pictures:
        return text
    here = next(flow for flow in flows if flow.kernel.node.span.touches(token.start) or flow is flows[-1])
    return f"{text}\n\n{_picture(snapshot, function, here)}"


def _picture(snapshot: Snapshot, function: FunctionReport, flow: KernelFlow) -> str:
    """The timeline as an image that stands in the text itself."""
    from croqc.service.flow import flow_entry  # here, as above
    from croqc.service.flow_svg import flow_svg

    svg = flow_svg(flow_entry(snapshot.source, function, flow))
    return f"![timeline of the credit flow](data:image/svg+xml;base64,{b64encode(svg.encode('utf-8')).decode('ascii')})"


def flow_text(flows: Sequence[KernelFlow], model: Model, token: Token, symbol: Symbol | None, places: Places) -> str:
    """The section for the word under the cursor; empty where the credit flow has nothing to say of it."""
    for flow in map(landed, flows):
        facts = {event.symbol: event for event in flow.events}
        if symbol in facts:
            return _about_event(flow, model, facts[symbol], places)
        if symbol is not None and symbol.kind is SymbolKind.FUTURE:
            if text := _about_future(flow, model, symbol):
                return text
        elif symbol is not None and (text := _about_buffer(flow, symbol)):
            return text
        node = _statement(model, token)
        if node is not None and flow.kernel.node.span.contains(node.span.start):
            events = [facts[one] for ref in node.refs if (one := _event_of(model, ref)) in facts and one is not None]
            texts = [_about_site(flow, model, node, event, places) for event in events]
            return "\n\n".join(text for text in texts if text)
    return ""


def _statement(model: Model, token: Token) -> ast.Wait | ast.Trigger | None:
    """The wait or trigger whose word the token is."""
    if token.text not in _WORDS:
        return None
    found = (node for node in walk(model.function) if isinstance(node, ast.Wait | ast.Trigger))
    return next((node for node in found if node.span.start == token.start), None)


def _event_of(model: Model, ref: ast.Expr) -> Symbol | None:
    name = next((node for node in walk(ref) if isinstance(node, ast.Name)), None)
    return model.uses.get(name) if name is not None else None


def _about_event(flow: KernelFlow, model: Model, event: EventFacts, places: Places) -> str:
    parts = [_verdict(flow), _counts(flow, event, places)]
    parts += [f"{_start(_path(path))} {_ahead(flow, path)}" for path in waiters(flow, event) if _ahead(flow, path)]
    parts += _tables(flow, event, waiters(flow, event))
    return "\n\n".join([*parts, _lowered_wait(model)])


def _about_site(flow: KernelFlow, model: Model, node: ast.Wait | ast.Trigger, event: EventFacts, places: Places) -> str:
    sites = event.waited_by if isinstance(node, ast.Wait) else event.triggered_by
    here = [path for path, span in sites if _same(span, node)]
    if isinstance(node, ast.Wait):
        ahead = [f"{_start(_path(path))} {_ahead(flow, path)}" for path in here if _ahead(flow, path)]
        tables = _tables(flow, event, here)
        return "\n\n".join([_verdict(flow), _counts(flow, event, places), *ahead, *tables, _lowered_wait(model)])
    start = any(_same(span, node) for span in event.granted_by)
    who = _start(_listed(_path(flow.called(path, node.span)) for path in here)) or "No path"
    what = "gives the credits at start" if start else "reports that its part of a generation is done"
    parts = [_verdict(flow), f"{who} {what}.", _counts(flow, event, places)]
    parts += _tables(flow, event, waiters(flow, event))
    return "\n\n".join([*parts, _lowered_trigger(model, flow, node)])


def _same(span: Span, node: ast.Node) -> bool:
    """A site's place is its statement or an operand of it."""
    return node.span.start <= span.start and span.end <= node.span.end


def _about_buffer(flow: KernelFlow, symbol: Symbol) -> str:
    info = next((item for item in flow.buffers if item.symbol is symbol), None)
    rows = stage_rows(flow, symbol.name, 2 * info.slots if info is not None else 4)
    if not rows or (info is None and all(step.buffer != symbol.name for step in flow.steps)):
        return ""
    return "\n\n".join([_verdict(flow), _table(_STAGE_HEAD, [_stage(row) for row in rows])])


def _about_future(flow: KernelFlow, model: Model, symbol: Symbol) -> str:
    tables = future_tables(flow, model, symbol, _FUTURE_ROWS)
    if not tables:
        return ""
    parts = [_verdict(flow)]
    for table in tables:
        cells = [
            (iteration_text(row.iteration) or "outside the loops", *map(_buffer, (row.filled, row.waited, row.names)))
            for row in table.rows
        ]
        head = f"{_start(_listed(map(_path, table.paths)))}:\n\n" if len(tables) > 1 else ""
        parts.append(head + _table(_FUTURE_HEAD, cells))
    if any(name.startswith(_NUMBERED) for table in tables for row in table.rows for name in (row.filled, row.names)):
        parts.append(
            "Buffers are numbered in the order in which they are first filled; `swap` and `rotate` move only names."
        )
    return "\n\n".join(parts)


def _buffer(name: str) -> str:
    """A name of the program as code; "buffer 0" and "global memory" are words."""
    return f"`{name}`" if name and " " not in name else name


def _slot(slot: int | None, shape: Sequence[int]) -> str:
    """Its number; of an array of several dimensions its subscripts."""
    if len(shape) > 1:
        return f"`{subscripts(slot, shape)}`"
    return "" if slot is None else str(slot)


def _stage(row: StageRow) -> tuple[object, ...]:
    return (
        *(iteration_text(row.iteration), _slot(row.slot, row.shape), row.generation),
        *(_use(row.filled), "; ".join(_use(use) for use in row.read)),
    )


def _use(use: Use) -> str:
    words = [_path(use.path)]
    words += [f"after `wait {use.waited}`"] if use.waited else []
    words += [f"then `trigger {use.triggered}`"] if use.triggered else []
    return ", ".join(words)


def _verdict(flow: KernelFlow) -> str:
    return f"**{_start(verdict_text(flow))}.**"


def _path(name: str) -> str:
    """ "path `p == 0`" for "path p == 0"; "the block" as it is."""
    return f"path `{name.removeprefix('path ')}`" if name.startswith("path ") else name


def _start(text: str) -> str:
    return text[:1].upper() + text[1:]


def _listed(words: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(words))


def _counts(flow: KernelFlow, event: EventFacts, places: Places) -> str:
    """Arrivals and why; credits at start and from whom; who gives, who waits."""
    found = sorted(set(event.arrivals))
    count = " or ".join(map(str, found))
    plural = "" if found == [1] else "s"
    lines = [f"`{event.name}`: {event.slots} mbarrier{'' if event.slots == 1 else 's'}."]
    gives = [f"{_path(flow.called(path, spans[0]))} ({places.lines(spans)})" for path, spans in givers(event).items()]
    why = f", one a path: {', '.join(gives)}" if gives else ""
    lines.append(f"{count} arrival{plural} complete{'s' if found == [1] else ''} a generation{why}.")
    credits = initial_credits(flow, event)
    if event.ready:
        lines.append(f"{_many(credits)} at start: `= ready`.")
    elif event.granted_by:
        counted = _many(credits) if credits else "Credits"
        lines.append(f"{counted} at start ({places.lines(event.granted_by)}).")
    else:
        lines.append("No credits at start.")
    who: dict[str, list[Span]] = {}
    for path, span in event.waited_by:
        who.setdefault(flow.called(path, span), []).append(span)
    waits = ", ".join(f"{_path(path)} ({places.lines(spans)})" for path, spans in who.items())
    lines.append(f"Waited for by {waits}." if waits else "Nobody waits for it.")
    return " ".join(lines)


def _many(count: int) -> str:
    return f"{count} credit{'' if count == 1 else 's'}"


def _ahead(flow: KernelFlow, path: str) -> str:
    ahead, _ = run_ahead(flow, path)
    return f"can run {ahead} round{'' if ahead == 1 else 's'} ahead of the credits that come back." if ahead else ""


def _tables(flow: KernelFlow, event: EventFacts, paths: Iterable[str]) -> list[str]:
    """One table for all paths with the same rows."""
    groups: dict[tuple[tuple[object, ...], ...], list[str]] = {}
    for path in dict.fromkeys(paths):
        rows = tuple(_cells(row, event) for row in wait_rows(flow, event, path))
        if rows:
            groups.setdefault(rows, []).append(path)
    return [f"{_start(_listed(map(_path, names)))}:\n\n{_table(_WAIT_HEAD, rows)}" for rows, names in groups.items()]


def _cells(row: WaitRow, event: EventFacts) -> tuple[object, ...]:
    return (
        *(iteration_text(row.iteration), _slot(row.slot, event.shape), row.generation, row.waited),
        *(row.after, row.phase_bit, row.credits),
    )


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    numbers = {_WAIT_HEAD: range(1, len(head)), _STAGE_HEAD: range(1, 3)}.get(tuple(head), range(0))
    lines = [head, ["---:" if at in numbers else "---" for at in range(len(head))], *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def _lowered_wait(model: Model) -> str:
    if Feature.MBARRIER not in model.context.target.features:
        return ""
    return "Lowered to a loop on `mbarrier.try_wait.parity`; the path flips its bit of the slot after each use."


def _lowered_trigger(model: Model, flow: KernelFlow, node: ast.Trigger) -> str:
    target = model.context.target
    if Feature.MBARRIER not in target.features:
        return ""
    moved = max((step.bytes or 0 for step in flow.steps if step.op == "trigger" and _same(step.span, node)), default=0)
    if moved and Feature.MBARRIER_TX in target.features:
        return f"Lowered to `mbarrier.arrive.expect_tx` with {moved:,} bytes, by one elected thread of the path."
    return "Lowered to `mbarrier.arrive`, by one elected thread of the path."
