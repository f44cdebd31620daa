"""What the verdict process is sent and sends back. Plain values. Must not do the work."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from croqc.service.settings import Settings
from croqc.text.diagnostics import Diagnostic
from croqc.text.record import record
from croqls.ide.snapshot import Snapshot


@record
class Job:
    """One version of a document to analyse."""

    key: str
    version: int
    text: str
    path: str
    below: Settings


@record
class Answer:
    """The flow findings of a version, absolute; `failed` tells why there are none. `doubted`: what else is found in its
    text and has a fix that guesses a word, after which the flow fails."""

    key: str
    version: int
    found: tuple[Diagnostic, ...]
    failed: str = ""
    doubted: tuple[Diagnostic, ...] = ()


Request = Callable[[Snapshot], Any]


@record
class Question:
    """What a feature says of a version, its report with the verdicts of the function at `place`, an absolute offset;
    `number` tells questions apart.

    `request` travels by name: a function of a module, or a `partial` of one.
    """

    number: int
    job: Job
    uri: str
    place: int
    request: Request


@record
class Reply:
    """What a question's request returned; `failed` tells why it is missing, `late` that it may come another time."""

    number: int
    answer: Any
    failed: str = ""
    late: bool = False
