"""Parses files: every function to a typed tree and its findings. Total: any text gives a tree and a list.

Recovery edits the token stream (`recovery`); this module decides when, and which findings remain, so that
one mistake gives one message. Must not touch files.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Final

from croqc.syntax import build_body, build_decls, build_exprs, build_loops, build_mma, build_moves, build_output
from croqc.syntax.ast import Function
from croqc.syntax.build import ACTIONS, Builder
from croqc.syntax.casts import without_casts
from croqc.syntax.checks import check
from croqc.syntax.context import typed_tokens
from croqc.syntax.doubts import doubts, statement_ends
from croqc.syntax.glance import Glance, go_on
from croqc.syntax.host_braces import surplus_brace
from croqc.syntax.lalr import END, Machine, Program, Saved, accepts
from croqc.syntax.messages import CODE, explain, unexpected
from croqc.syntax.preprocess import preprocess
from croqc.syntax.recovery import (
    DEEP,
    Mark,
    Repair,
    Stream,
    closers,
    find_repair,
    resynchronise,
    resynchronise_parameter,
)
from croqc.syntax.reports import PREPROCESSOR
from croqc.syntax.reserved_names import once, without_reserved
from croqc.syntax.respell import respell
from croqc.syntax.tables import tables
from croqc.syntax.tokens import FunctionText
from croqc.syntax.tree import FileTree, ParsedFunction
from croqc.text.diagnostics import Diagnostic, Severity
from croqc.text.record import replace

_NO_DEFINES: Final[Mapping[str, str | None]] = MappingProxyType({})
_BUILDERS: Final = (build_body, build_decls, build_exprs, build_loops, build_mma, build_moves, build_output)
_LAST_ENDINGS: Final[tuple[tuple[str, ...], ...]] = (
    ("_RBRACE",), ("_SEMI",), ("MISSING", "_SEMI"), ("_RPAR", "_SEMI"), ("ARROW", "MISSING", "_SEMI"),
)  # fmt: skip
_LINES_BACK: Final = 8  # a repair stands in the line of the mistake or shortly before it
_DIVISION: Final = re.compile(
    r"([\w)\]])[ \t]*(//)[ \t]*\(*(?=[\w#])(?:[\w#.()\[\]]|[-+*/%,][ \t]*+|[ \t]++(?=[-+*/%,]))++;[ \t]*$", re.MULTILINE
)
_MOST_RESTARTS: Final = 20  # of one function; later mistakes are mended in place
_MOST_REPAIRS: Final = 1000  # of one function; what is behind that many is no kernel


def parse_file(
    text: str,
    defines: Mapping[str, str | None] = _NO_DEFINES,
    previous: FileTree | None = None,
    glance: Glance | None = None,
    between: Callable[[], None] = go_on,
) -> FileTree:
    """The tree of a whole file. `defines` are the macros of the command line, None for `-DNAME`.

    A function whose key equals one of `previous` is taken over without a parse; a `glance` takes over more. `between`
    is called before each function. Never raises.
    """
    pre = preprocess(text, defines, glance, between)
    known = {item.source.key: item for item in previous.functions} if previous is not None else {}
    functions = []
    for source in pre.functions:
        between()
        parsed = known.get(source.key)
        if parsed is None:
            parsed = known[source.key] = parse_function(source)
        functions.append(parsed if parsed.source is source else replace(parsed, source=source))
    findings = list(pre.findings)
    for function in functions:
        findings += [finding.shift(function.source.base) for finding in function.findings]
    surplus = surplus_brace(text, pre, findings)
    if surplus is not None:
        pre = replace(pre, findings=(*pre.findings, surplus))
        findings.append(surplus)
    findings.sort(key=lambda finding: (finding.span.start, finding.span.end, finding.message))
    return FileTree(text, pre, tuple(functions), tuple(findings))


def _hidden_divisions(source: FunctionText) -> dict[int, int]:
    """Where an operand ends that a comment such as `// 2;` follows on its line, and where the comment begins."""
    starts = {one.start for one in source.comments}
    return {found.end(1): found.start(2) for found in _DIVISION.finditer(source.text) if found.start(2) in starts}


def parse_one(text: str, index: int, defines: Mapping[str, str | None] = _NO_DEFINES) -> ParsedFunction | None:
    """The function of that number, counted from 0, and no other of the file; None if it has fewer. Never raises."""
    functions = preprocess(text, defines).functions
    return parse_function(functions[index]) if index < len(functions) else None


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
        self.errors: list[Diagnostic] = []
        self.places: dict[int, int] = {}  # where an error stands behind its statement: a place inside that statement
        self.whole: set[int] = set()  # where errors stand that only say that a `;` is missing
        self.added_ends: list[int] = []  # of statements whose `;` recovery inserted
        self.unread: list[Diagnostic] = []  # that text was left out at the end
        self.owed: list[str] = []  # closing brackets for opening ones that recovery inserted
        self.respelt = False
        self.restarts = 0
        self.repairs, self.limit = 0, 4 * len(source.tokens) + 40  # a guard: each repair consumes a token
        self._read(source)

    def _read(self, source: FunctionText) -> None:
        self.typed, self.blanks = typed_tokens(source)
        end = self.typed[-1].end if self.typed else len("__co__")
        self.stream = Stream(self.typed, end, _hidden_divisions(source))
        # The preprocessor closes the braces of a function without an end by tokens of no width.
        self.unclosed = bool(self.typed) and self.typed[-1].start == self.typed[-1].end
        self.begin()

    def begin(self) -> None:
        """Start over, with the stream as it is by now."""
        self.builder = Builder(self.typed, self.source.text)
        self.machine = Machine(program(), self.builder)
        self.at = 0
        self.saves: deque[tuple[int, Saved, tuple[int, bool]]] = deque(maxlen=_LINES_BACK)
        self._look_again()

    def _resume(self, index: int) -> None:
        """Go on from the last line that begins at or before token `index`, all behind it forgotten."""
        while self.saves and self.saves[-1][0] > index:
            self.saves.pop()
        if not self.saves:
            self.begin()
            return
        self.at, machine, builder = self.saves.pop()
        self.machine.restore(machine)
        self.builder.restore(builder)
        self._look_again()

    def _left_out(self) -> None:
        """Text was left out: the next repair starts over, which drops what the builders found in that text."""
        self.saves = deque(maxlen=0)

    def _look_again(self) -> None:
        self.mark: Mark | None = None
        self.states: list[int] = []
        self.body_at = _body(self.stream)

    def run(self) -> ParsedFunction:
        tree = self._parse()
        findings = [*self.errors, *self.builder.findings]
        for dot in self.blanks:
            findings.append(Diagnostic(CODE, Severity.ERROR, "no blank allowed after '.'", dot.span))
        if tree is not None and self.builder.suspicious:
            check(self.builder, tree, findings)
        if not findings and not self.source.findings:
            return ParsedFunction(self.source, tree, (), tuple(self.typed))
        lexical = [self._severer(item) for item in self.source.findings]
        ends = statement_ends(self.typed, self.added_ends)
        kept = self._one_a_statement(ends, lexical, _without_echoes(self.errors, findings))
        if kept and (self.body_at < 0 or (self.unclosed and any(_about_braces(item.message) for item in kept))):
            lexical = [item for item in lexical if item.span.start]  # that place says it better
        together = once(sorted([*lexical, *kept, *self.unread], key=lambda item: (item.span.start, item.span.end)))
        if tree is not None:
            tree = self._doubtful(tree, ends, together)
        return ParsedFunction(self.source, tree, tuple(together))

    def _severer(self, finding: Diagnostic) -> Diagnostic:
        """A macro that could not be expanded is an error where its name would be read as a function's."""
        if finding.code != PREPROCESSOR or finding.severity is not Severity.WARNING:
            return finding
        index = next((at for at, token in enumerate(self.typed) if token.start == finding.span.start), 0)
        called = [token.type for token in self.typed[index : index + 2]] == ["NAME", "_LPAR"]
        if not called or self.typed[index - 1].type in ("FOREACH", "_COMMA"):  # `foreach F(0 : n)` is a loop
            return finding
        return replace(finding, severity=Severity.ERROR)

    def _one_a_statement(
        self, ends: list[int], lexical: Sequence[Diagnostic], findings: list[Diagnostic]
    ) -> list[Diagnostic]:
        """The first finding of each statement, none where the scanner found the statement wrong (2.8)."""
        wrong = [item for item in lexical if item.severity is Severity.ERROR and item.span.start]
        taken = {bisect_right(ends, item.span.start) for item in wrong}
        kept = []
        for finding in sorted(findings, key=lambda item: item.span.start):
            statement = bisect_right(ends, self.places.get(finding.span.start, finding.span.start))
            if statement not in taken:
                taken.add(statement)
                kept.append(finding)
        return kept

    def _doubtful(self, tree: Function, ends: list[int], findings: Sequence[Diagnostic]) -> Function:
        """The tree with what its findings make doubtful; a statement that only lacks its `;` is as it was meant."""
        wrong = [
            self.places.get(item.span.start, item.span.start)
            for item in findings
            if item.severity is Severity.ERROR and item.span.start and item.span.start not in self.whole
        ]
        return replace(tree, doubts=doubts(ends, self.typed, wrong, len(self.source.text))) if wrong else tree

    def _parse(self) -> Function | None:
        machine, stream = self.machine, self.stream
        while True:
            token = stream.tokens[self.at]
            shallow = len(machine.states) < DEEP  # a copy of all states a token would be quadratic work
            if shallow or not machine.fits(token.type):
                self.states = machine.states[:]  # a token that fits nowhere may still have caused reductions
            if shallow and token.line_first and token.type != END:
                self.mark = Mark(self.at, tuple(self.states))
                self.saves.append((self.at, machine.save(), self.builder.save()))
            if machine.feed(token):
                if token.type == END:
                    if not self.builder.findings or not self._respell():
                        tree: Function = machine.values[-1]
                        return tree
                    machine, stream = self.machine, self.stream
                    continue
                self.at += 1
                if token.type in ("_SEMI", "_LBRACE", "_RBRACE"):
                    self.mark = None
            elif not self._recover():
                return None
            machine, stream = self.machine, self.stream

    def _recover(self) -> bool:
        """Mend the stream at the present token; False if no tree can come of it."""
        self.repairs += 1
        if self.repairs > self.limit:
            return False
        if self._respell():
            return True
        if self.stream[self.at].type == END:
            return self._close()
        if self.repairs >= _MOST_REPAIRS:
            return self._leave_rest()
        tables = self.machine.tables
        if accepts(tables, self.states, [END]):  # text behind the closing brace
            if not self.errors:
                self.errors.append(unexpected(self.stream, self.at, set()))
            del self.stream.tokens[self.at : -1]
            return True
        in_place = self.restarts >= _MOST_RESTARTS
        mark = self.mark if self._may_go_back() else None
        states = self.machine.states if in_place else self.states
        repair = find_repair(tables, self.stream, self.at, states, mark)
        if repair is None:
            return self._give_up()
        self._note(repair)
        self.stream.apply(repair)
        self.restarts += 1
        if not in_place:
            self._resume(repair.at)
        return True

    def _respell(self) -> bool:
        """Start over, once, with mistyped words and casts of C++ set right; False if there are none."""
        if self.respelt:
            return False
        self.respelt = True
        named, taken = without_reserved(self.source.tokens)
        tokens, found = respell(named, typed_tokens(replace(self.source, tokens=tuple(named)))[0])
        tokens, casts = without_casts(tokens)
        found += taken + casts
        if not found:
            return False
        self.errors += found
        self._read(replace(self.source, tokens=tuple(tokens)))
        return True

    def _leave_rest(self) -> bool:
        """The rest of the function is left out, which is said; what is open is closed at its end."""
        stream = self.stream
        text = f"over {_MOST_REPAIRS:,} mistakes in this function; what follows is not read"
        self.unread.append(Diagnostic(CODE, Severity.ERROR, text, stream[self.at].span))
        del stream.tokens[self.at : -1]
        self._left_out()
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
            if repair.insert and repair.insert[-1] == "_SEMI" and repair.at:
                self._end_statement(repair)
        self.owed += closers(repair.insert)
        if repair.delete and self.stream[repair.at].type == "_RBRACE":
            self.owed.append("_RBRACE")

    def _end_statement(self, repair: Repair) -> None:
        """The error just found belongs to the statement that the repair ends, not to the next one."""
        last = self.stream[repair.at - 1]
        self.places[self.errors[-1].span.start] = last.start
        if repair.insert == ("_SEMI",) and self.stream[repair.at].line_first:
            self.whole.add(self.errors[-1].span.start)
        if self.stream[repair.at].line_first and "NAME" not in repair.insert:  # a name is a guess at what this is
            self.added_ends.append(last.end)

    def _close(self) -> bool:
        """The text ends inside the function: close what is open, with one message at most."""
        machine, stream = self.machine, self.stream
        for insert in (
            ("_RBRACE",),
            ("_SEMI",),
            ("MISSING", "_SEMI"),
            ("_RPAR", "_SEMI"),
            ("ARROW", "MISSING", "_SEMI"),
        ):
            if accepts(machine.tables, machine.states, insert):
                if insert != ("_RBRACE",) or not (self.unclosed or self.errors):
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
        if last == first and stream[first].type != END:
            last += 1
        stream.replace_range(first, last, "ERROR")
        self._left_out()
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
                self._left_out()
                self.at = first
                return True
        body = _body(stream)  # where it stands by now; what was left out may have held it
        if body < 0 or stream[0].type == "BROKEN":
            return False
        stream.replace_range(0, body, "BROKEN")
        self.begin()
        return True


def _body(stream: Stream) -> int:
    """The index of the brace that opens the body, -1 where there is none."""
    return next((index for index, token in enumerate(stream.tokens) if token.type == "_LBRACE"), -1)


def _about_braces(message: str) -> bool:
    return any(text in message for text in ("'{'", "'}'", "a block needs", "'else' without"))


def _without_echoes(errors: list[Diagnostic], findings: list[Diagnostic]) -> list[Diagnostic]:
    """Without what only follows from a mistake further up: an `else` whose `if` was hard to read."""
    recovered = {id(item) for item in errors}  # `findings` holds the same objects
    starts = [item.span.start for item in findings if id(item) in recovered or "a block needs" in item.message]
    first = min(starts, default=None)
    return [
        item for item in findings if first is None or item.span.start <= first or "'else' without" not in item.message
    ]
