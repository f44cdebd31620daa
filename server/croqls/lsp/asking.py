"""What custom requests and commands share: plain parameters in, orders for the processes, plain data out.

A request that cannot be answered raises an error with a text for a person. Must not know single requests.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException, JsonRpcInternalError, JsonRpcInvalidParams

from croqc.service.settings import is_macro_name
from croqls.ide.snapshot import Snapshot
from croqls.lsp.orders import order_of
from croqls.lsp.progress import Token, progress
from croqls.lsp.worker_process import WorkerProcess
from croqls.workers.orders import Order, Outcome

if TYPE_CHECKING:
    from croqls.lsp.server import CroqtileServer

Options = dict[str, Any]
UNTRUSTED = "this workspace is not trusted, so nothing in it is run or compiled; trust it first"
_FARTHEST = 2**31 - 1  # of a line or a column
_MOST = 2**64  # of a number, far from what any is good for; NaN is no number either
_WORDS = {str: "a text", int: "a whole number", float: "a number", bool: "true or false", dict: "an object"}
COMMON: Mapping[str, type] = {"entry": str, "overload": int, "defines": dict}


class RequestFailedError(JsonRpcException):
    """A request that is well formed and cannot be answered; the text says why (LSP 3.17, `RequestFailed`)."""

    CODE = -32803
    MESSAGE = "Request Failed"


def params_of(params: Any) -> Mapping[str, Any]:
    """Raises JsonRpcInvalidParams for what is no object."""
    if params is None:
        return {}
    if not isinstance(params, Mapping):
        raise JsonRpcInvalidParams("the parameters must be an object")
    return params


def document_of(server: CroqtileServer, params: Mapping[str, Any]) -> Snapshot:
    """The open document of `textDocument.uri`. Raises JsonRpcInvalidParams without one, RequestFailedError for one that
    is not open."""
    uri = uri_of(params)
    snapshot = server.documents.get(uri)
    if snapshot is None:
        raise RequestFailedError(f"{uri} is not open")
    return snapshot


def uri_of(params: Mapping[str, Any]) -> str:
    """What `textDocument.uri` says. Raises JsonRpcInvalidParams for what is no text."""
    document = params.get("textDocument")
    uri = document.get("uri") if isinstance(document, Mapping) else None
    if not isinstance(uri, str):
        raise JsonRpcInvalidParams("'textDocument.uri' must be a text")
    return uri


def options_of(params: Mapping[str, Any], kinds: Mapping[str, type]) -> Options:
    """The options that are given; those of other names are left alone. Raises JsonRpcInvalidParams for a wrong kind."""
    found: Options = {}
    for name, kind in kinds.items():
        value = params.get(name)
        if value is None:
            continue
        fits = isinstance(value, int | float if kind is float else kind)
        if not fits or (isinstance(value, bool) and kind is not bool):
            raise JsonRpcInvalidParams(f"'{name}' must be {_WORDS[kind]}")
        if isinstance(value, int | float) and not abs(value) <= _MOST:
            raise JsonRpcInvalidParams(f"'{name}' is out of range")
        found[name] = value
    for name, value in found.get("defines", {}).items():
        if not is_macro_name(name):
            raise JsonRpcInvalidParams(f"'defines' names '{name}', which is no name")
        if value is not None and not isinstance(value, str):
            raise JsonRpcInvalidParams(f"'defines.{name}' must be a text or null")
    return found


def position_of(params: Mapping[str, Any]) -> lsp.Position:
    """The `position`. Raises JsonRpcInvalidParams for what is none (LSP 3.17, `uinteger`)."""
    value = params.get("position")
    given = value if isinstance(value, Mapping) else {}
    line, character = given.get("line"), given.get("character")
    if (
        type(line) is not int
        or type(character) is not int
        or not 0 <= min(line, character) <= max(line, character) <= _FARTHEST
    ):
        raise JsonRpcInvalidParams("'position' must have a line and a character, counted from 0")
    return lsp.Position(line, character)


def token_of(params: Mapping[str, Any]) -> Token | None:
    """The client's own token for progress. Raises JsonRpcInvalidParams for what can be none (LSP 3.17)."""
    token = params.get("workDoneToken")
    if token is not None and (isinstance(token, bool) or not isinstance(token, int | str)):
        raise JsonRpcInvalidParams("'workDoneToken' must be a text or a whole number")
    return token


async def data_of(
    server: CroqtileServer, process: WorkerProcess, order: Order, params: Mapping[str, Any], title: str = ""
) -> Any:
    """What a process answers. With a `title`, or a token of the client's, progress is shown meanwhile.

    Raises JsonRpcException with the reason where there is no answer.
    """
    token = token_of(params)
    if title or token is not None:
        async with progress(server, title or f"Croqtile: {order.task}", token) as tell:
            return data_in(await process.ask(order, tell))
    return data_in(await process.ask(order))


def about_document(task: str, kinds: Mapping[str, type]) -> Callable[[CroqtileServer, Any], Awaitable[Any]]:
    """The handler of a request that is one task about an open document, with options of these kinds."""

    async def handler(server: CroqtileServer, params: Any) -> Any:
        given = params_of(params)
        order = order_of(document_of(server, given), task, options_of(given, kinds))
        return await data_of(server, server.tools, order, given)

    return handler


def data_in(outcome: Outcome) -> Any:
    """Raises RequestFailedError or JsonRpcInternalError for an outcome without data."""
    if outcome.refused:
        raise RequestFailedError(outcome.refused)
    if outcome.failed:
        raise JsonRpcInternalError(outcome.failed)
    return outcome.data
