"""The host part of a function as text, in the notation of `printer`. Must not decide."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from croqc.pipe import ir_host
from croqc.pipe.printer import FORMS, Forms, Told, expression, statements
from croqc.text.span import NOWHERE

HOST_FORMS: Final[Forms] = {
    **FORMS,
    ir_host.Launch: (lambda s: f"launch {s.kernel}", frozenset({"kernel"})),
    ir_host.Zero: (lambda s: f"zero {s.array}", frozenset({"array"})),
    ir_host.Require: (lambda s: f"require {expression(s.cond)}  {s.text!r}", frozenset({"cond", "text"})),
    ir_host.Join: (lambda s: "join", frozenset()),
    ir_host.Finish: (lambda s: f"return {s.array}".rstrip(), frozenset({"array"})),
}


def host_lines(host: ir_host.Host) -> Iterator[Told]:
    """What stands around the launches, each line with its place; nothing where it is one launch."""
    launches = [stmt for stmt in host.body if not isinstance(stmt, ir_host.Finish)]
    if len(launches) == 1 and isinstance(launches[0], ir_host.Launch):
        return
    yield "host", NOWHERE
    yield from statements(host.body, 1, HOST_FORMS)
