"""What the server asks of the client, who may refuse. Must not know what is asked."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import TypeVar

from pygls.exceptions import JsonRpcException

_Answer = TypeVar("_Answer")


async def answered(question: Awaitable[_Answer]) -> _Answer | None:
    """The answer; None of a client that refuses, or says what LSP does not allow."""
    try:
        return await question
    except JsonRpcException:
        return None
