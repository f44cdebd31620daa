"""Why the sizes that were tried do not say all. Pure data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from croqc.text.span import Span

TOO_DEEP: Final = "this is nested too deeply; fewer levels can be analysed"

ON_DATA: Final = "depends on data"

NEVER_ENDS: Final = "this loop never ends: no turn changes what its condition asks"


@dataclass(frozen=True, slots=True)
class Limit:
    """`reason` as a clause in the reader's terms; `place`: what decides, where that is one place of the function."""

    reason: str
    place: Span | None = None
