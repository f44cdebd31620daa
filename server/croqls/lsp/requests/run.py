"""`croqtile/run`: start a run, a verification or a profile (docs/protocol.md). It is followed by `run_following`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pygls.exceptions import JsonRpcInvalidParams

from croqls.lsp.asking import COMMON, Options, options_of, params_of
from croqls.lsp.requests.entry import Entry
from croqls.lsp.run_following import started
from croqls.lsp.server import CroqtileServer

METHOD = "croqtile/run"
_KINDS = {
    **COMMON,
    "task": str,
    "engine": str,
    "seed": int,
    "schedules": int,
    "timeout": float,
    "force": bool,
    "runLine": int,
    "overload": int,
}


def run_options(given: Mapping[str, Any]) -> tuple[str, Options]:
    """The task and its options. Raises JsonRpcInvalidParams for what no run can have."""
    options = options_of(given, _KINDS)
    task, engine = options.pop("task", "run"), options.get("engine", "gpu")
    if task not in ("run", "verify", "profile"):
        raise JsonRpcInvalidParams("'task' must be run, verify or profile")
    if engine not in ("sim", "gpu"):
        raise JsonRpcInvalidParams("'engine' must be sim or gpu")
    if task == "profile" and engine != "gpu":
        raise JsonRpcInvalidParams("'engine' must be gpu for a profile, which is measured on a card")
    for name in ("schedules", "timeout"):
        if options.get(name, 1) <= 0:
            raise JsonRpcInvalidParams(f"'{name}' must be more than 0")
    return task, options


async def run(server: CroqtileServer, params: Any) -> dict[str, Any]:
    """Answers at once; the run goes on. While one is under way its number is answered, and nothing starts."""
    given = params_of(params)
    task, options = run_options(given)
    made, new = started(server, given, task, options)
    return {"version": 1, "id": made.id, "started": new}


ENTRIES = (Entry(METHOD, run),)
