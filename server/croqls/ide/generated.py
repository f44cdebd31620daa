"""Generated code beside its source, with a map of lines both ways. Must not generate it (see `service.cuda`)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from croqc.service.cuda import CudaResult, MappedLine


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A line of the source, from 0, and the lines of the generated text that stand for what begins there."""

    line: int
    lines: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Generated:
    """`code.lines` leads from the generated text to the source, `sources` back."""

    version: int
    code: CudaResult
    sources: tuple[SourceLine, ...]


def generated(code: CudaResult) -> Generated:
    """The result with the way back."""
    return Generated(1, code, ways_back(code.lines))


def ways_back(lines: Iterable[MappedLine]) -> tuple[SourceLine, ...]:
    """The lines of the source that lead to lines of a text; statements of several lines stand at their first one."""
    found: dict[int, list[int]] = {}
    for item in lines:
        found.setdefault(item.range.start.line, []).append(item.line)
    return tuple(SourceLine(line, tuple(found[line])) for line in sorted(found))
