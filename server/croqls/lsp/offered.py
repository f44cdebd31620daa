"""What a client says it can do, read as it is asked for: of VS Code's eighty objects the server needs ten, and to make
all of them takes a fifth of its start. Must not know what is asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

import attrs

_NOTHING = type(None)


class Offered:
    """An object of LSP's `ClientCapabilities`, with the attributes that the library gives it; None for what the client
    does not name, and for what is no object where LSP has one."""

    __slots__ = ("_kind", "_said")

    def __init__(self, said: Mapping[str, Any], kind: type) -> None:
        self._said = said
        self._kind = kind

    def __getattr__(self, name: str) -> Any:
        """Raises AttributeError for what LSP does not know."""
        field = attrs.fields_dict(self._kind).get(name)
        if field is None:
            raise AttributeError(name)
        value = self._said.get(_spelling(name))
        options = [one for one in (field.type, *get_args(field.type)) if one is not _NOTHING]
        kinds = [one for one in options if isinstance(one, type) and attrs.has(one)]
        if kinds and isinstance(value, Mapping):
            return Offered(value, kinds[0])
        due = [one for one in options if isinstance(one, type)]
        return None if kinds and kinds == due else value


def _spelling(name: str) -> str:
    """`did_change_watched_files` as clients write it."""
    first, *others = name.split("_")
    return first + "".join(word.title() for word in others)
