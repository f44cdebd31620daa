"""Parses files: every function to a typed tree and its findings. Total: any text gives a tree and a list.

Recovery edits the token stream (`recovery`); this module decides when, and which findings remain, so that
one mistake gives one message. Must not touch files.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from types import MappingProxyType
from typing import Final

from croqc.syntax import build_body, build_decls, build_exprs, build_loops, build_mma, build_moves, build_output
from croqc.syntax.ast import Function
from croqc.syntax.build import ACTIONS, Builder
from croqc.syntax.checks import check
from croqc.syntax.context import typed_tokens
from croqc.syntax.lalr import END, Machine, Program, accepts
from croqc.syntax.messages import CODE, explain, unexpected
from croqc.syntax.preprocess import preprocess
from croqc.syntax.recovery import (
    Mark,
    Repair,
    Stream,
    closers,
    find_repair,
    resynchronise,
    resynchronise_parameter,
)
from croqc.syntax.tables import tables
from croqc.syntax.tokens import FunctionText, Token
from croqc.syntax.tree import FileTree, ParsedFunction
from croqc.text.diagnostics import Diagnostic, Severity

_NO_DEFINES: Final[Mapping[str, str | None]] = MappingProxyType({})
_BUILDERS: Final = (build_body, build_decls, build_exprs, build_loops, build_mma, build_moves, build_output)
_MOST_RESTARTS: Final = 20  # of one function; later mistakes are mended in place


def parse_file(
    text: str, defines: Mapping[str, str | None] = _NO_DEFINES, previous: FileTree | None = None
) -> FileTree:
    """The tree of a whole file. `defines` are the macros of the command line, None for `-DNAME`.

    A function whose key equals one of `previous` is taken over without a parse. Never raises.
    """
    pre = preprocess(text, defines)
    known = {item.source.key: item for item in previous.functions} if previous is not None else {}
    functions = []
    for source in pre.functions:
        parsed = known.get(source.key)
        if parsed is None:
            parsed = known[source.key] = parse_function(source)
        functions.append(parsed if parsed.source is source else replace(parsed, source=source))
    findings = list(pre.findings)
    for function in functions:
        findings += [finding.shift(function.source.base) for finding in function.findings]
    findings.sort(key=lambda finding: (finding.span.start, finding.span.end, finding.message))
    return FileTree(text, pre, tuple(functions), tuple(findings))


def parse_function(source: FunctionText) -> ParsedFunction:
    """One function, its findings relative to it. Never raises."""
    return _Parse(source).run()


@cache
def program() -> Program:
    """The grammar's tables with the actions of all builders."""
    return Program(tables(), ACTIONS)


