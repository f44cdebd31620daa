"""`workspace/executeCommand`, for clients without custom requests: each answers with plain data, or `{"message": …}`.

The first argument is the document's address; the second, if any, the name of a function or an object of options. An
object as the only argument has the address in `uri`. Must not do the work of requests.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams

from croqc.rules.page import page_text
from croqc.rules.table import all_rules
from croqc.service.explain import UnknownRuleError, find_rule
from croqls.ide.carry import difference
from croqls.lsp.asking import data_of, document_of, options_of, uri_of
from croqls.lsp.orders import order_of
from croqls.lsp.questions import answered
from croqls.lsp.requests.doctor import doctor
from croqls.lsp.requests.flow import flow
from croqls.lsp.requests.generated import generated
from croqls.lsp.requests.run import run_options
from croqls.lsp.requests.run_cancel import run_cancel
from croqls.lsp.requests.shared_memory import shared_memory
from croqls.lsp.run_following import finished, result_of, result_of_kept, started
from croqls.lsp.server import CroqtileServer
from croqls.lsp.workspace_edit import workspace_edit

_PATIENCE = 60.0  # seconds for a client that may ask a person
Command = Callable[..., Awaitable[Any]]


def _given(arguments: tuple[Any, ...]) -> dict[str, Any]:
    """The arguments as the parameters of a request. Raises JsonRpcInvalidParams."""
    given: dict[str, Any] = {}
    for argument in arguments:
        if isinstance(argument, Mapping):
            given |= argument
        elif isinstance(argument, str):
            given["entry" if "uri" in given else "uri"] = argument
        elif argument is not None:
            raise JsonRpcInvalidParams("arguments are the document's address, then a function's name or options")
    return given | {"textDocument": {"uri": given.get("uri")}}


def _answering(work: Callable[[CroqtileServer, dict[str, Any]], Awaitable[Any]]) -> Command:
    """A command whose errors are answered as a message, which every client shows."""

    async def command(server: CroqtileServer, *arguments: Any) -> Any:
        try:
            return await work(server, _given(arguments))
        except JsonRpcException as error:
            return {"message": error.message}

    return command


def _about_document(work: Callable[[CroqtileServer, dict[str, Any]], Awaitable[Any]]) -> Command:
    """The same for what needs a document."""

    async def checked(server: CroqtileServer, given: dict[str, Any]) -> Any:
        _demand_document(given)
        return await work(server, given)

    return _answering(checked)


def _demand_document(given: dict[str, Any]) -> None:
    if not isinstance(given.get("uri"), str):
        raise JsonRpcInvalidParams("the first argument must be the document's address")


async def _run(server: CroqtileServer, given: dict[str, Any], task: str = "run") -> Any:
    """Answers when the run has ended; edits of the document do not end it, cancelling the command does."""
    task, options = run_options({"task": task, **given})
    made, new = started(server, given, task, options)
    if not new:
        return {"message": "another run is under way; end it first", "id": made.id}
    try:
        await finished(made)
    except asyncio.CancelledError:
        server.runs.cancel(made.id)
        raise
    return result_of(made)


async def _verify(server: CroqtileServer, given: dict[str, Any]) -> Any:
    return await _run(server, given, "verify")


async def _profile(server: CroqtileServer, given: dict[str, Any]) -> Any:
    return await _run(server, given, "profile")


async def _cancel(server: CroqtileServer, given: dict[str, Any]) -> Any:
    return run_cancel(server, {key: given[key] for key in ("id",) if key in given})


async def _show_run(server: CroqtileServer, given: dict[str, Any]) -> Any:
    """What came of the last run of a document or a function, as `croqtile/runResult`."""
    uri, entry, overload = given["uri"], given.get("entry"), options_of(given, {"overload": int}).get("overload")
    run = server.runs.last(uri, entry, overload)
    if run is not None:
        return result_of(run)
    before = await server.runs.before(uri, entry, overload)
    return result_of_kept(uri, before) if before else {"message": "it was not run yet"}


async def _migrate(server: CroqtileServer, given: dict[str, Any]) -> Any:
    """Moves the document to the dialect `to`, by an edit that the client makes. Without a document, which there are."""
    from croqc.service.migrate import DIRECTIONS  # here: its rewrites are not needed at the start

    if given.get("uri") is None and "to" not in given:
        return {"dialects": [{"name": name, "summary": summary} for name, summary in DIRECTIONS.items()]}
    _demand_document(given)
    snapshot = document_of(server, given)
    to = given.get("to", "current")
    if not isinstance(to, str) or to not in DIRECTIONS:
        raise JsonRpcInvalidParams(f"'to' must be {' or '.join(DIRECTIONS)}")
    moved = await data_of(server, server.tools, order_of(snapshot, "migrate", {"to": to}), given)
    if server.documents.get(snapshot.uri) is not snapshot:
        return {"message": "the document was changed meanwhile; nothing was migrated"}
    stays = {key: moved[key] for key in ("kept", "skipped")}
    if moved["text"] == snapshot.text:
        return {"message": f"there is nothing to move to the {to} dialect", "moved": 0, **stays}
    edit = workspace_edit(server, snapshot, uri_of(given), [difference(snapshot.text, moved["text"])])
    wanted = lsp.ApplyWorkspaceEditParams(edit, f"Migrate to {to}")
    try:
        done = await asyncio.wait_for(answered(server.workspace_apply_edit_async(wanted)), _PATIENCE)
    except TimeoutError:
        done = None
    made = done is not None and done.applied
    said = f"moved to the {to} dialect" if made else "the editor did not make the edit"
    return {"message": said, "moved": moved["moved"] if made else 0, **stays}


async def _explain(server: CroqtileServer, given: dict[str, Any]) -> Any:
    """The page of a rule, as Markdown; the only argument is its name. Without one, what rules there are."""
    wanted = given.get("uri") or given.get("rule")
    if wanted is None:
        return {"rules": await asyncio.to_thread(_rules)}
    try:
        name = find_rule(str(wanted)).name
    except UnknownRuleError as error:
        return {"message": str(error)}
    return {"rule": name, "text": await asyncio.to_thread(page_text, name)}


def _rules() -> list[dict[str, str]]:
    rules = sorted(all_rules(), key=lambda rule: rule.name)
    return [{"name": rule.name, "severity": rule.severity.value, "summary": rule.summary} for rule in rules]


COMMANDS: Mapping[str, Command] = {
    "croqtile.run": _about_document(_run),
    "croqtile.verify": _about_document(_verify),
    "croqtile.profile": _about_document(_profile),
    "croqtile.runCancel": _answering(_cancel),
    "croqtile.showRun": _about_document(_show_run),
    "croqtile.showCuda": _about_document(generated),
    "croqtile.showFlow": _about_document(flow),
    "croqtile.showSharedMemory": _about_document(shared_memory),
    "croqtile.migrate": _answering(_migrate),
    "croqtile.explain": _answering(_explain),
    "croqtile.doctor": _answering(doctor),
}
