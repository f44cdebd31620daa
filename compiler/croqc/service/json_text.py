"""Results as JSON: the one function that makes it, for `--json` and for the flow page. Must not know any result.

A result is a frozen dataclass whose fields have the names of the JSON (`docs/protocol.md`), in its order.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping
from typing import Any


def to_data(value: Any) -> Any:
    """A value of a result as JSON knows it. Numbers that JSON lacks are the texts "nan", "inf" and "-inf"."""
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if dataclasses.is_dataclass(value):
        return {field.name: to_data(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {key: to_data(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [to_data(item) for item in value]
    return value


def to_json(result: object, ascii_only: bool = False) -> str:
    """A result as the text that `--json` prints, one line end at its end. `ascii_only`: other characters escaped."""
    return json.dumps(to_data(result), ensure_ascii=ascii_only, allow_nan=False, indent=2) + "\n"


def to_compact_json(result: object) -> str:
    """The same without blanks and line ends, for a page."""
    return json.dumps(to_data(result), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
