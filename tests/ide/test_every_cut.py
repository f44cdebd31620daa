"""Every feature at the end of every example cut anywhere, and in texts with random holes: always an answer."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from croqls.ide.call_hierarchy import hierarchy_at, incoming, outgoing
from croqls.ide.completion import completion
from croqls.ide.highlights import flow_highlights, highlights, needs_flow
from croqls.ide.inlay_hints import inlay_hints
from croqls.ide.lenses import lenses
from croqls.ide.names import named_at, places_of
from croqls.ide.navigation import declarations_at, definitions_at, references_at, type_definitions_at
from croqls.ide.rename import Refused, renamable, rename
from croqls.ide.semantic import semantic_tokens
from croqls.ide.signature import signature_help
from croqls.ide.snapshot import Snapshot

pytestmark = pytest.mark.slow
EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.co"))


def ask_everything(text: str, offset: int) -> None:
    snapshot = Snapshot("file:///k.co", 1, text)
    for find in (definitions_at, declarations_at, type_definitions_at, highlights, flow_highlights):
        for item in find(snapshot, offset):
            span = getattr(item, "span", item)
            assert 0 <= span.start <= span.end <= len(text)
    references_at(snapshot, offset, declaration=True)
    needs_flow(snapshot, offset)
    named = named_at(snapshot, offset)
    if named is not None:
        assert text[named.span.start : named.span.end] == named.name
        for place in places_of(snapshot, named):
            assert place.macro or text[place.span.start : place.span.end] == named.name
    for item in hierarchy_at(snapshot, offset):
        incoming(snapshot, item)
        outgoing(snapshot, item)
    if not isinstance(renamable(snapshot, offset), Refused):
        rename(snapshot, offset, "brand_new")
    labels = [item.label for item in completion(snapshot, offset)]
    assert len(labels) == len(set(labels))
    signature_help(snapshot, offset)
    assert all(0 <= hint.offset <= len(text) for hint in inlay_hints(snapshot).found)
    lenses(snapshot, card=False)
    semantic_tokens(snapshot)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_cut_anywhere(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for length in range(0, len(text) + 1, 83):
        ask_everything(text[:length], length)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_with_holes(path: Path) -> None:
    """Parts are taken out or put in at places drawn from the file's name."""
    draw = random.Random(path.stem)
    whole = path.read_text(encoding="utf-8")
    for _ in range(8):
        text = whole
        for _ in range(draw.randint(1, 4)):
            start = draw.randrange(len(text))
            part = draw.choice(["", "", "(", "}", "{", '"', "/*", "#define", "wait ", "😀", ";", "=>", "x y", "\\"])
            text = text[:start] + part + text[start + draw.randint(0, 30) :]
        ask_everything(text, draw.randrange(len(text) + 1))
