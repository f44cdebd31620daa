"""What stands over each `__co__` function (LSP `textDocument/codeLens`): what can be done with it, its cost, and what
came of its last run.

The commands are names with the address of the document and the name of the function. Must not know LSP types or run
anything; all is static.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from croqc.flow.paths import kernel_paths
from croqc.sema.memory import placed_bytes
from croqc.sema.model import Analysis, Kernel, Model, SymbolKind
from croqc.sema.types import Event, Storage
from croqc.service.check import FileReport, FunctionReport
from croqc.text.span import Span
from croqls.ide.hover_operations import Made
from croqls.ide.run_lenses import SHOW_RUN, Ran, Which, around, directive_texts, likeness, run_title
from croqls.ide.snapshot import Snapshot

RUN, VERIFY, FLOW = "croqtile.run", "croqtile.verify", "croqtile.showFlow"
CUDA, SHARED_MEMORY = "croqtile.showCuda", "croqtile.showSharedMemory"


@dataclass(frozen=True, slots=True)
class Lens:
    """A title over an absolute span, and the command behind it with its function; `overload`: the number of that, where
    others have its name."""

    span: Span
    title: str
    command: str
    function: str
    overload: int | None = None


@dataclass(frozen=True, slots=True)
class Laid:
    """What is known of a function that was compiled: the bytes of the kernel that takes most, how copies are made."""

    bytes: int
    copies: Made


Costs = dict[Analysis, tuple[str, str]]
"""What a function costs, in words, and its text."""
LayoutKey = tuple[object, ...]
Layouts = Mapping[LayoutKey, "Laid | None"]
"""None where there is no layout."""
_NOT_RUN: Mapping[Which, Ran] = {}
_NOT_LAID_OUT: Layouts = {}


def lenses(
    snapshot: Snapshot,
    card: bool,
    costs: Costs | None = None,
    ran: Mapping[Which, Ran] = _NOT_RUN,
    layouts: Layouts = _NOT_LAID_OUT,
) -> tuple[Lens, ...]:
    """The lenses of every function that has a name; `card`: a GPU is there to run on; `ran`: the last runs by function.

    `costs` are those of the version before, for functions that did not change; they become those of this version, but
    for a glance at it, to which a function is known by its text. `layouts`: those that are known, by `layout_keys`.
    """
    known, lent = {} if costs is None else dict(costs), snapshot.is_lent
    written = {text: cost for cost, text in known.values()} if lent else {}
    new: Costs = {}
    found: list[Lens] = []
    outside = around(snapshot.report) if ran else ""
    keys = layout_keys(snapshot.report) if layouts else ()
    names, overloads = Counter(one.name for one in snapshot.report.functions), snapshot.report.overloads
    for number, report in enumerate(snapshot.report.functions):
        analysis, text = report.analysis, report.parsed.source.text
        if analysis is not None and analysis.model.kernels:
            cost = written.get(text)
            new[analysis] = known.get(analysis) or (_cost(analysis.model) if cost is None else cost, text)
        own = list(_of_function(report, card, new, layouts.get(keys[number]) if keys else None))
        overload = overloads[report.base]
        if own and ran and (last := ran.get((report.name, overload))) is not None:
            title = run_title(last, likeness(snapshot.report, report, outside))
            own.insert(2, Lens(own[0].span, title, SHOW_RUN, report.name))  # it moves neither button when it comes
        found += own if names[report.name] == 1 else [replace(lens, overload=overload) for lens in own]
    if costs is not None and not lent:
        costs.clear()
        costs.update(new)
    return tuple(found)


def layout_keys(report: FileReport) -> tuple[LayoutKey, ...]:
    return tuple(layout_key(report, number) for number in range(len(report.functions)))


def layout_key(report: FileReport, number: int) -> LayoutKey:
    """What the layout of a function's kernels depends on: its text and macros, its sizes, the target."""
    own = report.directives.functions[number]
    return report.functions[number].parsed.source.key, directive_texts(report.source, own), report.target.name


def _of_function(report: FunctionReport, card: bool, costs: Costs, laid_out: Laid | None) -> Iterator[Lens]:
    tree = report.parsed.tree
    if tree is None or not tree.name.id:
        return
    titles = [(RUN, "▶ Run on GPU" if card else "▶ Run (simulator)"), (VERIFY, "✓ Verify")]
    if report.analysis is not None and report.analysis in costs:
        cost = costs[report.analysis][0]
        if laid_out is not None:
            cost = " · ".join([_memory("shared", laid_out.bytes, report.analysis.model), *cost.split(" · ")[1:]])
        titles += [(FLOW, "⧉ Credit flow"), (CUDA, "{ } CUDA"), (SHARED_MEMORY, cost)]
    span = tree.name.span.shift(report.base)
    for command, title in titles:
        yield Lens(span, title, command, tree.name.id)


def _cost(model: Model) -> str:
    """What the kernel that takes most costs, as in "buffers 48.0/227 KiB · 2 paths · 4 stages": what is declared,
    before the layout is known: without the staging of results, and as if no two buffers shared bytes."""
    kernel = max(model.kernels, key=lambda one: _shared_bytes(model, one))
    parts = [_memory("buffers ≥" if _unsized(model, kernel) else "buffers", _shared_bytes(model, kernel), model)]
    if kernel.threads is not None:
        parts.append(_counted(len(kernel_paths(model, kernel)), "path"))
    stages = _stages(model, kernel)
    return " · ".join([*parts, *([_counted(stages, "stage")] if stages else [])])


def _memory(word: str, used: int, model: Model) -> str:
    return f"{word} {used / 1024:.1f}/{model.context.target.shared_limit / 1024:g} KiB"


def _counted(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"


def _shared_bytes(model: Model, kernel: Kernel) -> int:
    """What the buffers and barriers of a block take, as `croq check` counts it."""
    own = [one for one in model.buffers if getattr(one.symbol.type, "storage", None) is Storage.SHARED]
    return placed_bytes([one for one in own if _inside(kernel, one.symbol.decl.span)])


def _unsized(model: Model, kernel: Kernel) -> bool:
    """Whether a shared buffer of the kernel has a size that only a launch knows."""
    known = {info.symbol for info in model.buffers}
    buffers = (SymbolKind.BUFFER, SymbolKind.ANONYMOUS)
    own = [one for one in model.symbols if one.kind in buffers and _inside(kernel, one.decl.span)]
    return any(one not in known and getattr(one.type, "storage", None) is Storage.SHARED for one in own)


def _stages(model: Model, kernel: Kernel) -> int:
    """The slots of the longest ring of events; 0 without one."""
    types = [
        symbol.type
        for symbol in model.symbols
        if symbol.kind is SymbolKind.EVENT and _inside(kernel, symbol.decl.span) and isinstance(symbol.type, Event)
    ]
    return max((one.array[0] for one in types if one.array), default=0)


def _inside(kernel: Kernel, span: Span) -> bool:
    return kernel.node.span.start <= span.start and span.end <= kernel.node.span.end
