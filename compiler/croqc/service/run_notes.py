"""What a run says beside its verdict: assumptions that its sizes break, what explains a hang, and hints at what a
failed line may mean.

Must not decide verdicts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from croqc.rules.table import FLOW_RULES
from croqc.runs.placement import overhangs
from croqc.runs.report import ExpectationResult, Verdict
from croqc.runs.usage import usage_of
from croqc.sema.model import Analysis, CopyInfo, Model, SymbolKind, View, ViewKind
from croqc.sema.symbolic import Int
from croqc.sema.types import Storage, data_of
from croqc.service.check import FileReport, FunctionReport
from croqc.service.flow_failure import flow_failure, with_verdicts
from croqc.syntax.directive_clauses import ExpectDirective
from croqc.syntax.formulas import Apply, Formula, Ref, Slice, children
from croqc.text.diagnostics import Severity

_ASSUMED = "assumed-divisible"
_DROPPED = "dropped-rest"
_LOST = "lost-write"
_ROUNDING = 2.0**-7  # the error's norm over the values': more than f16 and bf16 lose in a few operations
_DATA = ("stage-race", "uncommitted-release", "early-publish", "unwritten-read", "stale-buffer")
_STALLING = frozenset(FLOW_RULES) - set(_DATA) - {"future-not-waited", "future-waited-twice"}
"""The rules whose findings explain why a path never gets on; what is wrong with data alone does not."""


def broken_assumptions(analysis: Analysis, dims: Mapping[str, int]) -> Iterator[str]:
    """Each extent that was assumed to be a multiple of a tile and is none in this run (reference, 5.2)."""
    copies = {node.source.span: info for node, info in analysis.model.copies.items()}
    for finding in analysis.findings:
        info, tile, dim = copies.get(finding.span), finding.args.get("tile"), finding.args.get("dim")
        if finding.rule != _ASSUMED or info is None or not isinstance(tile, int) or not isinstance(dim, int):
            continue
        extent = _cut_from(info.source)[dim]
        value = extent.evaluate(dims)
        if value is not None and value % tile:
            name = info.source.base.name
            yield f"{extent} % {tile} == 0 does not hold: {extent} is {value}, so the tiles of '{name}' are not whole"


def dropped_rests(analysis: Analysis, dims: Mapping[str, int]) -> Iterator[str]:
    """Each size whose rest no index reaches, and that leaves one in this run (reference, 8.10)."""
    for finding in analysis.findings:
        size, tile = finding.args.get("size"), finding.args.get("tile")
        if finding.rule != _DROPPED or not isinstance(size, str) or not isinstance(tile, int):
            continue
        value = dims.get(size)
        if value is not None and (rest := value % tile):
            left = f"'{size} / {tile}' leaves the last {rest} out"
            yield f"{size} % {tile} == 0 does not hold: {size} is {value}, and {left}"


def lost_writes(analysis: Analysis) -> Iterator[str]:
    """Each parameter whose new content a caller does not get, though the run may compare it (reference, 3.6)."""
    for finding in analysis.findings:
        if finding.rule == _LOST:
            name = finding.args.get("name")
            yield f"what the kernel writes to '{name}' does not reach a caller: '{name}' is neither 'global' nor '&'"


def undefined_rests(model: Model, dims: Mapping[str, int]) -> Iterator[str]:
    """Each size that leaves a part of the last tiles undefined in this run, and that no output has as an extent: what a
    tile lacks there reaches every result (reference, 5.2). Where an output has the extent, the copy to it is clipped.
    """
    outputs = [info.dest for info in model.copies.values() if info.dest_storage in (Storage.GLOBAL, Storage.HOST)]
    clipped = {name for view in outputs for extent in _data_shape(view) for name in extent.names()}
    found: dict[tuple[str, int, int], dict[str, None]] = {}
    for node, info in model.copies.items():
        if node.engine == "tma" or info.zero_fill or node.source_zfill or info.dest_storage is not Storage.SHARED:
            continue
        for extent, tile in _cuts(info):
            value, part = extent.evaluate(dims), tile.evaluate(dims)
            if value is not None and part and value % part and not extent.names() & clipped:
                found.setdefault((str(extent), part, value), {})[info.source.base.name] = None
    for (extent_text, part, value), names in found.items():
        listed = " and ".join(f"'{name}'" for name in names)
        yield (
            f"{extent_text} % {part} == 0 does not hold: {extent_text} is {value}, and what the last tiles of {listed}"
            f" lack is undefined; '.zfill' at {'its copy' if len(names) == 1 else 'their copies'} sets it to 0"
        )


def _cuts(info: CopyInfo) -> Iterator[tuple[Int, Int]]:
    """The extents that a copied tile is cut from, with the tile's; a chunk is as large as what it is copied to."""
    if info.source.ops and info.source.ops[-1].kind in (ViewKind.CHUNKAT, ViewKind.CHUNK):
        yield from zip(_cut_from(info.source), info.dest.data.shape, strict=False)
    else:
        yield from overhangs(info.source)


