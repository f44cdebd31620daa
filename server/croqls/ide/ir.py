"""What a stage of the compiler made of a document beside its source, with a map of lines both ways. Must not make it
(see `service.dump`).
"""

from __future__ import annotations

from dataclasses import dataclass

from croqc.service.check import FileReport
from croqc.service.check_result import range_of
from croqc.service.cuda import MappedLine
from croqc.service.dump import STAGES
from croqc.text.span import NOWHERE
from croqls.ide.generated import SourceLine, ways_back


@dataclass(frozen=True, slots=True)
class Ir:
    """The stage `after`, of `stages`. `lines` lead from the text to the source, `sources` back."""

    version: int
    after: str
    stages: tuple[str, ...]
    text: str
    lines: tuple[MappedLine, ...]
    sources: tuple[SourceLine, ...]


def ir(report: FileReport, stage: str) -> Ir:
    """`stage` is one of STAGES."""
    made = list(STAGES[stage](report))
    lines = tuple(
        MappedLine(number, range_of(report.source, line.span))
        for number, line in enumerate(made)
        if line.span != NOWHERE
    )
    return Ir(1, stage, tuple(STAGES), "".join(f"{line.text}\n" for line in made), lines, ways_back(lines))
