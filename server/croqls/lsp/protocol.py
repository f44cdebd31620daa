"""Answers that the protocol library leaves out: every request gets exactly one (LSP 3.17, base protocol).

A request whose parameters do not fit, one before `initialize`, one after `shutdown` and what is no message at all are
answered with the error that LSP names; without this the client waits for ever. What a client does wrong is one line of
the log, and never a message to the person. Must not know any request.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Generator, Iterable, Mapping
from functools import partial
from inspect import isawaitable
from typing import Any

from attrs import fields_dict
from cattrs import Converter, transform_error
from lsprotocol import types as lsp
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcMethodNotFound,
    JsonRpcServerNotInitialized,
)
from pygls.protocol import (
    JsonRPCNotification,
    JsonRPCRequestMessage,
    JsonRPCResponseMessage,
    LanguageServerProtocol,
    default_converter,
)
from pygls.protocol.language_server import lsp_method
from pygls.uris import from_fs_path

from croqls.lsp.offered import Offered

_LOG = logging.getLogger(__name__)
_Wait = Callable[[Callable[[], Any]], Awaitable[Any]]
"""Waits for what a request needs, and returns what its handler does."""


def plain_converter() -> Converter:
    """Messages that LSP does not know have plain data as `params` and `result`, and may have none.

    The library makes objects of them otherwise, whose names differ where a key is no identifier.
    """
    converter: Converter = default_converter()  # type: ignore[no-untyped-call]
    for kind in (JsonRPCRequestMessage, JsonRPCNotification):
        converter.register_structure_hook(kind, lambda data, into: into(**{"params": None, **data}))
    converter.register_structure_hook(JsonRPCResponseMessage, lambda data, into: into(**{"result": None, **data}))
    converter.register_structure_hook(lsp.ClientCapabilities, _offered)
    converter.register_structure_hook(lsp.DidChangeConfigurationParams, _changed_settings)
    return converter


def _offered(data: Any, kind: type) -> Offered:
    """Raises TypeError for what is no object."""
    if not isinstance(data, Mapping):
        raise TypeError("the capabilities must be an object")
    return Offered(data, kind)


def _changed_settings(data: Any, kind: type) -> Any:
    """None where they are to be asked for, as JSON has no `undefined`. Raises TypeError for what is no object."""
    if not isinstance(data, Mapping):
        raise TypeError("the parameters must be an object")
    return kind(data.get("settings"))


def _behind(wait: _Wait, handler: Callable[..., Any]) -> Callable[..., Awaitable[Any]]:
    async def late(*args: Any, **named: Any) -> Any:
        found = await wait(partial(handler, *args, **named))
        return await found if isawaitable(found) else found

    return late


class CroqtileProtocol(LanguageServerProtocol):
    """The library's protocol, with an answer to every request."""

    _initialized = False
    before: Callable[[Any], _Wait | None] = staticmethod(lambda _: None)  # by parameters

    # The library would keep every document a second time, and fail at the second spelling of an address and at one that
    # is not open; without these the handlers of the table are called.
    lsp_text_document__did_open = None  # type: ignore[assignment]
    lsp_text_document__did_change = None  # type: ignore[assignment]
    lsp_text_document__did_close = None  # type: ignore[assignment]

    @lsp_method(lsp.INITIALIZE)
    def lsp_initialize(self, params: lsp.InitializeParams) -> Generator[Any, Any, lsp.InitializeResult]:
        """The library reads the root's address, of any form, for a workspace of its own; here folders alone count, of
        which the root is one where the client names no others (LSP 3.17, `rootUri`)."""
        root = params.root_uri or (from_fs_path(params.root_path) if params.root_path else None)
        if root and not params.workspace_folders:
            params.workspace_folders = [lsp.WorkspaceFolder(root, root.rstrip("/").rpartition("/")[2])]
        params.root_uri = params.root_path = None
        result: lsp.InitializeResult = yield from super().lsp_initialize(params)
        return result

    @lsp_method(lsp.WORKSPACE_EXECUTE_COMMAND)
    async def lsp_workspace__execute_command(self, params: lsp.ExecuteCommandParams) -> Any:  # type: ignore[override]
        """One task, which a cancellation reaches; the library's own goes on without its request."""
        command = self.fm.commands.get(params.command)
        if command is None:
            raise JsonRpcInvalidParams(f"Command name {params.command!r} is not defined")
        return await command(*(params.arguments or ()))

    def structure_message(self, data: dict[str, Any]) -> Any:
        """Called for every object inside a message too, where nothing is to be done."""
        return data

    def handle_message(self, message: Any) -> None:
        number = message.get("id") if isinstance(message, Mapping) else None
        try:
            if self._is_served(message):
                super().handle_message(self._structured(message))
        except JsonRpcException as error:
            self.refuse(number, error, self._wants_answer(message))
        self._forget_ended()

    def refuse(self, number: Any, error: JsonRpcException, answered: bool = True) -> None:
        """One line of the log for what a client does wrong, and the answer, where one is due."""
        _LOG.warning("a message of the client's that does not fit: %s", error.message)
        if answered:
            known = number if isinstance(number, int | str) else None  # LSP 3.17, `ResponseMessage`
            told = {"code": error.code, "message": error.message}
            self._send_data({"jsonrpc": self.VERSION, "id": known, "error": told})

    @staticmethod
    def _wants_answer(message: Any) -> bool:
        """Notifications and answers are never answered (JSON-RPC 2.0, 4.1 and 5)."""
        if not isinstance(message, Mapping):
            return True
        return "id" in message if "method" in message else not message.keys() & {"result", "error"}

    def _is_served(self, message: Any) -> bool:
        """Whether a message is to be handled. Raises JsonRpcException for what can never be."""
        if not isinstance(message, Mapping) or message.get("jsonrpc") != self.VERSION:
            raise JsonRpcInvalidRequest("this is no message of JSON-RPC 2.0")
        method = message.get("method")
        if method is None:
            return self._is_awaited(message.get("id"))
        if not isinstance(method, str) or not isinstance(message.get("id"), int | str | None):
            raise JsonRpcInvalidRequest("'method' must be a text, 'id' a number or a text")
        if "id" in message:
            if self._shutdown:
                raise JsonRpcInvalidRequest("the server has shut down")
            if not self._initialized and method != lsp.INITIALIZE:
                raise JsonRpcServerNotInitialized("'initialize' comes first")
            self._initialized = True
            return True
        return self._initialized or method == lsp.EXIT  # LSP 3.17, `initialize`: others are dropped before it

    def _is_awaited(self, number: Any) -> bool:
        """Whether an answer of the client's is to a question that still stands: who asked may have been cancelled."""
        future = self._request_futures.get(number) if isinstance(number, int | str) else None
        return future is not None and not future.done()

    def _structured(self, message: Mapping[str, Any]) -> Any:
        """The message as the library knows it. Raises JsonRpcException with what does not fit."""
        kind = self._kind_of(message)
        try:
            return self._converter.structure(message, kind)
        except Exception as error:  # whatever a conversion says of data of any kind
            where = "; ".join(transform_error(error, "message"))
            if "method" not in message:  # an answer of the client's: who asked shall not wait for it
                self._handle_response(message["id"], None, lsp.ResponseError(JsonRpcInvalidParams.CODE, where))
            raise JsonRpcInvalidParams(where) from error

    def _kind_of(self, message: Mapping[str, Any]) -> Any:
        """The class of a message. Raises JsonRpcMethodNotFound for a notification that is asked as a request."""
        method = message.get("method")
        if method is None:
            known = self._result_types.pop(message["id"], None)
            return lsp.ResponseErrorMessage if "error" in message else known or JsonRPCResponseMessage
        kind = self.get_message_type(method)
        if kind is not None and "id" in message and "id" not in fields_dict(kind):
            raise JsonRpcMethodNotFound.of(method)
        return kind or (JsonRPCRequestMessage if "id" in message else JsonRPCNotification)

    def _execute_handler(
        self,
        msg_id: int | str,
        handler: Callable[..., Any],
        callback: Callable[[Any], None],
        args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Any] | None = None,
    ) -> None:
        """A handler that has to wait for something is one task with that, which a cancellation reaches."""
        wait = self.before(args[0]) if args else None
        if wait is not None:
            handler = _behind(wait, handler)
        super()._execute_handler(msg_id, handler, callback, args, kwargs)

    def _handle_cancel_notification(self, msg_id: int | str) -> None:
        """One that comes behind the answer is in order, and no news."""
        if msg_id in self._request_futures:
            super()._handle_cancel_notification(msg_id)

    def _forget_ended(self) -> None:
        """The library keeps what came of every notification and of every step of a handler: one more at each edit."""
        ended = [number for number, future in self._request_futures.items() if future.done()]
        for number in ended:
            del self._request_futures[number]

    async def end(self, seconds: float) -> None:
        """What is still asked for is given up, and answered so, before there is nobody to tell; `seconds` at most."""
        known: Iterable[object] = self._request_futures.values()
        asked = [one for one in known if isinstance(one, asyncio.Future) and not one.done()]
        for one in asked:
            one.cancel()
        if asked:
            await asyncio.wait(asked, timeout=seconds)

    @property
    def ended_in_order(self) -> bool:
        """Whether `shutdown` came before the end."""
        return bool(self._shutdown)
