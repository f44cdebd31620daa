"""Device functions of a file, found by their words: their text is C++ and not read. Must not know LSP types."""

from __future__ import annotations

import re
from collections.abc import Iterator

from croqc.syntax.tokens import RegionKind
from croqc.text.span import Span
from croqls.ide.snapshot import Snapshot
from croqls.ide.words import is_member, words

_CPP = frozenset({"if", "for", "while", "switch", "catch"})  # words of C++ with a parenthesis and a block behind them
_DEVICE = (RegionKind.DEVICE, RegionKind.DEVICE_BLOCK)


def device_words(snapshot: Snapshot, name: str) -> Iterator[Span]:
    """Where the word stands in device code."""
    for region in snapshot.report.tree.pre.regions:
        if region.kind in _DEVICE:
            for word, span in words(snapshot.text, region.span.start, region.span.end):
                if word == name and not is_member(snapshot.text, span):
                    yield span


def device_definition(snapshot: Snapshot, name: str) -> Span | None:
    """The name in the header of the function: a parameter list and a body follow it."""
    plain = name.rpartition("::")[2]
    return next((span for span in device_words(snapshot, plain) if _header_end(snapshot.text, span) is not None), None)


def device_functions(snapshot: Snapshot) -> frozenset[str]:
    """The names of the functions that device code of the file defines."""
    found = set()
    for region in snapshot.report.tree.pre.regions:
        if region.kind in _DEVICE:
            for word, span in words(snapshot.text, region.span.start, region.span.end):
                if word not in found and _header_end(snapshot.text, span) is not None:
                    found.add(word)
    return frozenset(found - _CPP)


def signature_at(snapshot: Snapshot, name: Span) -> str:
    """The header of a device function whose name stands there, without its specifiers, on one line."""
    end = _header_end(snapshot.text, name) or name.end
    start = max(snapshot.text.rfind(sign, 0, name.start) for sign in ";}\n") + 1
    text = " ".join(snapshot.text[start:end].split())
    return re.sub(r"^(?:(?:__device__|__co_device__|static|inline|__forceinline__|__noinline__) )+", "", text)


def _header_end(text: str, name: Span) -> int | None:
    """Behind the parameter list, if a body follows."""
    found = re.compile(r"\s*\(").match(text, name.end)
    if found is None:
        return None
    depth, at = 1, found.end()
    while depth and at < len(text) and text[at] not in "{};":
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        at += 1
    return at if depth == 0 and re.compile(r"\s*(?:noexcept\s*)?\{").match(text, at) else None
