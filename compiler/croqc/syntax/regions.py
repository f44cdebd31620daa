"""Finds what matters in text that is not Croqtile: directive lines, region starters, braces.

Jumps over comments and C++ literals (reference, 1.1.1). Must not evaluate directives or read tokens.
"""

from __future__ import annotations

import re
from typing import NamedTuple

# All alternatives begin with a literal character, so that `re` skips plain text at the speed of C.
_STARTER = r"_(?<!\w_)_(?:co__|cok__|device__|co_device__)(?!\w)"
HOST = re.compile(r"//[^\r\n]*|/\*|\"|'|#|" + _STARTER)
BRACED = re.compile(r"//[^\r\n]*|/\*|\"|'|#|\{|\}|\(|\)|;|" + _STARTER)

_STRING = re.compile(r'"(?:[^"\\\r\n]|\\(?:\r\n|[\s\S]))*"?')
_CHARACTER = re.compile(r"'(?:[^'\\\r\n]|\\(?:\r\n|[\s\S]))*'?")
_RAW_OPEN = re.compile(r'"([^()\\\s]{0,16})\(')
_RAW_PREFIX = re.compile(r"(?<!\w)(?:u8|[uUL])?R\Z")
_NUMBER_REST = re.compile(r"[\w']*")
_DIRECTIVE = re.compile(
    r'#(?:[^\r\n\\/"]+|\\[ \t]*(?:\r\n?|\n)|//[^\r\n]*|/\*[\s\S]*?\*/|(/\*[\s\S]*)'
    r'|"(?:[^"\\\r\n]|\\.)*"|[\\/"])*'
)
_BLANK_OR_COMMENT = re.compile(r"(?:\s+|//[^\r\n]*|/\*[\s\S]*?\*/)*")
_SPECIFIER = re.compile(
    r'(?<!\w)(static|inline|extern\s*"C(?:\+\+)?"|extern|constexpr|virtual|friend|explicit'
    r"|__global__|__host__|__forceinline__|__noinline__|template\s*<[^;{}]*>)[ \t]*\Z"
)
_LONGEST_SPECIFIER = 200  # characters; keeps the search short on endless lines
_FUNCTION_NAME = re.compile(r"([A-Za-z_]\w*)\s*\(")


class Stop(NamedTuple):
    """A place where the walk over C++ text halts.

    `what` is `#` for a directive line, `/*` for a comment that never ends, else the matched text.
    """

    what: str
    start: int
    end: int


def next_stop(pattern: re.Pattern[str], text: str, pos: int) -> Stop | None:
    """The next match of `pattern` (`HOST` or `BRACED`) outside comments and literals, or None at the end."""
    while found := pattern.search(text, pos):
        what, start = found[0], found.start()
        if what.startswith("//"):
            pos = found.end()
        elif what == "/*":
            close = text.find("*/", start + 2)
            if close < 0:
                return Stop(what, start, len(text))
            pos = close + 2
        elif what == '"':
            pos = _string_end(text, start, pos)
        elif what == "'":
            pos = _character_end(text, start, pos)
        elif what == "#" and not _opens_line(text, start):
            pos = start + 1
        elif what == "#":
            return Stop(what, start, directive_end(text, start)[0])
        else:
            return Stop(what, start, found.end())
    return None


def directive_end(text: str, start: int) -> tuple[int, int]:
    """The end of the logical line that begins with the `#` at `start` (its line end stays outside), and
    the place of a comment in it that never ends, or -1. Apostrophes open nothing: `#error can't`."""
    found = _DIRECTIVE.match(text, start)
    return (found.end(), found.start(1)) if found else (start + 1, -1)


def _opens_line(text: str, at: int) -> bool:
    line = max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1
    return not text[line:at].lstrip("\ufeff").strip(" \t")


def _string_end(text: str, start: int, floor: int) -> int:
    if start > floor and text[start - 1] == "R" and _RAW_PREFIX.search(text, max(floor, start - 4), start):
        opened = _RAW_OPEN.match(text, start)
        if opened and (close := text.find(f'){opened[1]}"', opened.end())) >= 0:
            return close + len(opened[1]) + 2
    found = _STRING.match(text, start)
    return found.end() if found else start + 1


def _character_end(text: str, start: int, floor: int) -> int:
    """Behind a character literal, or behind the number whose digit separator the quote is."""
    word = start
    while word > floor and (text[word - 1].isalnum() or text[word - 1] == "_"):
        word -= 1
    ending = _NUMBER_REST if word < start and text[word].isdigit() else _CHARACTER
    found = ending.match(text, start)
    return found.end() if found else start + 1


def block_start(text: str, pos: int) -> int:
    """The first character behind blanks and comments; `len(text)` if there is none."""
    found = _BLANK_OR_COMMENT.match(text, pos)
    return found.end() if found else pos


def specifier_before(text: str, base: int) -> tuple[int, int] | None:
    """The place of a C++ specifier directly in front of the `__co__` at `base`, on its line (1.1.1)."""
    line = max(text.rfind("\n", 0, base), text.rfind("\r", 0, base)) + 1
    found = _SPECIFIER.search(text, max(line, base - _LONGEST_SPECIFIER), base)
    return found.span(1) if found else None


def function_name(text: str, base: int) -> str:
    """The name that a function's header seems to give, for messages; `?` if there is none."""
    found = _FUNCTION_NAME.search(text, base + 6)
    return found[1] if found else "?"


class Braces:
    """Counts the way to the end of C++ text that belongs together (1.1.3)."""

    def __init__(self) -> None:
        self.depth = 0
        self.parens = 0

    def ends(self, what: str, semicolon: bool) -> bool:
        """Take one stop; whether the text ends behind it. A `;` ends it if `semicolon` and nothing is open.

        Parentheses count outside braces only: a body may hold anything.
        """
        if what == "{":
            self.depth += 1
        elif what == "}":
            self.depth -= 1
            return self.depth <= 0 and self.parens == 0
        elif self.depth == 0 and what in "()":
            self.parens = max(0, self.parens + (1 if what == "(" else -1))
        return semicolon and what == ";" and self.depth <= 0 and self.parens == 0


def dead_function_end(text: str, base: int) -> int:
    """The end of a `__co__` function in a dead branch: balanced braces, else the end of that branch.

    Of conditionals inside it the first branch counts; a directive that ends the surrounding branch, another
    `__co__` or the end of the file ends it, whatever is open.
    """
    braces, nested, first_branches = Braces(), 0, 0
    pos = base + 6
    while stop := next_stop(BRACED, text, pos):
        pos = stop.end
        if stop.what == "#":
            word = directive_word(text, stop.start)
            if word in ("if", "ifdef", "ifndef"):
                nested += 1
                first_branches += nested == first_branches + 1
            elif word in ("else", "elif", "endif"):
                if nested == 0:
                    return stop.start
                first_branches = min(first_branches, nested - 1)
                nested -= word == "endif"
        elif stop.what == "__co__" or stop.what == "/*":
            return stop.start
        elif nested == first_branches and braces.ends(stop.what, semicolon=True):
            return stop.end
    return len(text)


_WORD_OF_DIRECTIVE = re.compile(r"#[ \t]*([A-Za-z_]\w*)?", re.ASCII)


def directive_word(text: str, start: int) -> str:
    """The name of the directive whose `#` stands at `start`; empty if there is none."""
    found = _WORD_OF_DIRECTIVE.match(text, start)
    return (found[1] or "") if found else ""
