"""Tables of what each GPU architecture offers. Tables only: must not decide anything."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from croqc.targets import sm_80, sm_86, sm_89, sm_90a, sm_100a
from croqc.targets.table import Feature, Target

TARGETS: Final[Mapping[str, Target]] = MappingProxyType(
    {table.TARGET.name: table.TARGET for table in (sm_80, sm_86, sm_89, sm_90a, sm_100a)}
)
DEFAULT_TARGET: Final = "sm_90a"


def find_target(name: str) -> Target | None:
    """The target of that name; None for one that has no table."""
    return TARGETS.get(name)


def offering(feature: Feature) -> tuple[str, ...]:
    """The names of the targets that have a feature."""
    return tuple(name for name, target in TARGETS.items() if target.has(feature))
