"""Tokens of Croqtile functions, and what the preprocessor hands to the parser. Must not know the grammar."""

from __future__ import annotations

from enum import Enum

from croqc.text.diagnostics import Diagnostic
from croqc.text.record import record
from croqc.text.span import Span


class Kind(Enum):
    """What the scanner can tell from the characters alone (reference, chapter 1.3)."""

    WORD = "word"  # identifiers and keywords alike; the parser's context rules tell them apart
    NAME = "name"  # a reserved word that is a name all the same; only recovery makes such tokens
    DOTTED = "dotted"  # `.word`, dot included, no blank between (1.3.9)
    INT = "int"
    REAL = "real"
    STRING = "string"  # ordinary or raw, quotes included
    OP = "op"  # operators and punctuation, longest match (1.3.8); a lone `.` too
    BAD = "bad"  # a character that starts no token; already reported
    COMMENT = "comment"  # side channel only
    DIRECTIVE = "directive"  # side channel only: a whole logical directive line


class Token:
    """One token. Offsets are relative to the function's `__co__`; `line_first` says that nothing but
    blanks precedes it on its line. A token made by a macro carries the span of the use and its name.

    A plain class with slots: tens of thousands are made while a person types.
    """

    __slots__ = ("end", "kind", "line_first", "macro", "spaced", "start", "text", "type")

    def __init__(
        self,
        kind: Kind,
        text: str,
        start: int,
        end: int,
        macro: str | None = None,
        line_first: bool = False,
        spaced: bool = False,
    ) -> None:
        self.kind = kind
        self.text = text
        self.start = start
        self.end = end
        self.macro = macro
        self.line_first = line_first
        self.spaced = spaced  # white space or a comment stands directly before it
        self.type = ""  # terminal name, set by the context rules

    @property
    def span(self) -> Span:
        return Span(self.start, self.end)

    def __repr__(self) -> str:
        return f"{self.kind.name}({self.text!r}@{self.start})"


class RegionKind(Enum):
    """The regions of a file (reference, chapter 1.1)."""

    HOST = "host"
    FUNCTION = "function"
    DEVICE = "device"  # `__device__` / `__co_device__` at file level
    DEVICE_BLOCK = "device-block"  # `__cok__ { }`
    DEAD = "dead"  # a `__co__` function in a dead host branch


@record
class Region:
    """A stretch of the file, absolute offsets; regions tile the text without gaps."""

    kind: RegionKind
    span: Span


@record
class Macro:
    """A macro definition. `params` is None for object-like ones; `span` is the name's, absolute, or None
    for one from the command line. `opaque` marks a variadic one (1.2.5)."""

    name: str
    params: tuple[str, ...] | None
    body: str
    span: Span | None
    opaque: bool = False


@record
class FunctionText:
    """A live `__co__` function, ready to be parsed.

    `base` is the absolute offset of `__co__`; all offsets below are relative to it. `tokens` are the
    expanded tokens after `__co__` up to and including the closing brace. `key` holds everything that the
    tree depends on: the text, the visible macros that it uses, registered intrinsics.
    """

    base: int
    text: str
    tokens: tuple[Token, ...]
    comments: tuple[Token, ...]
    directives: tuple[Token, ...]
    dead: tuple[Span, ...]  # dead branches inside, to be shown greyed
    macro_uses: tuple[tuple[Span, str], ...]
    intrinsic_prefixes: tuple[str, ...]
    intrinsic_namespaces: tuple[str, ...]
    findings: tuple[Diagnostic, ...]  # lexical and preprocessor errors inside, relative
    key: tuple[object, ...]


@record
class Preprocessed:
    """A whole file after preprocessing. `findings` are absolute and concern text outside functions."""

    regions: tuple[Region, ...]
    functions: tuple[FunctionText, ...]
    macros: tuple[Macro, ...]  # every definition, in file order
    findings: tuple[Diagnostic, ...]
    dead: tuple[Span, ...] = ()  # dead branches of host text, to be shown greyed
    directives: tuple[Token, ...] = ()  # directive lines outside functions, absolute, live or dead