def _data_shape(view: View) -> tuple[Int, ...]:
    data = data_of(view.base.type)
    return () if data is None else data.shape


def _cut_from(view: View) -> tuple[Int, ...]:
    """The shape that the last operation of a view cuts."""
    return view.ops[-2].shape if len(view.ops) > 1 else _data_shape(view)


def hang_notes(report: FileReport, function: FunctionReport) -> Iterator[str]:
    """Where `croq check` tells why the kernels of a function hang, if it does."""
    for item in with_verdicts(report).diagnostics:
        if item.code in _STALLING and item.severity is Severity.ERROR and function.spans(item.span):
            line = report.source.position(item.span.start).line + 1
            yield f"'croq check' explains it: {item.code} at line {line}"
            return


def flow_note(report: FileReport, function: FunctionReport, verdict: Verdict) -> tuple[str, ...]:
    """That the credit flow fails, where the run does not show it: for other sizes, or on another schedule."""
    if verdict in (Verdict.HANGS, Verdict.NOT_RUN):
        return ()
    failure = flow_failure(report, function)
    good = verdict in (Verdict.VERIFIED, Verdict.CONSISTENT)
    return () if failure is None else (f"{verdict.value} here, but {failure}" if good else failure,)


def hints(model: Model, expects: Sequence[ExpectDirective], results: Sequence[ExpectationResult]) -> Iterator[str]:
    """For a failed line: a parameter that the kernel reads and writes stands for what the kernel left, and `==` asks
    for more than arithmetic of floats gives."""
    usage = usage_of(model)
    changed = {symbol.name for symbol in usage.read & usage.written if symbol.kind is SymbolKind.PARAM}
    for directive, result in zip(expects, results, strict=False):
        if directive.expr is None or result.ok:
            continue
        if directive.expr.op == "==" and _is_rounding(result):
            yield f"'==' asks for the same bits, and these differ by rounding: '~=' allows for it ({result.text})"
        for name in dict.fromkeys(_present(directive.expr.right)):
            if name in changed:
                yield f"'{name}' on the right side is what the kernel left; 'old({name})' is what it was before"


def _is_rounding(result: ExpectationResult) -> bool:
    """Whether two results differ by so little, and are no integers, that rounding explains it."""
    worst = result.worst
    fractions = worst is not None and not (float(worst.got).is_integer() and float(worst.want).is_integer())
    return fractions and 0 < result.norms.rel_l2 < _ROUNDING


def _present(node: Formula | Slice) -> Iterator[str]:
    """The names outside `old`."""
    stack = [node]
    while stack:
        top = stack.pop()
        if isinstance(top, Ref):
            yield top.name
        elif not (isinstance(top, Apply) and top.name == "old"):
            stack.extend(reversed(children(top)))
