"""What the text does not say, shown between its words (LSP `textDocument/inlayHint`). Must not know LSP types.

Types and shapes of names without a written type, slot and parity of waits and triggers, bytes of shared buffers, the
threads of a role. All static: no verifier.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from croqc.flow.paths import Path, kernel_paths
from croqc.sema.describe import describe
from croqc.sema.events import order_of
from croqc.sema.model import BufferInfo, Kernel, Model, Symbol, SymbolKind
from croqc.sema.types import Event, Storage, Unknown, data_of
from croqc.service.check import FunctionReport
from croqc.syntax import ast
from croqc.syntax.printer_exprs import print_expr
from croqc.syntax.visit import covering, nodes_of_kind, walk
from croqc.text.span import Span
from croqls.ide.carry import Move
from croqls.ide.snapshot import Snapshot


class HintKind(Enum):
    """Each can be switched off; the values are the names of the settings."""

    TYPES = "types"
    SLOTS = "slots"
    SHARED_MEMORY = "sharedMemory"
    PATHS = "paths"


@dataclass(frozen=True, slots=True)
class Hint:
    """A label in front of an absolute offset, and more to read about it."""

    offset: int
    label: str
    kind: HintKind
    tooltip: str = ""


@dataclass(frozen=True, slots=True)
class Hints:
    """The hints of a text; `done` are the places of the functions that were looked at, others keep what they had."""

    text: str
    found: tuple[Hint, ...]
    done: frozenset[int] = frozenset()


def inlay_hints(snapshot: Snapshot, before: Hints | None = None, within: Span | None = None) -> Hints:
    """The hints of a version, made for the functions `within` a stretch (all without one).

    A function that does not parse keeps those of `before`, moved with the edit, so that they do not jump while it is
    typed; what the edit touched has none. So do functions elsewhere.
    """
    known = _moved(before, snapshot.text) if before is not None else None
    same = before is not None and before.text == snapshot.text
    found: list[Hint] = []
    done: set[int] = set()
    for report in snapshot.report.functions:
        whole = Span(report.base, report.base + len(report.parsed.source.text))
        asked = within is None or (within.start <= whole.end and whole.start <= within.end)
        if same and before is not None and report.base in before.done:
            done.add(report.base)
        elif asked and not (known is not None and _is_broken(report)):
            found += _of_function(report, report.analysis.model) if report.analysis is not None else ()
            done.add(report.base)
            continue
        found += (hint for hint in known or () if whole.contains(hint.offset - 1))
    return Hints(snapshot.text, tuple(sorted(found, key=lambda hint: hint.offset)), frozenset(done))


def _is_broken(report: FunctionReport) -> bool:
    tree = report.parsed.tree
    return tree is None or tree.doubts is not None


def _moved(before: Hints, text: str) -> tuple[Hint, ...]:
    """The hints of an earlier text where they belong in this one; those that the edit touched are gone."""
    if before.text == text:
        return before.found
    move = Move(before.text, text)
    places = ((hint, move.span(Span(hint.offset - 1, hint.offset))) for hint in before.found)
    return tuple(Hint(at.end, hint.label, hint.kind, hint.tooltip) for hint, at in places if at is not None)


def _of_function(report: FunctionReport, model: Model) -> Iterator[Hint]:
    text = report.parsed.source.text
    found = [*_types(model), *_slots(model), *_bytes(model, text), *_paths(model, text)]
    written = report.parsed.source.macro_uses
    for hint in found:
        inside = any(span.start < hint.offset < span.end for span, _ in written)
        if not inside:
            yield Hint(hint.offset + report.base, hint.label, hint.kind, hint.tooltip)


# --- types of names that have none written -------------------------------------------------------

_INFERRED = (SymbolKind.VARIABLE, SymbolKind.FUTURE, SymbolKind.FRAGMENT)
_WRITTEN = (
    ast.ScalarInit,
    ast.ShapeDecl,
    ast.TupleDecl,
    ast.FragDecl,
    ast.BufferName,
    ast.Range,
    ast.Binding,
    ast.Axis,
)


def _types(model: Model) -> Iterator[Hint]:
    for symbol in model.symbols:
        inferred = symbol.kind in _INFERRED and not isinstance(symbol.decl, _WRITTEN)
        if inferred and not isinstance(symbol.type, Unknown) and symbol.name_span.length and symbol.name != "_":
            yield Hint(symbol.name_span.end, f": {_short(symbol)}", HintKind.TYPES, describe(symbol.type))


def _short(symbol: Symbol) -> str:
    """A future is told by what it fills, a fragment by its shape."""
    text = describe(symbol.type)
    return text.removeprefix("future of ").removeprefix("fragment ")


# --- slots and parities --------------------------------------------------------------------------


def _slots(model: Model) -> Iterator[Hint]:
    sites: tuple[ast.Wait | ast.Trigger, ...] = (
        *nodes_of_kind(model.function, ast.Wait),
        *nodes_of_kind(model.function, ast.Trigger),
    )
    for node in sites:
        for ref in node.refs:
            label = _slot(model, node, ref)
            if label:
                yield Hint(ref.span.end, f" {label}", HintKind.SLOTS, _PARITY)


_PARITY = "A wait passes when the generation with this parity is complete; parities alternate, 0 comes first."


def _slot(model: Model, node: ast.Wait | ast.Trigger, ref: ast.Expr) -> str:
    """What the text does not show: the slot behind an order or a variable, and a wait's parity where it is sure."""
    base = ref.base if isinstance(ref, ast.Chain) else ref
    symbol = model.uses.get(base) if isinstance(base, ast.Name) else None
    if symbol is None or not isinstance(symbol.type, Event) or not symbol.type.array or not isinstance(ref, ast.Chain):
        return ""
    slots = symbol.type.array[0]
    if len(symbol.type.array) != 1:
        return ""
    order = order_of(ref)
    if order is not None:
        if any(isinstance(one, ast.IncDec) for one in walk(order)):
            return ""
        text = _factor(print_expr(order))
        parity = _parity(f"{text} / {slots}") if isinstance(node, ast.Wait) else ""
        return f"slot {text} % {slots}{parity}"
    index = ref.suffixes[0].args[0] if isinstance(ref.suffixes[0], ast.Index) else None
    value = model.values.get(index) if index is not None else None
    if index is None or value is None:
        return ""
    text, written = str(value), print_expr(index)
    shown = f"slot {text}" if text != written and value.const is None else ""
    turn = _turn(model, node, symbol, text, slots) if isinstance(node, ast.Wait) else None
    if turn is None:
        return shown
    return f"{shown}{_parity(f'{_factor(turn)} / {slots}')}".removeprefix(", ")


