"""What parsing a file yields. The parser makes these; everybody else reads them."""

from __future__ import annotations

from croqc.syntax.ast import Function
from croqc.syntax.tokens import FunctionText, Preprocessed, Token
from croqc.text.diagnostics import Diagnostic
from croqc.text.record import record


@record
class ParsedFunction:
    """One function. `tree` is None only where not even a header could be read.

    `findings` are relative to the function (`source.base`) and include the lexical ones. Equal
    `source.key`s share one ParsedFunction but for `source`, which carries the present base. `typed` are the tokens as
    the parser took them, where there are no findings; else it is empty.
    """

    source: FunctionText
    tree: Function | None
    findings: tuple[Diagnostic, ...]
    typed: tuple[Token, ...] = ()


@record
class FileTree:
    """A parsed file: `functions` in file order; `findings` are all of them, absolute, sorted by place."""

    text: str
    pre: Preprocessed
    functions: tuple[ParsedFunction, ...]
    findings: tuple[Diagnostic, ...]
