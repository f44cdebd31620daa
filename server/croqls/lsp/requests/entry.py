"""A line of the table of requests. Must not know any request."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Entry:
    """A method of LSP, its handler `(server, params) -> result`, and the options it is registered with."""

    method: str
    handler: Callable[..., Any]
    options: Any = None
