"""Cuts the text of one Croqtile function into raw tokens (reference, 1.3). Must not know macros or keywords.

A mistake gives one finding and, where a token was meant, a usable token, so that parsing goes on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import Enum

from croqc.syntax import mistakes, numbers
from croqc.syntax.reports import lexical
from croqc.syntax.tokens import Kind, Token
from croqc.text.diagnostics import Diagnostic

# One match is one token with the blanks before it; the number of the group says which kind.
TOKEN = re.compile(
    r"""[ \t]*(?:
    ([A-QS-Za-z_]\w*|R(?!")\w*)
    |([,;()\[\]~^]|=>|<->|<<|>>|<=|>=|==|!=|&&|\|\||\?\?|::|\+\+|--|\+=|-=|\*=|/=|%=|/(?![*/])|\.(?!\w)
        |[-+*%=<>!&|?:])
    |(\.[A-Za-z_]\w*)
    |("(?:[^"\\\r\n]|\\[^\r\n])*")
    |([\r\n][ \t\r\n]*)
    |(\.?[0-9]+(?:\.[0-9]*)?[eE][-+][0-9]\w*|\.?[0-9]\w*(?:\.(?:[0-9]\w*|[fF](?!\w)|(?![\w.])))?)
    |([{}])
    |(\#(?:[-+*%]|/(?![/*]))?)
    |(//[^\r\n]*|/\*[\s\S]*?\*/)
    |(\\[ \t]*(?:\r\n?|\n))
    |([^\x00-\x7f]+|[^ \t])
    )""",
    re.ASCII | re.VERBOSE,
)
_WORD, _OP, _DOTTED, _STRING, _LINES, _NUMBER, _BRACE, _HASH, _COMMENT, _JOIN, _OTHER = range(1, 12)
_PLAIN = {_WORD: Kind.WORD, _OP: Kind.OP, _DOTTED: Kind.DOTTED, _STRING: Kind.STRING}

_CONDITIONALS = ("if", "ifdef", "ifndef", "elif", "elifdef", "elifndef", "else", "endif")
_OTHER_DIRECTIVES = ("define", "undef", "error", "warning", "line", "pragma", "include", "import", "ident", "embed")
DIRECTIVE_WORDS = frozenset((*_CONDITIONALS, *_OTHER_DIRECTIVES, "include_next"))
_HASH_WORD = re.compile(r"#[ \t]*([A-Za-z_]\w*)", re.ASCII)
_STATEMENT_ENDS = ("", ";", "{", "}")
_RAW_STRING = re.compile(r'R"([^()\\\s]{0,16})\(')
FIRST = len("__co__")


class Halt(Enum):
    """Why a stretch of tokens ends."""

    DIRECTIVE = "directive"
    CLOSED = "closed"  # the brace that closes the function
    NESTED = "nested"  # another `__co__`
    OPEN_COMMENT = "open-comment"  # a comment that never ends
    END = "end"


class Scanner:
    """Reads `text`, which begins with `__co__`, stretch by stretch; offsets are relative to it.

    `tokens` and `hits` belong to the present stretch: `hits` are the indices of the words, dotted ones too,
    that are names of macros.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[Token] = []
        self.hits: list[int] = []
        self.comments: list[Token] = []
        self.findings: list[Diagnostic] = []
        self.opened = False  # the body's first brace was seen
        self.depth = 0
        self.end = FIRST  # where the present stretch ended, or the place to go on from
        self._watched = frozenset[str]()
        self._braces: Mapping[str, int] = {}
        self._first = self._gap = self._bad = False
        self._last = ""

    def watch(self, macros: Iterable[str], braces: Mapping[str, int]) -> None:
        """From here on these words are hits; `braces` says by how much the replacement of some of them
        changes the brace depth."""
        names = list(macros)
        self._watched = frozenset([*names, *("." + name for name in names), "__co__"])
        self._braces = braces

    def scan(self, pos: int) -> Halt:
        """Read on from `pos` to the next directive line or the end of the function; `end` is that place."""
        self.end = pos
        while (halt := self._run()) is None:
            pass
        return halt

    def take(self) -> tuple[list[Token], list[int]]:
        """The tokens and hits of the stretch; characters that start no token are removed. A new one begins."""
        tokens, hits = self.tokens, self.hits
        if tokens:
            self._last = tokens[-1].text
        self.tokens, self.hits = [], []
        if self._bad:
            self._bad = False
            return mistakes.without_bad(tokens, hits)
        return tokens, hits

    def _run(self) -> Halt | None:
        """Tokens from `end` on, until the stretch ends or a mistake asks to go on at another place."""
        append, watched = self.tokens.append, self._watched
        first, gap = self._first, self._gap
        for match in TOKEN.finditer(self.text, self.end):
            index = match.lastindex
            if index == _LINES:
                first = gap = True
                continue
            assert index is not None
            start, end = match.span(index)
            text = match[index]
            spaced = gap or start > match.start()
            if index in _PLAIN:
                append(Token(_PLAIN[index], text, start, end, None, first, spaced))
                first = gap = False
                if text in watched and (halt := self._hit(text, start, end)):
                    return halt
                continue
            self._first, self._gap, self.end = first, spaced, end
            halt = self._special(index, text, start, end)
            if halt is not None or self.end != end:
                return halt
            first, gap = self._first, self._gap
        self.end = len(self.text)
        return Halt.END

    def _add(self, kind: Kind, text: str, start: int, end: int) -> None:
        self.tokens.append(Token(kind, text, start, end, None, self._first, self._gap))
        self._first = self._gap = False

    def _hit(self, text: str, start: int, end: int) -> Halt | None:
        """A macro's name, its brace counted as what it stands for; or `__co__`, which ends the function."""
        if text == "__co__":
            self.tokens.pop()
            self.end = start
            return Halt.NESTED
        self.hits.append(len(self.tokens) - 1)
        change = self._braces.get(text, 0)
        self.depth += change
        self.opened = self.opened or change > 0
        self.end = end
        return Halt.CLOSED if change < 0 and self.depth <= 0 else None

    def _special(self, index: int, text: str, start: int, end: int) -> Halt | None:
        if index == _NUMBER:
            self._number(text, start, end)
        elif index == _BRACE:
            self._add(Kind.OP, text, start, end)
            self.opened = True
            self.depth += 1 if text == "{" else -1
            return Halt.CLOSED if self.depth <= 0 else None
        elif index == _HASH:
            if self._first and self._is_directive(start):
                self.end = start
                return Halt.DIRECTIVE
            self._add(Kind.OP, text, start, end)
        elif index == _COMMENT:
            self.comments.append(Token(Kind.COMMENT, text, start, end, None, self._first))
            self._first, self._gap = self._first and text[1] == "*" and "\n" in text, True
        elif index == _JOIN:
            self._first, self._gap = False, True
            self.findings += mistakes.blank_before_line_end(text, start)
        else:
            return self._other(text, start)
        return None

    def _is_directive(self, start: int) -> bool:
        """A directive word follows, or any word where no statement can begin with `#` anyway (1.6)."""
        found = _HASH_WORD.match(self.text, start)
        if not found:
            return False
        last = self.tokens[-1].text if self.tokens else self._last
        return found[1] in DIRECTIVE_WORDS or last in _STATEMENT_ENDS

    def _number(self, text: str, start: int, end: int) -> None:
        if text.isdigit() and len(text) < 19 and (text[0] != "0" or text == "0"):
            self._add(Kind.INT, text, start, end)
            return
        before = self.tokens[-1] if self.tokens and not self._gap else None
        kind, text, findings = numbers.number(text, start, before)
        self.findings += findings
        if kind is not None:
            self._add(kind, text, start, end)

    def _other(self, text: str, start: int) -> Halt | None:
        """Text that starts no token. Sets `end` behind it."""
        if self.text.startswith("/*", start):
            self.findings.append(lexical("unterminated comment", start, start + 2, "close it with '*/'"))
            self.comments.append(Token(Kind.COMMENT, self.text[start:], start, len(self.text)))
            self.end = len(self.text)
            return Halt.OPEN_COMMENT
        if text == "R" and (end := _raw_string_end(self.text, start)) >= 0:
            self._add(Kind.STRING, self.text[start:end], start, end)
            self.end = end
            return None
        slip = mistakes.other(self.text, text, start)
        self.findings += slip.findings
        self._bad = self._bad or slip.kind is Kind.BAD
        self._add(slip.kind, slip.text, start, slip.end)
        self.end = slip.end
        return None


def _raw_string_end(text: str, start: int) -> int:
    """Behind the raw string at `start`, or -1 if there is none or it does not end."""
    if opened := _RAW_STRING.match(text, start):
        close = text.find(f'){opened[1]}"', opened.end())
        return close + len(opened[1]) + 2 if close >= 0 else -1
    return -1
