"""What a client offers is read late, and is what the library makes of it at once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import pytest
from lsprotocol import types as lsp
from lsprotocol.converters import get_converter
from pygls.capabilities import get_capability

from croqls.lsp.offered import Offered
from croqls.lsp.protocol import plain_converter

RECORDED = sorted((Path(__file__).parent / "clients").glob("*.json"))


def values(made: Any, read: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Each value below an object of the library, and what is read in its place."""
    for field in attrs.fields(type(made)):
        below, there = getattr(made, field.name), getattr(read, field.name)
        if attrs.has(type(below)):
            yield from values(below, there, f"{path}.{field.name}")
        else:
            yield f"{path}.{field.name}", below, there


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_every_value_is_what_the_library_makes_of_it(path: Path) -> None:
    said = json.loads(path.read_text(encoding="utf-8"))["params"]["capabilities"]
    made, read = (one.structure(said, lsp.ClientCapabilities) for one in (get_converter(), plain_converter()))
    assert isinstance(read, Offered)
    found = list(values(made, read))
    assert sum(below is not None for _, below, _ in found) > 10
    for name, below, there in found:
        assert (list(below) if isinstance(below, tuple) else below) == there, name


def test_what_does_not_fit_is_not_offered() -> None:
    said = {"window": 3, "textDocument": {"hover": True, "semanticTokens": {"requests": {"full": True}}}, "more": 1}
    read: Any = Offered(said, lsp.ClientCapabilities)
    assert (read.window, read.workspace, read.text_document.hover) == (None, None, None)
    assert read.text_document.semantic_tokens.requests.full is True
    assert get_capability(read, "text_document.hover.content_format", ()) == ()
    with pytest.raises(AttributeError):
        _ = read.more


def test_capabilities_are_an_object() -> None:
    with pytest.raises(TypeError, match="must be an object"):
        plain_converter().structure(3, lsp.ClientCapabilities)
