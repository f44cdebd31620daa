"""Why the sizes that were tried do not say all, and what was taken to do nothing. Pure data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from croqc.text.span import Span

TOO_DEEP: Final = "this is nested too deeply; fewer levels can be analysed"

ON_DATA: Final = "depends on data"

OUTER_EVENT: Final = "an event that is declared outside the kernel"

NEVER_ENDS: Final = "this loop never ends: no turn changes what its condition asks"


@dataclass(frozen=True, slots=True)
class Note:
    """Something that is taken to do nothing: C++ text, or a `function` by its name, where not all of it is in sight."""

    span: Span
    function: str = ""


@dataclass(frozen=True, slots=True)
class Limit:
    """`reason` as a clause in the reader's terms; `place`: what decides, where that is one place of the function."""

    reason: str
    place: Span | None = None
