"""What the processes for long work are sent and send back. Plain values. Must not do the work."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from croqc.service.settings import Settings
from croqc.text.record import record


@record
class Text:
    """A document: its key tells documents apart, `below` are the settings below its directives."""

    key: str
    text: str
    path: str
    below: Settings


@record
class Order:
    """A task of `tasks.TASKS` about a document; `options` are plain data, checked by who asks."""

    task: str
    document: Text | None
    options: Mapping[str, Any]


@record
class News:
    """How far the work is: `done` of `total` steps of a part that `message` names. More follows."""

    message: str
    done: int = 0
    total: int = 0


@record
class Outcome:
    """The end: `data` is JSON; `refused` says why there is none, for a person; `failed` that the tools failed.
    `no_card`: it is refused because the card that it needs cannot be used, of which the doctor knows more."""

    data: Any = None
    refused: str = ""
    failed: str = ""
    no_card: bool = False
