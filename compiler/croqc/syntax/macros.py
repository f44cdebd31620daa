"""Macro tables and the expansion of macros on tokens (reference, 1.2.4 to 1.2.6). Must not read directives.

No expanded text is made: every produced token carries the place of the use, so that positions stay true.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from croqc.syntax.reports import preprocessing
from croqc.syntax.scanner import FIRST, Scanner
from croqc.syntax.tokens import Kind, Macro, Token
from croqc.text.diagnostics import Diagnostic, Severity

MOST_TOKENS = 100_000  # handled for the macros of one function; the largest public kernels need a few thousand
_DEEPEST = 200  # macros within macros
_DEEPEST_CALL = 50  # macro calls within arguments

WORDS = re.compile(r"[A-Za-z_]\w*", re.ASCII)


@lru_cache(maxsize=4096)
def words_of(body: str) -> frozenset[str]:
    """The words that stand in a replacement text."""
    return frozenset(WORDS.findall(body))


class Body(NamedTuple):
    """A replacement text as tokens, and what is wrong with it."""

    tokens: tuple[Token, ...]
    findings: tuple[Diagnostic, ...]


@lru_cache(maxsize=4096)
def body_of(body: str) -> Body:
    """The tokens of a replacement text; made at the first use in a Croqtile function, not at the definition."""
    scanner = Scanner("__co__ " + body)
    scanner.depth = 1_000_000  # a lone brace in a replacement closes nothing
    tokens: list[Token] = []
    pos = FIRST
    while pos < len(scanner.text):
        scanner.scan(pos)
        tokens += scanner.take()[0]
        if scanner.end == pos:
            break
        pos = scanner.end
    return Body(tuple(tokens), tuple(scanner.findings))


def brace_changes(macros: Mapping[str, Macro]) -> dict[str, int]:
    """By how much a use of a macro changes the brace depth, for the macros that change it."""
    changes = {
        name: change
        for name, macro in macros.items()
        if ("{" in macro.body or "}" in macro.body) and (change := _own_change(macro.body))
    }
    if changes:
        for _ in range(_DEEPEST):
            nested = {name: _change(macro, changes) for name, macro in macros.items()}
            nested = {name: change for name, change in nested.items() if change}
            if nested == changes:
                break
            changes = nested
    return changes


def _own_change(body: str) -> int:
    return sum({"{": 1, "}": -1}.get(token.text, 0) for token in body_of(body).tokens)


def _change(macro: Macro, changes: Mapping[str, int]) -> int:
    inner = sum(changes.get(token.text, 0) for token in body_of(macro.body).tokens if token.text != macro.name)
    return max(-MOST_TOKENS, min(MOST_TOKENS, _own_change(macro.body) + inner))


class _Item(NamedTuple):
    """A token on its way through expansion: the macros whose expansion it comes from, and whether it is
    written in the function itself."""

    token: Token
    hidden: frozenset[str]
    source: bool


class _TooLargeError(Exception):
    """The expansion of one use goes beyond the limits; never leaves this module."""


_NOWHERE: frozenset[str] = frozenset()


class Expander:
    """Expands the macros of one function, stretch by stretch. `macros` is the function's own table, and may
    change between two stretches. Collects findings and the places of uses, relative to the function."""

    def __init__(self, macros: Mapping[str, Macro]) -> None:
        self.macros = macros
        self.findings: list[Diagnostic] = []
        self.uses: dict[tuple[int, int], str] = {}
        self._budget = MOST_TOKENS
        self._refused: set[str] = set()
        self._told: set[str] = set()
        self._tokens: list[Token] = []
        self._at = 0  # the next token of the stretch
        self._name = Token(Kind.WORD, "", 0, 0)  # the present use

    def expand(self, tokens: list[Token], hits: list[int]) -> list[Token]:
        """The stretch with the macros at the indices `hits` replaced, dotted words joined anew."""
        if not hits:
            return tokens
        out: list[Token] = []
        self._tokens, self._at = tokens, 0
        for hit in hits:
            if hit >= self._at and self._budget >= 0:
                _extend(out, tokens[self._at : hit])
                self._at = hit + 1
                name = tokens[hit]
                constant = self._constant(name)
                if constant is None:
                    self._use(name, out)
                else:
                    self._budget -= len(constant)
                    self.uses[(name.start, name.end)] = name.text
                    _place(constant, name, name.end, out)
        _extend(out, tokens[self._at :])
        return out

    def _constant(self, name: Token) -> tuple[Token, ...] | None:
        """The replacement of an object-like macro in which nothing is left to expand: by far the commonest
        use, taken on a short way."""
        macro = self.macros.get(name.text)
        if macro is None or macro.params is not None or any(word in self.macros for word in words_of(macro.body)):
            return None
        body = body_of(macro.body)
        return None if body.findings else body.tokens

    def _use(self, name: Token, out: list[Token]) -> None:
        if name.kind is Kind.DOTTED:
            dot = Token(Kind.OP, ".", name.start, name.start + 1, None, name.line_first, name.spaced)
            word = Token(Kind.WORD, name.text[1:], name.start + 1, name.end)
            out.append(dot)
            name = word
        behind = self._at
        self._name = name
        try:
            produced = self._run([_Item(name, _NOWHERE, True)], 0)
        except _TooLargeError:
            self._at = behind
            self._refused.add(name.text)
            self._report(
                f"the expansion of macro '{name.text}' is too large", name, "a macro repeats or nests too much"
            )
            produced = [_Item(name, _NOWHERE, True)]
        if len(produced) == 1 and produced[0].token is name:
            _join(out, name)
            return
        _place([item.token for item in produced], name, self._tokens[self._at - 1].end, out)

    def _run(self, items: Sequence[_Item], calls: int) -> list[_Item]:
        """Expand until nothing changes. At the outermost level (`calls` 0) the arguments of the last macro may
        stand in the function's text behind the use."""
        if calls > _DEEPEST_CALL:
            raise _TooLargeError
        pending = list(reversed(items))
        done: list[_Item] = []
        while pending:
            self._budget -= 1
            if self._budget < 0:
                raise _TooLargeError
            item = pending.pop()
            token = item.token
            if token.kind is Kind.DOTTED and token.text[1:] in self.macros:
                pending.append(item._replace(token=Token(Kind.WORD, token.text[1:], token.start + 1, token.end)))
                done.append(item._replace(token=Token(Kind.OP, ".", token.start, token.start + 1, spaced=token.spaced)))
                continue
            macro = self.macros.get(token.text) if token.kind is Kind.WORD else None
            if macro is None or macro.name in item.hidden or macro.name in self._refused:
                done.append(item)
                continue
            replacement = self._replacement(macro, item, pending, calls)
            if replacement is None:
                done.append(item)
            else:
                pending.extend(reversed(replacement))
        return done

    def _replacement(self, macro: Macro, item: _Item, pending: list[_Item], calls: int) -> list[_Item] | None:
        """What stands for the macro named by `item`, arguments taken from `pending`; None: it is left alone."""
        at = item.token if item.source else self._name
        arguments: list[list[_Item]] = []
        if macro.params is not None or macro.opaque:
            found = self._arguments(pending, calls)
            if found is None or not self._fits(macro, at, found[0]):
                return None
            arguments, consumed, from_text = found
            del pending[len(pending) - consumed :]
            self._at += from_text
        if item.source:
            self.uses[(item.token.start, item.token.end)] = macro.name
        hidden = item.hidden | {macro.name}
        if len(hidden) > _DEEPEST:
            raise _TooLargeError
        body = body_of(macro.body)
        for finding in body.findings:
            hint = f"in the macro '{macro.name}'" + (f": {finding.hint}" if finding.hint else "")
            self._report(finding.message, at, hint, finding.severity)
        if not macro.params:
            made = [_Item(token, hidden, False) for token in body.tokens]
        else:
            made = list(self._substitute(macro.params, body.tokens, arguments, hidden, calls))
        if made:
            made[0] = made[0]._replace(token=_respaced(made[0].token, item.token.spaced))
        return made

    def _substitute(
        self,
        params: tuple[str, ...],
        body: tuple[Token, ...],
        arguments: list[list[_Item]],
        hidden: frozenset[str],
        calls: int,
    ) -> Iterator[_Item]:
        """The body with the arguments, themselves expanded first, in place of the parameters."""
        expanded: dict[str, list[_Item]] = {}
        for token in body:
            dotted = token.kind is Kind.DOTTED
            name = token.text[1:] if dotted else token.text
            if name not in params or not (dotted or token.kind is Kind.WORD):
                yield _Item(token, hidden, False)
                continue
            if dotted:
                yield _Item(Token(Kind.OP, ".", token.start, token.start + 1, spaced=token.spaced), hidden, False)
            if name not in expanded:
                expanded[name] = self._run(arguments[params.index(name)], calls + 1)
            for index, item in enumerate(expanded[name]):
                made = item.token if index else _respaced(item.token, token.spaced and not dotted)
                yield _Item(made, item.hidden | hidden, False)

    def _fits(self, macro: Macro, name: Token, arguments: list[list[_Item]]) -> bool:
        if macro.opaque:
            self._report(
                f"variadic macro '{macro.name}' cannot be used in a '__co__' function",
                name,
                "write out what it stands for",
            )
            return False
        wanted = len(macro.params or ())
        given = 0 if not wanted and arguments == [[]] else len(arguments)
        if given != wanted:
            plural = "" if wanted == 1 else "s"
            self._report(
                f"macro '{macro.name}' takes {wanted} argument{plural}, {given} given; it is not expanded",
                name,
                "",
                Severity.WARNING,
            )
        return given == wanted

    def _arguments(self, pending: list[_Item], calls: int) -> tuple[list[list[_Item]], int, int] | None:
        """The arguments that follow, and how many items of `pending` and of the text they take; None if no
        `(` follows or its `)` is missing."""
        depth, consumed, from_text = 0, 0, 0
        arguments: list[list[_Item]] = [[]]
        for item in self._ahead(pending, calls):
            if consumed < len(pending):
                consumed += 1
            else:
                from_text += 1
            text = item.token.text if item.token.kind is Kind.OP else ""
            depth += {"(": 1, ")": -1}.get(text, 0)
            if depth == 0:
                return (arguments, consumed, from_text) if text == ")" else None
            if text == "," and depth == 1:
                arguments.append([])
            elif text != "(" or depth > 1:
                arguments[-1].append(item)
            self._budget -= 1
        return None

    def _ahead(self, pending: list[_Item], calls: int) -> Iterator[_Item]:
        yield from reversed(pending)
        if calls == 0:
            for index in range(self._at, len(self._tokens)):
                yield _Item(self._tokens[index], _NOWHERE, True)

    def _report(self, message: str, at: Token, hint: str, severity: Severity = Severity.ERROR) -> None:
        """One finding for one message: a macro that is wrong is wrong at every use."""
        if message not in self._told:
            self._told.add(message)
            self.findings.append(preprocessing(message, at.start, at.end, hint, severity))


def _respaced(token: Token, spaced: bool) -> Token:
    if token.spaced == spaced:
        return token
    return Token(token.kind, token.text, token.start, token.end, token.macro, token.line_first, spaced)


def _place(tokens: Sequence[Token], name: Token, end: int, out: list[Token]) -> None:
    """Append what the macro `name` stands for; all of it at the place of the use, which ends at `end`."""
    for index, token in enumerate(tokens):
        spaced = token.spaced if index else name.spaced
        _join(out, Token(token.kind, token.text, name.start, end, name.text, name.line_first and not index, spaced))


def _join(out: list[Token], token: Token) -> None:
    """Append a token; a word directly behind a lone `.` makes a dotted word of both (1.2.6)."""
    if token.kind is Kind.WORD and not token.spaced and out:
        dot = out[-1]
        if dot.text == "." and dot.kind is Kind.OP:
            macro = token.macro or dot.macro
            out[-1] = Token(Kind.DOTTED, "." + token.text, dot.start, token.end, macro, dot.line_first, dot.spaced)
            return
    out.append(token)


def _extend(out: list[Token], tokens: list[Token]) -> None:
    if tokens:
        _join(out, tokens[0])
        out += tokens[1:]
