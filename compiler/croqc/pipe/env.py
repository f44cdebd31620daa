"""What a pass may ask beside the kernel. Pure data."""

from __future__ import annotations

from croqc.pipe.facts import Facts
from croqc.targets.table import Target
from croqc.text.record import record


@record
class Env:
    target: Target
    facts: Facts