def _factor(text: str) -> str:
    return text if text.isidentifier() or text.isdigit() else f"({text})"


def _parity(generation: str) -> str:
    """Also of `= ready`: what it grants at start is generation 0, as a bootstrap is."""
    return f", parity ({generation}) & 1"


def _turn(model: Model, node: ast.Wait, symbol: Symbol, slot: str, slots: int) -> str | None:
    """The index that counts a path's waits for the event: its loop runs once and waits once a turn for slot i % N."""
    above = covering(model.function, node.span)
    loops = [one for one in above if isinstance(one, ast.Foreach | ast.While)]
    if len(loops) != 1 or not isinstance(loops[0], ast.Foreach) or loops[0].ranges or len(loops[0].bindings) != 1:
        return None
    loop, names = loops[0], loops[0].bindings[0].names
    if node not in loop.body.stmts or len(names) != 1 or any(isinstance(one, ast.Jump) for one in walk(loop)):
        return None
    if slot.replace(" ", "") != f"{names[0].id}%{slots}":
        return None
    waits = [one for one in nodes_of_kind(model.function, ast.Wait) if one is not node]
    others = [one for one in waits if any(_names(model, ref, symbol) for ref in one.refs)]
    here = _role(above)
    alone = not any(_meet(model, here, _role(covering(model.function, one.span))) for one in others)
    return names[0].id if alone else None


