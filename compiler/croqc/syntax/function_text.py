"""Preprocesses one live `__co__` function: directives, dead branches, macros (reference, 1.1.2, 1.2).

All offsets are relative to the function's `__co__`, but for the spans of host macros. Must not know the rest
of the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from croqc.syntax.directives import Directives
from croqc.syntax.macros import WORDS, Expander, brace_changes, words_of
from croqc.syntax.regions import HOST, next_stop
from croqc.syntax.reports import lexical
from croqc.syntax.scanner import FIRST, Halt, Scanner
from croqc.syntax.tokens import FunctionText, Kind, Macro, Token
from croqc.text.record import record
from croqc.text.span import Span

# How a line of C++ begins that no Croqtile statement can begin with.
_CPP_LINE = (
    r"(?:int|void|auto|bool|float|double)[ \t]+\w+[ \t]*\(|#[ \t]*include\b|(?:static|inline|template|struct|class"
    r"|namespace|extern|using|typedef|__global__|__host__|__device__|__co_device__|__cok__)\b"
)
_BLANKS_BEHIND = (" ", "\t", "\r", "\n", "")


@record
class Scope:
    """What a function sees of the file above it."""

    macros: Mapping[str, Macro]
    prefixes: tuple[str, ...]
    namespaces: tuple[str, ...]


@record
class Function:
    """A function read: `result.base` is 0, `defined` are the macros defined inside, with relative spans.

    `closed` says that its own brace ends it, so that the same text below gives the same function whatever
    follows; `words` are the identifiers in its text. `prototype` is the place of the `;` that stands where the
    body should, else -1.
    """

    result: FunctionText
    defined: tuple[Macro, ...]
    words: frozenset[str]
    closed: bool
    prototype: int = -1


def read_function(text: str, indent: int, scope: Scope) -> Function:
    """Read the function at the start of `text`; what follows it there is ignored.

    A function that lacks a closing brace ends at the first line, indented no further than its `__co__`
    (`indent`), that begins with `}` or is plainly C++; else where the next function or the end of the file is.
    """
    reader = _Reader(text, scope)
    halt = reader.read()
    if halt is not Halt.CLOSED and (prototype := _prototype(reader.tokens)) >= 0:
        return reader.function(prototype + 1, False, prototype)
    if halt is Halt.CLOSED:
        if (prototype := _prototype(reader.tokens)) >= 0:
            return reader.function(prototype + 1, False, prototype)
        reader.directives.finish(reader.scanner.end)
        return reader.function(reader.scanner.end, True)
    limit = _limit(text, indent, reader.scanner.end)
    if limit >= 0 and halt is not Halt.OPEN_COMMENT:
        reader = _Reader(text[:limit], scope)
        halt = reader.read()
    reader.close(halt)
    return reader.function(reader.scanner.end, False)


def _limit(text: str, indent: int, end: int) -> int:
    """Where a function without its closing brace is taken to end, or -1."""
    pattern = re.compile(rf"[\r\n]([ \t]{{0,{min(indent, 200)}}})(?:\}}|(?={_CPP_LINE}))")
    found = pattern.search(text, FIRST, end)
    if found is None:
        return -1
    return found.end() if found[0].endswith("}") else found.start(1)


def _prototype(tokens: Iterable[Token]) -> int:
    """The place of a `;` outside parentheses before any `{`, or -1."""
    depth = 0
    for token in tokens:
        if token.kind is Kind.OP:
            if token.text == "{":
                return -1
            if token.text == ";" and depth <= 0:
                return token.start
            depth += {"(": 1, ")": -1}.get(token.text, 0)
    return -1


class _Reader:
    """One pass over the text."""

    def __init__(self, text: str, scope: Scope) -> None:
        self.text = text
        self.scope = scope
        self.macros = dict(scope.macros)
        self.scanner = Scanner(text)
        self.expander = Expander(self.macros)
        prefixes, namespaces = list(scope.prefixes), list(scope.namespaces)
        self.directives = Directives(text, self.macros, prefixes, namespaces, inside=True)
        self.tokens: list[Token] = []
        if text[FIRST : FIRST + 1] not in _BLANKS_BEHIND:
            self.scanner.findings.append(
                lexical("expected white space after '__co__'", FIRST, FIRST + 1, "write a blank")
            )

    def read(self) -> Halt:
        """Read up to the closing brace or to where the function can go on no longer."""
        scanner, pos = self.scanner, FIRST
        scanner.watch(self.macros, brace_changes(self.macros))
        while True:
            halt = scanner.scan(pos)
            self.tokens += self.expander.expand(*scanner.take())
            if halt is not Halt.DIRECTIVE:
                return halt
            pos = self._directive(scanner.end)

    def _directive(self, start: int) -> int:
        """Obey the directive at `start` and pass over a dead branch behind it; the place to go on from."""
        pos = self._obey(start)
        while not self.directives.live:
            stop = next_stop(HOST, self.text, pos)
            while stop and stop.what not in ("#", "/*"):
                stop = next_stop(HOST, self.text, stop.end)
            if stop is None or stop.what == "/*":
                return len(self.text)
            pos = self._obey(stop.start)
        return pos

    def _obey(self, start: int) -> int:
        was_live = self.directives.live
        line = self.directives.obey(start)
        if was_live and line.name in ("define", "undef"):
            self.scanner.watch(self.macros, brace_changes(self.macros))
        return line.end

    def close(self, halt: Halt) -> None:
        """Say why the function does not end, once, and close its braces with tokens of no width."""
        self.directives.finish(self.scanner.end)
        end = self.scanner.end
        if halt is not Halt.OPEN_COMMENT and not self.directives.conditionals.frames:
            self.scanner.findings.append(
                lexical("'__co__' function is not terminated", 0, FIRST, "add the missing '}'")
            )
        self.tokens += [Token(Kind.OP, "}", end, end) for _ in range(max(0, self.scanner.depth))]

    def function(self, end: int, closed: bool, prototype: int = -1) -> Function:
        text = self.text[:end]
        directives = self.directives
        findings = [*self.scanner.findings, *self.expander.findings, *directives.findings]
        findings.sort(key=lambda finding: (finding.span.start, finding.span.end))
        words = frozenset(WORDS.findall(text))
        uses = sorted((Span(start, stop), name) for (start, stop), name in self.expander.uses.items())
        result = FunctionText(
            base=0,
            text=text,
            tokens=tuple(self.tokens),
            comments=tuple(self.scanner.comments),
            directives=tuple(directives.lines),
            dead=tuple(directives.dead),
            macro_uses=tuple(uses),
            intrinsic_prefixes=tuple(directives.prefixes),
            intrinsic_namespaces=tuple(directives.namespaces),
            findings=tuple(findings),
            key=key_of(text, words, self.scope),
        )
        return Function(result, tuple(directives.defined), words, closed, prototype)


def key_of(text: str, words: frozenset[str], scope: Scope) -> tuple[object, ...]:
    """All that the tokens of a function depend on: its text, the macros whose names stand in it or in
    their replacements, by value and not by place, and the registered intrinsics."""
    seen: dict[str, Macro] = {}
    new = {name for name in scope.macros if name in words}
    while new:
        seen.update((name, scope.macros[name]) for name in new)
        inner = frozenset[str]().union(*(words_of(scope.macros[name].body) for name in new))
        new = {name for name in inner if name in scope.macros and name not in seen}
    values = tuple((name, seen[name].params, seen[name].body, seen[name].opaque) for name in sorted(seen))
    return text, values, scope.prefixes, scope.namespaces
