"""A profile as text: verdict, blocks, a table a path. Must not judge."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from croqc.service.profile_result import BlockTime, KernelTime, PathTime, ProfileEntry
from croqc.service.profile_rings import percent, what

_HEADS = ("visits", "total us", "share", "median ns", "longest ns")


def report_lines(entry: ProfileEntry) -> list[str]:
    """The report of one function, line by line."""
    return list(_lines(entry))


def _lines(entry: ProfileEntry) -> Iterator[str]:
    sizes = "".join(f" {name}={value}" for name, value in entry.sizes.items())
    title = f"{entry.path}: {entry.function}{sizes}"
    if not entry.kernels:
        start = None if entry.range is None else entry.range.start
        at = "" if start is None else f"{entry.path}:{start.line + 1}:{start.character + 1}: "
        yield f"{title}: not profiled"
        yield f"  {at}{entry.message}"
        if entry.offer == "force":
            yield "  --force profiles it all the same"
    else:
        yield f"{title}: {entry.plain * 1e6:.1f} us on {entry.card} (median of {entry.rounds})"
        yield f"  measured with probes in every block: {entry.slowdown:.2f} x the plain time"
    for kernel in entry.kernels:
        yield from _kernel(kernel, len(entry.kernels) > 1)
    yield from (f"  note: {text}" for text in entry.notes)


def _kernel(kernel: KernelTime, several: bool) -> Iterator[str]:
    if several:
        yield f"  {kernel.kernel}"
    if kernel.ring is not None:
        ring = kernel.rings[kernel.ring]
        yield f"  ring {ring.full}/{ring.empty}, {ring.slots} slot{'' if ring.slots == 1 else 's'}: {kernel.verdict}"
    else:
        yield f"  {kernel.verdict}"
    yield from (f"    try {text}" for text in kernel.tries)
    for block in kernel.blocks:
        yield f"  block {block.block} on SM {block.multiprocessor}: {block.length / 1000:.2f} us"
        yield from _aligned([row for path in block.paths for row in _path(block, path)])
        for path in block.paths:
            if path.dropped:
                kept = sum(place.count for place in block.places if place.path == path.name)
                yield f"    {path.name}: the {path.dropped:,} visits behind the first {kept:,} were not kept"


def _path(block: BlockTime, path: PathTime) -> list[tuple[str, ...]]:
    """The rows of a path: its places, and what lies between them."""
    own = [place for place in block.places if place.path == path.name]
    rows: list[tuple[str, ...]] = [(f"{path.name}, {(path.end - path.start) / 1000:.2f} us", *_HEADS)]
    for place in own:
        name = f"  line {place.range.start.line + 1}: {what(place)}"
        figures = (f"{place.count}", f"{place.total / 1000:.2f}", percent(place.share))
        rows.append((name, *figures, f"{place.median}", f"{place.longest}"))
    rest = max(path.kept - path.start - sum(place.total for place in own), 0)
    share = rest / max(path.kept - path.start, 1)
    return [*rows, ("  between them", "", f"{rest / 1000:.2f}", percent(share), "", "")]


def _aligned(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for first, *rest in rows:
        columns = (text.rjust(width) for text, width in zip(rest, widths[1:], strict=True))
        yield f"    {first.ljust(widths[0])}  {'  '.join(columns)}".rstrip()