class _Parse:
    """One parse with its repairs."""

    def __init__(self, source: FunctionText) -> None:
        self.source = source
        self.typed, self.blanks = typed_tokens(source)
        end = self.typed[-1].end if self.typed else len("__co__")
        self.stream = Stream(self.typed, end)
        self.errors: list[Diagnostic] = []
        self.owed: list[str] = []  # closing brackets for opening ones that recovery inserted
        self.unclosed = not source.text.rstrip().endswith("}") or self._open_braces()
        self.restarts = 0
        self.repairs, self.limit = 0, 4 * len(self.typed) + 40  # a guard: each repair consumes a token
        self.begin()

    def _open_braces(self) -> bool:
        kinds = [token.text for token in self.typed]
        return kinds.count("{") > kinds.count("}")

    def begin(self) -> None:
        """Start over, with the stream as it is by now."""
        self.builder = Builder(self.typed, self.source.text)
        self.machine = Machine(program(), self.builder)
        self.at = 0
        self.mark: Mark | None = None
        self.body_at = next((i for i, token in enumerate(self.stream.tokens) if token.type == "_LBRACE"), -1)

    def run(self) -> ParsedFunction:
        tree = self._parse()
        findings = [*self.errors, *self.builder.findings]
        for dot in self.blanks:
            findings.append(Diagnostic(CODE, Severity.ERROR, "no blank allowed after '.'", dot.span))
        if tree is not None:
            check(self.builder, tree, findings)
        kept = _one_a_statement(self.typed, self.source.findings, findings)
        together = sorted([*self.source.findings, *kept], key=lambda item: (item.span.start, item.span.end))
        return ParsedFunction(self.source, tree, tuple(together))

    def _parse(self) -> Function | None:
        machine, stream = self.machine, self.stream
        while True:
            token = stream.tokens[self.at]
            if token.line_first and token.type != END:
                self.mark = Mark(self.at, tuple(machine.states))
            if machine.feed(token):
                if token.type == END:
                    tree: Function = machine.values[-1]
                    return tree
                self.at += 1
                if token.type in ("_SEMI", "_LBRACE", "_RBRACE"):
                    self.mark = None
            elif not self._recover():
                return None
            machine = self.machine

    def _recover(self) -> bool:
        """Mend the stream at the present token; False if no tree can come of it."""
        self.repairs += 1
        if self.repairs > self.limit:
            return False
        if self.stream[self.at].type == END:
            return self._close()
        mark = self.mark if self._may_go_back() else None
        repair = find_repair(self.machine.tables, self.stream, self.at, self.machine.states, mark)
        if repair is None:
            return self._give_up()
        self._note(repair)
        self.stream.apply(repair)
        if repair.at != self.at:
            self.restarts += 1
            self.begin()
        return True

    def _may_go_back(self) -> bool:
        """Whether the present line may be the beginning of a statement, the one before it unfinished."""
        mark = self.mark
        return (
            mark is not None
            and self.body_at < mark.index < self.at
            and self.restarts < _MOST_RESTARTS
            and not any(self.stream.made(index) for index in range(mark.index - 1, self.at))
        )

    def _note(self, repair: Repair) -> None:
        closing = repair.insert[0] if repair.insert else ""
        if closing in self.owed:
            self.owed.remove(closing)
        else:
            self.errors.append(explain(self.stream, repair))
        self.owed += closers(repair.insert)

    def _close(self) -> bool:
        """The text ends inside the function: close what is open, with one message at most."""
        machine, stream = self.machine, self.stream
        for insert in (("_RBRACE",), ("_SEMI",), ("MISSING", "_SEMI"), ("_RPAR", "_SEMI"), ("ARROW", "MISSING", "_SEMI")):
            if accepts(machine.tables, machine.states, insert):
                if not self.unclosed or insert != ("_RBRACE",):
                    self._note(Repair(self.at, insert))
                stream.apply(Repair(self.at, insert))
                return True
        return self._give_up()

    def _give_up(self) -> bool:
        """Report, and leave out the rest of the statement, the parameter or the header."""
        stream, machine = self.stream, self.machine
        if not self.unclosed or stream[self.at].type != END:
            self.errors.append(unexpected(stream, self.at, machine.expected()))
        if self.at <= self.body_at or self.body_at < 0:
            return self._give_up_header()
        first = machine.pop_to("ERROR")
        if first is None:
            return False
        last = resynchronise(stream, self.at)
        if last == first:
            last += 1
        stream.replace_range(first, last, "ERROR")
        self.at, self.mark = first, None
        return True

    def _give_up_header(self) -> bool:
        """A parameter, or the whole header, cannot be read; the body is read all the same."""
        stream, machine = self.stream, self.machine
        comma = resynchronise_parameter(stream, self.at)
        if comma is not None and comma > self.at:
            first = machine.pop_to("ERROR")
            if first is not None:
                stream.replace_range(first, comma, "ERROR")
                self.at = first
                return True
        if self.body_at < 0 or stream[0].type == "BROKEN":
            return False
        stream.replace_range(0, self.body_at, "BROKEN")
        self.begin()
        return True


def _one_a_statement(
    tokens: list[Token], lexical: tuple[Diagnostic, ...], findings: list[Diagnostic]
) -> list[Diagnostic]:
    """The first finding of each statement, none where the scanner found the statement wrong (2.8)."""
    ends = [token.end for token in tokens if token.type in ("_SEMI", "_LBRACE", "_RBRACE")]
    taken = {bisect_right(ends, item.span.start) for item in lexical if item.code == CODE and item.span.start}
    kept = []
    for finding in sorted(findings, key=lambda item: item.span.start):
        statement = bisect_right(ends, finding.span.start)
        if statement not in taken:
            taken.add(statement)
            kept.append(finding)
    return kept
