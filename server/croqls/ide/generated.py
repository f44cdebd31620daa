"""Generated code beside its source, with a map of lines both ways. Must not generate it (see `service.cuda`)."""

from __future__ import annotations

from dataclasses import dataclass

from croqc.service.cuda import CudaResult


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
    """The result with the way back: statements of several lines stand at their first one."""
    found: dict[int, list[int]] = {}
    for item in code.lines:
        found.setdefault(item.range.start.line, []).append(item.line)
    return Generated(1, code, tuple(SourceLine(line, tuple(found[line])) for line in sorted(found)))
