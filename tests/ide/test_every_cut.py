"""Every feature at the end of every example cut anywhere, and in texts with random holes: always an answer."""

from __future__ import annotations

import random
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

import pytest

from croqc.text.edits import apply_edits
from croqc.text.span import Span
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


def inside(text: str, spans: Iterable[Span]) -> None:
    for span in spans:
        assert 0 <= span.start <= span.end <= len(text)


def ask_everything(text: str, offset: int) -> None:
    snapshot = Snapshot("file:///k.co", 1, text)
    for find in (definitions_at, declarations_at, type_definitions_at, highlights, flow_highlights):
        inside(text, (getattr(item, "span", item) for item in find(snapshot, offset)))
    inside(text, references_at(snapshot, offset, declaration=True))
    needs_flow(snapshot, offset)
    named = named_at(snapshot, offset)
    if named is not None:
        assert text[named.span.start : named.span.end] == named.name
        for place in places_of(snapshot, named):
            assert place.macro or text[place.span.start : place.span.end] == named.name
    for item in hierarchy_at(snapshot, offset):
        incoming(snapshot, item)
        outgoing(snapshot, item)
    span = renamable(snapshot, offset)
    if not isinstance(span, Refused):
        inside(text, [span])
        edits = rename(snapshot, offset, "brand_new")
        if not isinstance(edits, Refused):
            assert {text[edit.span.start : edit.span.end] for edit in edits} == {text[span.start : span.end]}
            assert apply_edits(text, edits).count("brand_new") == len(edits) + text.count("brand_new")
    labels = [item.label for item in completion(snapshot, offset)]
    assert len(labels) == len(set(labels))
    signature_help(snapshot, offset)
    assert all(0 <= hint.offset <= len(text) for hint in inlay_hints(snapshot).found)
    inside(text, (lens.span for lens in lenses(snapshot, card=False)))
    tokens = [token.span for token in semantic_tokens(snapshot)]
    inside(text, tokens)
    assert all(one.end <= other.start for one, other in pairwise(tokens))
    assert all("\n" not in text[one.start : one.end] for one in tokens)


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