def _meet(model: Model, one: ast.Node, other: ast.Node) -> bool:
    """Whether a path may run both of two regions; a path that waits in both counts on from one to the other."""
    if one is other or not isinstance(one, ast.InThreads) or not isinstance(other, ast.InThreads):
        return True
    paths = [path for kernel in model.kernels for path in kernel_paths(model, kernel)]
    entering = [path for path in paths if path.regions.get(one)]
    return not entering or any(path.regions.get(other) for path in entering)


def _role(above: list[ast.Node]) -> ast.Node:
    """The innermost region around a statement, else the whole function."""
    return next((one for one in reversed(above) if isinstance(one, ast.InThreads)), above[0])


def _names(model: Model, ref: ast.Expr, symbol: Symbol) -> bool:
    return any(isinstance(one, ast.Name) and model.uses.get(one) is symbol for one in walk(ref))


# --- bytes ---------------------------------------------------------------------------------------


def _bytes(model: Model, text: str) -> Iterator[Hint]:
    for info in model.buffers:
        data = data_of(info.symbol.type)
        if data is None or data.storage is not Storage.SHARED:
            continue
        share = 100 * info.bytes / model.context.target.shared_limit
        tooltip = f"{info.bytes:,} bytes, {share:.1f} % of the shared memory of a block on {model.context.target.name}"
        yield Hint(_end(info.symbol, text), f" {_sized(info)}", HintKind.SHARED_MEMORY, tooltip)


def _end(symbol: Symbol, text: str) -> int:
    """Behind the declarator, of `=> shared` behind the storage word."""
    decl = symbol.decl
    if isinstance(decl, ast.Copy) and isinstance(decl.dest, ast.StorageDest):
        return decl.dest.span.end
    if isinstance(decl, ast.BufferName):
        return max([symbol.name_span.end, *(_behind(text, one.span.end, "]") for one in decl.array)])
    return symbol.name_span.end


def _behind(text: str, at: int, sign: str) -> int:
    """Behind the bracket that closes at a place; the place itself where it is missing."""
    found = re.compile(rf"\s*{re.escape(sign)}").match(text, at)
    return found.end() if found else at


def _sized(info: BufferInfo) -> str:
    slots = f"{info.slots} × {kib(info.slot_bytes)} = " if info.slots > 1 else ""
    return f"{slots}{kib(info.bytes)}"


def kib(count: int) -> str:
    """Bytes as people read them: `512 B`, `8 KiB`, `1.5 KiB`."""
    return f"{count} B" if count < 1024 else f"{count / 1024:.1f}".removesuffix(".0") + " KiB"


# --- paths ---------------------------------------------------------------------------------------


def _paths(model: Model, text: str) -> Iterator[Hint]:
    for kernel in model.kernels:
        regions = list(nodes_of_kind(kernel.node, ast.InThreads))
        if regions:
            yield from _regions(model, kernel, regions, text)


def _regions(model: Model, kernel: Kernel, regions: list[ast.InThreads], text: str) -> Iterator[Hint]:
    paths = kernel_paths(model, kernel)
    for node in regions:
        entering = [path for path in paths if path.regions.get(node)]
        if entering and all(path.thread_count for path in entering):
            count = f"{len(entering)} paths, " if len(entering) > 1 else ""
            names = ", ".join(path.name for path in entering)
            yield Hint(_behind(text, node.cond.span.end, ")"), f" {count}{_threads(entering)}", HintKind.PATHS, names)


def _threads(paths: list[Path]) -> str:
    """The threads of the paths: the range where they lie in one, else how many."""
    total = sum(path.thread_count for path in paths)
    first = min(path.threads.start for path in paths)
    last = max(path.threads[-1] for path in paths)
    if total == 1:
        return f"thread {first}"
    return f"threads {first} … {last}" if last - first + 1 == total else f"{total} threads"
