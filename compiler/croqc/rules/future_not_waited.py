"""Rule `future-not-waited`: a transfer is used, or forgotten, while it is in flight (reference, F03, F09)."""

from __future__ import annotations

from collections.abc import Iterator

from croqc.refactor.base import Code
from croqc.rules.base import Rule, Subject, Words
from croqc.rules.credit_edits import is_plain
from croqc.rules.credit_sites import Loop, code_of
from croqc.rules.credit_words import Args, at, fix
from croqc.rules.flow_places import (
    Seat,
    ended,
    inside,
    nodes_at,
    quoted,
    renews,
    seat_of,
    seats,
    settled,
    symbols,
    target_of,
)
from croqc.rules.handle_mends import exchanged, without
from croqc.sema.model import Finding, OperandKind, Symbol, SymbolKind
from croqc.sema.types import Future
from croqc.syntax import ast
from croqc.syntax.visit import walk
from croqc.text.diagnostics import Fix, Severity
from croqc.text.span import Span


def _message(args: Args, name: str, future: str) -> str:
    path, where = args["path"], at(args)
    match args["why"]:
        case "read":
            data = f"{name}.data" if name == future else name
            return f"{path} reads '{data}' while its copy is in flight{where}"
        case "accumulator":
            return f"{path} reads the accumulator while its multiply is still running{where}"
        case "overwritten":
            return f"'{name}' is assigned again while its transfer is in flight{where}"
        case _:
            return f"nothing waits for '{name}'{where}"


def _render(finding: Finding, subject: Subject) -> Words:
    code, args = code_of(subject), finding.args
    started = _started(code, finding)
    own, name = target_of(code, started), str(args["name"])
    future = next((symbol for symbol in code.model.symbols if symbol.name == name and _is_future(symbol)), own)
    if args["why"] == "accumulator":
        future = own
    known = future.name if future is not None else ""
    early = args["why"] in ("read", "accumulator")
    fixes = _earlier(code, finding, future, started) if early else _behind(code, started)
    hint = f"wait for '{known}'" if known else "wait for it"
    return Words(_message(args, name or known, known), hint, fixes=fixes)


def _started(code: Code, finding: Finding) -> ast.Copy | ast.Mma | None:
    """The copy or multiply that is in flight."""
    place = finding.related[0].span if finding.related else finding.span
    return next((node for node in reversed(nodes_at(code, place)) if isinstance(node, ast.Copy | ast.Mma)), None)


def _behind(code: Code, started: ast.Copy | ast.Mma | None) -> tuple[Fix, ...]:
    """Wait for a transfer as soon as it is under way."""
    future = target_of(code, started)
    seat = seat_of(code, started.span) if started is not None else None
    if future is None or seat is None or seat.stmt is not started:
        return ()
    return fix(f"Wait for '{future.name}'", (code.after(seat.stmt, f"wait {future.name};"),))


def _earlier(
    code: Code, finding: Finding, future: Symbol | None, started: ast.Copy | ast.Mma | None
) -> tuple[Fix, ...]:
    """Wait in front of the statement that reads: in the turn in which the handle got its transfer."""
    if future is None or started is None:
        return ()
    if not any(_declares(seat.block, future) for seat in seats(code, finding.span)):
        return _behind(code, started)
    seat = _turn(code, finding.span, started.span, future)
    if seat is None or not code.written(seat.stmt):
        return ()
    if ended(code, seat.before, future):  # of the wrong transfer
        return exchanged(code, finding)
    late = next((one for one in seat.later if isinstance(one, ast.Wait) and future in symbols(code, one.refs)), None)
    if late is not None:
        return _moved(code, seat, late)
    others = _also_read(code, seat) if isinstance(started, ast.Copy) else []
    both = [future, *(symbol for symbol in others if symbol is not future)]
    names = ", ".join(symbol.name for symbol in both)
    return fix(f"Wait for {quoted(both)} first", (code.before(seat.stmt, f"wait {names};"),))


def _moved(code: Code, seat: Seat, late: ast.Wait) -> tuple[Fix, ...]:
    """Wait in front for those operands of a later wait whose transfers are under way there."""
    if not is_plain(code, late, "wait"):
        return ()
    between = [node for stmt in (seat.stmt, *seat.later[: seat.later.index(late)]) for node in inside(stmt)]
    early = [one for one in symbols(code, late.refs) if not any(renews(code, node, one) for node in between)]
    early = early or symbols(code, late.refs)  # behind the exchange: meant for this turn
    names = ", ".join(one.name for one in early)
    return fix(
        f"Wait for {quoted(early)} first", (code.before(seat.stmt, f"wait {names};"), without(code, late, early))
    )


def _declares(block: ast.Block, future: Symbol) -> bool:
    """Whether a handle is declared by a statement that stands directly in the block."""
    place = future.name_span.start
    holder = next((stmt for stmt in block.stmts if stmt.span.start <= place < stmt.span.end), None)
    return isinstance(holder, ast.Copy | ast.AnyFuture | ast.Mma)


def _is_future(symbol: Symbol) -> bool:
    return isinstance(symbol.type, Future)


def _turn(code: Code, here: Span, there: Span, future: Symbol) -> Seat | None:
    """The statement to wait in front of: in the innermost loop that renews the handle, else beside its transfer."""
    found = seats(code, here)
    for node in reversed(nodes_at(code, here)):
        if isinstance(node, Loop) and any(renews(code, stmt, future) for stmt in inside(node.body)):
            return next((seat for seat in found if seat.block is node.body), None)
    around = {id(seat.block) for seat in seats(code, there)}
    return next((seat for seat in reversed(found) if id(seat.block) in around), None)


def _also_read(code: Code, seat: Seat) -> list[Symbol]:
    """Other futures whose data the statement reads and that nothing of its block has waited for."""
    done = settled(code, [seat.stmt])
    found: list[Symbol] = []
    for node in _read_by(code, seat.stmt):
        match node:
            case ast.Chain(base=ast.Name() as base, suffixes=(ast.Member(name="data"), *_)):
                symbol = code.model.uses.get(base)
                if symbol is None or symbol in done or symbol in found or ended(code, seat.before, symbol):
                    continue
                if _is_asynchronous(code, symbol):
                    found.append(symbol)
    return found


def _read_by(code: Code, stmt: ast.Node) -> Iterator[ast.Node]:
    """What a statement consists of, and the tiles that the names of its operands stand for."""
    for node in walk(stmt):
        yield node
        symbol = code.model.uses.get(node) if isinstance(node, ast.Name) else None
        if symbol is not None and symbol.kind is SymbolKind.FRAGMENT:
            loads = (load for load, kind in code.model.loads.items() if kind is OperandKind.SHARED)
            for load in loads:
                if isinstance(load.target, ast.Name) and code.model.uses.get(load.target) is symbol:
                    yield from walk(load.source)


def _is_asynchronous(code: Code, future: Symbol) -> bool:
    copies = [node for node in code.around if isinstance(node, ast.Copy) and target_of(code, node) is future]
    return bool(copies) and all(copy.is_async for copy in copies)


RULE = Rule(
    name="future-not-waited",
    severity=Severity.ERROR,
    summary="A transfer is used, or forgotten, while it is in flight.",
    rows=("F03", "F09"),
    render=_render,
)
