"""The comment directives of a file, `// croq: …`: runs, expectations, models, allowances, target, dialect.

    // croq: run M=512 N=512 K=512 seed=7 arch=sm_90a name="small"
    // croq: expect output ~= lhs @ rhs.T rtol=1e-3 atol=1e-3
    // croq: expect auto
    // croq: model gelu(x) = x * sigmoid(1.702 * x)
    // croq: allow unused-name, shadowed-name
    // croq: arch sm_80
    // croq: dialect current

Only real `//` comments of host text and of live functions count; `run`, `expect` and `model` belong to the
function in which they stand, else to the next one. All spans are absolute. Must not know which sizes, rules or
targets exist.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from croqc.syntax import directive_clauses as clauses
from croqc.syntax.directive_clauses import (
    AllowDirective,
    Clause,
    DirectiveError,
    ExpectDirective,
    ModelDirective,
    RunDirective,
    WordDirective,
)
from croqc.syntax.tokens import RegionKind
from croqc.syntax.tree import FileTree
from croqc.text.diagnostics import Diagnostic, Severity
from croqc.text.near import did_you_mean
from croqc.text.record import record
from croqc.text.source import Source
from croqc.text.span import Span

__all__ = [
    "AllowDirective",
    "Comment",
    "ExpectDirective",
    "FileDirectives",
    "FunctionDirectives",
    "ModelDirective",
    "RunDirective",
    "WordDirective",
    "Written",
    "comments",
    "directive_at",
    "file_directives",
]

CODE: Final = "run-directive"
WORDS: Final = ("allow", "arch", "dialect", "expect", "model", "run")


@record
class FunctionDirectives:
    """What belongs to one function, in file order."""

    runs: tuple[RunDirective, ...] = ()
    expects: tuple[ExpectDirective, ...] = ()
    models: tuple[ModelDirective, ...] = ()


@record
class FileDirectives:
    """All directives of a file; `functions` has one entry for each of `FileTree.functions`.

    `arch` and `dialect` are the first ones written; `findings` are absolute, sorted by place.
    """

    functions: tuple[FunctionDirectives, ...]
    allows: tuple[AllowDirective, ...]
    arch: WordDirective | None
    dialect: WordDirective | None
    findings: tuple[Diagnostic, ...]


_LITERAL_OR_COMMENT = re.compile(
    r'(?<!\w)(?:u8|[uUL])?R"([^()\\\s]{0,16})\([\s\S]*?\)\1"'
    r'|"(?:[^"\\\r\n]|\\(?:\r\n|[\s\S]))*"?'
    r"|(?<!\w)[0-9][\w']*"
    r"|'(?:[^'\\\r\n]|\\(?:\r\n|[\s\S]))*'?"
    r"|(?P<comment>/\*[\s\S]*?(?:\*/|\Z)|//[^\r\n]*)"
)
_DIRECTIVE = re.compile(r"//[ \t]*croq:[ \t]*(?P<word>[^\s=]*)(?P<rest>.*)", re.DOTALL)


class Comment(NamedTuple):
    """A comment of either kind with its signs; `start` is absolute."""

    start: int
    text: str


class Written(NamedTuple):
    """A directive as it stands in the text, read or not: its word, which may be empty, and the text behind it, with
    their absolute places."""

    word: str
    word_span: Span
    rest: str
    rest_span: Span


def directive_at(tree: FileTree, offset: int) -> Written | None:
    """The directive whose comment an absolute offset touches behind its `croq:`; None elsewhere."""
    for comment in comments(tree):
        found = _DIRECTIVE.match(comment.text)
        if found is None:
            continue
        word = Span(comment.start + found.start("word"), comment.start + found.end("word"))
        rest = Span(word.end, comment.start + len(comment.text))
        if word.start <= offset <= rest.end:
            return Written(found["word"], word, found["rest"], rest)
    return None


def file_directives(tree: FileTree) -> FileDirectives:
    """Every comment directive of the file, with a finding for each that is malformed; never raises."""
    reader = _Reader(tree)
    if "croq:" in tree.text:
        for comment in sorted(comments(tree)):
            reader.read(comment)
    return reader.result()


def comments(tree: FileTree) -> Iterator[Comment]:
    """The comments of host text, then those of live functions."""
    for region in tree.pre.regions:
        if region.kind is RegionKind.HOST:
            for found in _LITERAL_OR_COMMENT.finditer(tree.text, region.span.start, region.span.end):
                if found["comment"]:
                    yield Comment(found.start(), found["comment"])
    for function in tree.pre.functions:
        for token in function.comments:
            yield Comment(function.base + token.start, token.text)


class _Reader:
    def __init__(self, tree: FileTree) -> None:
        self._source = Source(tree.text)
        self._places = [Span(item.base, item.base + len(item.text)) for item in tree.pre.functions]
        self._runs: list[list[RunDirective]] = [[] for _ in self._places]
        self._expects: list[list[ExpectDirective]] = [[] for _ in self._places]
        self._models: list[list[ModelDirective]] = [[] for _ in self._places]
        self._allows: list[AllowDirective] = []
        self._words: dict[str, WordDirective] = {}
        self._findings: list[Diagnostic] = []

    def read(self, comment: Comment) -> None:
        found = _DIRECTIVE.match(comment.text)
        if found is None:
            return
        span = Span(comment.start, comment.start + len(comment.text.rstrip()))
        clause = Clause(found["rest"], comment.start + found.start("rest"), span)
        word, word_start = found["word"], comment.start + found.start("word")
        try:
            if word not in WORDS:
                place = Span(word_start, word_start + len(word)) if word else span
                message = f"unknown directive '{word}'" if word else "a directive needs a word"
                raise DirectiveError(message, place, did_you_mean(word, WORDS))
            self._take(word, clause)
        except DirectiveError as problem:
            self._complain(problem.message, problem.span, problem.hint)

    def _take(self, word: str, clause: Clause) -> None:
        match word:
            case "allow":
                line = self._source.line_of(clause.whole.start)
                self._allows.append(clauses.read_allow(clause, line))
            case "arch" | "dialect":
                directive = clauses.read_word(clause, word)
                if self._words.setdefault(word, directive) is not directive:
                    raise DirectiveError(f"'{word}' stands in this file already", clause.whole, "keep one of them")
            case "run":
                self._runs[self._owner(clause.whole)].append(clauses.read_run(clause))
            case "model":
                self._models[self._owner(clause.whole)].append(clauses.read_model(clause))
            case _:
                owner = self._owner(clause.whole)
                expect = clauses.read_expect(clause)
                if isinstance(expect, ExpectDirective):
                    self._expects[owner].append(expect)
                else:
                    self._findings += expect

    def _owner(self, span: Span) -> int:
        for index, place in enumerate(self._places):
            if span.start < place.end:
                return index
        raise DirectiveError("no '__co__' function follows", span, "write it above the kernel that it concerns")

    def _complain(self, message: str, span: Span, hint: str) -> None:
        self._findings.append(Diagnostic(CODE, Severity.ERROR, message, span, hint))

    def result(self) -> FileDirectives:
        return FileDirectives(
            tuple(
                FunctionDirectives(tuple(runs), tuple(expects), tuple(models))
                for runs, expects, models in zip(self._runs, self._expects, self._models, strict=True)
            ),
            tuple(self._allows),
            self._words.get("arch"),
            self._words.get("dialect"),
            tuple(sorted(self._findings, key=lambda item: (item.span, item.message))),
        )
