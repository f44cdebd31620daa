"""The declarations of a file's C++ text at namespace level, with the namespaces around them (reference, 1.1).

C++ is taken apart by its braces, parentheses and semicolons alone. Must not judge it, and never fails on it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Final

from croqc.syntax.cpp_tokens import COMMENT, WORD, silenced
from croqc.syntax.regions import BRACED, block_start, next_stop
from croqc.syntax.tokens import Preprocessed, RegionKind
from croqc.text.record import record
from croqc.text.span import Span

_COMMENTS: Final = re.compile(COMMENT, re.DOTALL)

_SCOPE: Final = re.compile(r'(?:inline\s+)?namespace\b[^=;(){}]*|extern\s*"C(?:\+\+)?"\s*', re.ASCII)
_ON_DEVICE: Final = re.compile(r"\b__(?:device|co_device|constant)__\b", re.ASCII)
_TYPE: Final = re.compile(r"\b(struct|class|union|enum(?:\s+(?:class|struct))?)\s+(\w+)", re.ASCII)
_ALIGNMENT: Final = re.compile(r"\b(?:alignas|__align__)\s*\([^()]*\)", re.ASCII)
_ANY_TYPE: Final = re.compile(r"\b(?:struct|class|union|enum)\b", re.ASCII)
_ALIAS: Final = re.compile(
    r"\b(?:using|namespace)\s+(\w+)\s*=|\busing\s+[\w:]*::(\w+)\s*;|\(\s*\*\s*(\w+)\s*\)", re.ASCII
)
_DECLARATOR: Final = re.compile(r"\b([A-Za-z_]\w*)\s*(?:\[[^\]]*\]\s*)*(?=[=;,]|$)", re.ASCII)
_CALLED: Final = re.compile(r"(\w+)\s*\(", re.ASCII)
_PLAIN: Final = re.compile(
    r"\s*(?:(?:static|inline|const|unsigned|signed|long|short|int|float|double|bool|char|size_t|u?int(?:8|16|32|64)_t"
    r")\s+)+\w+\s*(?:\[[^\]]*\]\s*)*(?:=|\{)(?:[^(]|(?<![\w\s])\s*\()*",
    re.ASCII,
)
_NESTED: Final = (re.compile(r"\([^()]*\)"), re.compile(r"\{[^{}]*\}"), re.compile(r"<[^<>;]*>"))


@record
class Declaration:
    """C++ from its first word to its `;` or `}`; `scopes` are the heads of the namespaces around it, outermost first.
    `on_device`: it is code or data of the card. `block`: the inside of a `__cok__ { … }`, of many declarations."""

    span: Span
    text: str
    scopes: tuple[str, ...] = ()
    on_device: bool = False
    block: bool = False

    @property
    def words(self) -> frozenset[str]:
        """Every word outside comments and strings."""
        return frozenset(WORD.findall(silenced(self.text)))

    @property
    def names(self) -> frozenset[str]:
        """What host text declares here that code of the card may use: types, aliases, constants, `constexpr`
        functions. Empty for all else."""
        text = silenced(self.text)
        if self.on_device or self.block:
            return frozenset()
        text = _ALIGNMENT.sub(" ", text)
        head = _without(text, _NESTED)
        if _ANY_TYPE.search(head) and "(" not in _without(text, _NESTED[1:]):
            found = _TYPE.search(head)
            values = WORD.findall(text[text.find("{") :]) if found is None or found[1] == "enum" else []
            return frozenset(({found[2]} if found else set()) | set(values))
        if re.match(r"\s*(?:template\b|using\b|typedef\b|namespace\b)", text) and "constexpr" not in head:
            named = _ALIAS.search(text)
            if named is not None:
                return frozenset(name for name in named.groups() if name)
            return frozenset(WORD.findall(head)[-1:]) if "typedef" in head else frozenset()
        if "std::" in text:
            return frozenset()
        if _is_function(text):
            called = _CALLED.search(_without(text, _NESTED[1:]))
            return frozenset({called[1]} if called and "constexpr" in head else ())
        if "constexpr" in head or (re.search(r"\bconst\b", head) and _PLAIN.fullmatch(text)):
            return frozenset(_DECLARATOR.findall(head))
        return frozenset()

    @property
    def opens(self) -> str:
        """The namespace that a `using namespace …;` opens; empty for all else."""
        found = re.fullmatch(r"\s*using\s+namespace\s+(?:::)?([\w:]+)\s*;", silenced(self.text))
        return found[1] if found else ""


def declarations(text: str, pre: Preprocessed) -> tuple[Declaration, ...]:
    """Those of the file outside its `__co__` functions and dead branches, and each `__cok__` block, in order."""
    return tuple(_Walk(text, pre).found())


class _Walk:
    """One walk over the text: `start` is where the declaration at hand begins, -1 between two."""

    def __init__(self, text: str, pre: Preprocessed) -> None:
        self.text = text
        self.regions = pre.regions
        self.dead = sorted(pre.dead)
        self.scopes: list[str] = []
        self._between(0)

    def _between(self, pos: int) -> None:
        self.start, self.depth, self.parens = pos, 0, 0

    def found(self) -> Iterator[Declaration]:
        cpp = (RegionKind.HOST, RegionKind.DEVICE)
        for region in self.regions:
            if region.kind is RegionKind.DEVICE_BLOCK:
                yield from self._block(region.span)
            if region.kind not in cpp:
                self._between(region.span.end)
                continue
            part, pos = self.text[: region.span.end], region.span.start
            while stop := next_stop(BRACED, part, pos):
                pos = stop.end
                if stop.what == "#":
                    if self.depth == 0 and block_start(self.text, self.start) >= stop.start:
                        self._between(stop.end)
                elif not _inside(stop.start, self.dead):
                    yield from self._stop(stop.what, stop.start, stop.end)
                elif self.depth == 0:
                    self._between(stop.end)

    def _block(self, span: Span) -> Iterator[Declaration]:
        piece = self.text[span.start : span.end]
        if "{" in piece:
            opened, closed = piece.index("{") + 1, piece.rindex("}") if "}" in piece else len(piece)
            yield Declaration(
                Span(span.start + opened, span.start + closed), piece[opened:closed], on_device=True, block=True
            )

    def _stop(self, what: str, start: int, end: int) -> Iterator[Declaration]:
        if what == "{":
            head = _COMMENTS.sub(" ", self.text[self.start : start]).strip()
            if self.depth == 0 and self.parens == 0 and _SCOPE.fullmatch(head):
                self.scopes.append(head)
                self._between(end)
            else:
                self.depth += 1
        elif what == "}" and self.depth == 0:
            if self.scopes:
                self.scopes.pop()
            self._between(end)
        elif what == "}":
            self.depth -= 1
            if self.depth == 0 and self.parens == 0 and self._ends(end):
                yield from self._made(end)
        elif self.depth == 0 and what in "()":
            self.parens = max(0, self.parens + (1 if what == "(" else -1))
        elif what == ";" and self.depth == 0 and self.parens == 0:
            yield from self._made(end)

    def _ends(self, end: int) -> bool:
        """Whether the `}` in front of `end` ends a function; data and types end at their `;`."""
        following = self.text[block_start(self.text, end) :][:1]
        return following not in (";", ",", "{") and _is_function(silenced(self.text[self.start : end]))

    def _made(self, end: int) -> Iterator[Declaration]:
        start = block_start(self.text, self.start)
        self._between(end)
        text = self.text[start:end]
        if text.strip(" ;\t\r\n"):
            yield Declaration(Span(start, end), text, tuple(self.scopes), _is_on_device(text))


def _is_on_device(text: str) -> bool:
    """Whether the card has it: by a word in its head, or in the body of a type; a lambda in a function is none."""
    text = silenced(text)
    if not _ON_DEVICE.search(text):
        return False
    head = text.partition("{")[0]
    return bool(_ON_DEVICE.search(head) or (_ANY_TYPE.search(head) and "(" not in head))


def _is_function(text: str) -> bool:
    """Whether C++ without comments is a function's definition: parentheses, no `=` outside of any, and a body."""
    head = _without(_without(text, _NESTED[1:2]), _NESTED[2:])
    flat = _without(head, _NESTED[:1])
    return "(" in head and "=" not in flat.replace("operator==", "").replace("operator=", "")


def _without(text: str, nested: Sequence[re.Pattern[str]]) -> str:
    """The text without what stands in brackets of these kinds, innermost first."""
    for pattern in nested:
        count = 1
        while count:
            text, count = pattern.subn(" ", text)
    return text


def _inside(at: int, spans: Sequence[Span]) -> bool:
    index = bisect_right(spans, at, key=lambda span: span.start) - 1
    return index >= 0 and spans[index].contains(at)
