"""Answers that the protocol library leaves out: every request gets exactly one (LSP 3.17, base protocol).

A request whose parameters do not fit, one before `initialize` and one after `shutdown` are answered with the error that
LSP names; without this the client waits for ever. Must not know any request.
"""

from __future__ import annotations

from typing import Any

from cattrs import Converter
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException, JsonRpcInvalidRequest, JsonRpcServerNotInitialized
from pygls.protocol import (
    JsonRPCNotification,
    JsonRPCRequestMessage,
    JsonRPCResponseMessage,
    LanguageServerProtocol,
    default_converter,
)

_IGNORED = "$/ignored"  # notifications of this kind may be ignored by whoever gets them


def plain_converter() -> Converter:
    """Messages that LSP does not know have plain data as `params` and `result`, and may have none.

    The library makes objects of them otherwise, whose names differ where a key is no identifier.
    """
    converter: Converter = default_converter()  # type: ignore[no-untyped-call]
    for kind in (JsonRPCRequestMessage, JsonRPCNotification):
        converter.register_structure_hook(kind, lambda data, into: into(**{"params": None, **data}))
    converter.register_structure_hook(JsonRPCResponseMessage, lambda data, into: into(**{"result": None, **data}))
    return converter


class CroqtileProtocol(LanguageServerProtocol):
    """The library's protocol, with an answer to every request."""

    _initialized = False

    def structure_message(self, data: dict[str, Any]) -> Any:
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            if "id" in data and "method" in data:
                self._send_response(data["id"], error=error.to_response_error())
            return JsonRPCNotification(jsonrpc="2.0", method=_IGNORED, params=None)

    def handle_message(self, message: Any) -> None:
        method, number = getattr(message, "method", None), getattr(message, "id", None)
        if method is not None and number is not None:
            if self._shutdown:
                self._send_response(number, error=JsonRpcInvalidRequest("the server has shut down").to_response_error())
                return
            if not self._initialized and method != lsp.INITIALIZE:
                self._send_response(
                    number, error=JsonRpcServerNotInitialized("'initialize' comes first").to_response_error()
                )
                return
            self._initialized = True
        super().handle_message(message)
        self._forget_ended()

    def _forget_ended(self) -> None:
        """The library keeps what came of every notification and of every step of a handler: one more at each edit."""
        ended = [number for number, future in self._request_futures.items() if future.done()]
        for number in ended:
            del self._request_futures[number]

    @property
    def ended_in_order(self) -> bool:
        """Whether `shutdown` came before the end."""
        return bool(self._shutdown)
