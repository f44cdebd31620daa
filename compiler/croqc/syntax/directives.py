"""Obeys directive lines: definitions, conditionals, `#error`, intrinsic pragmas (reference, 1.2).

The same code serves host text and the inside of a function; must not find the lines or expand macros.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from croqc.syntax.conditions import Condition, evaluate, undecided
from croqc.syntax.regions import directive_end
from croqc.syntax.reports import preprocessing
from croqc.syntax.tokens import Kind, Macro, Token
from croqc.text.diagnostics import Diagnostic, Severity
from croqc.text.record import record
from croqc.text.span import Span

_NAME = re.compile(r"#[ \t]*([A-Za-z_]\w*)?", re.ASCII)
_BLANK = r"(?:[ \t]|\\[ \t]*(?:\r\n?|\n)|/\*[\s\S]*?\*/)*"
_WORD = re.compile(_BLANK + r"([A-Za-z_]\w*)", re.ASCII)
_PARAMS = re.compile(r"\(([^()]*)\)")
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*\Z", re.ASCII)
_NOT_TEXT = re.compile(
    r'("(?:[^"\\\r\n]|\\.)*"|\'(?:[^\'\\\r\n]|\\.)\')|//[^\r\n]*|/\*[\s\S]*?(?:\*/|\Z)|\\[ \t]*(?:\r\n?|\n)'
)
_BLANK_JOIN = re.compile(r"\\[ \t]+(?=[\r\n])")
_PRAGMA_WORD = re.compile(r"[^\s;]+")
CONDITIONALS = frozenset(("if", "ifdef", "ifndef", "elif", "else", "endif"))


@record
class Line:
    """A directive line: `[start, end)` from its `#` to the end of the logical line, the name's end, the name."""

    start: int
    end: int
    name_end: int
    name: str


def read_line(text: str, start: int) -> tuple[Line, tuple[Diagnostic, ...]]:
    """The directive line whose `#` stands at `start`, and what is wrong with its line ends and comments."""
    end, open_comment = directive_end(text, start)
    found = _NAME.match(text, start)
    assert found is not None
    name_end = found.end() if found[1] else start + 1
    findings = []
    if open_comment >= 0:
        findings.append(preprocessing("unterminated comment", open_comment, open_comment + 2, "close it with '*/'"))
    findings += [
        preprocessing(
            "backslash and newline separated by space",
            blank.start(),
            blank.end(),
            "delete the blanks",
            Severity.WARNING,
        )
        for blank in (_BLANK_JOIN.finditer(text, start, end) if "\\" in text[start:end] else ())
    ]
    return Line(start, end, min(name_end, end), found[1] or ""), tuple(findings)


def plain(text: str) -> str:
    """The text of a directive: comments and joined line ends count as one blank; trimmed."""
    if "/" in text or "\\" in text:
        text = _NOT_TEXT.sub(lambda found: found[1] or " ", text)
    return text.strip()


class _Frame:
    """One open conditional. `chain` is the first unknown name in the conditions evaluated so far, `blame` the
    one because of which the present branch is dead."""

    def __init__(
        self,
        line: Line,
        parent: bool,
        live: bool,
        taken: bool,
        chain: str | None,
        blame: str | None,
        taken_by: str | None,
    ) -> None:
        self.line = line
        self.parent = parent
        self.live = live
        self.taken = taken
        self.chain = chain
        self.blame = blame
        self.taken_by = taken_by
        self.closing = False  # `#else` was seen


class Conditionals:
    """The open conditionals of a file or a function, outermost first."""

    def __init__(self) -> None:
        self.frames: list[_Frame] = []

    @property
    def live(self) -> bool:
        return not self.frames or self.frames[-1].live

    def open(self, line: Line, judge: Callable[[], Condition]) -> None:
        if not self.live:
            self.frames.append(_Frame(line, False, False, True, None, None, None))
            return
        result = judge()
        blame = None if result.value else result.unknown
        taken_by = result.unknown if result.value else None
        self.frames.append(_Frame(line, True, result.value, result.value, result.unknown, blame, taken_by))

    def branch(self, judge: Callable[[], Condition] | None) -> None:
        """Enter the next branch of the innermost chain; `judge` is None for `#else`."""
        frame = self.frames[-1]
        frame.closing = judge is None
        if not frame.parent:
            return
        if frame.taken:
            frame.live, frame.blame = False, frame.taken_by
            return
        result = judge() if judge else Condition(True)
        frame.chain = frame.chain or result.unknown
        frame.live = frame.taken = result.value
        frame.blame = None if result.value else result.unknown
        frame.taken_by = result.unknown if result.value else None

    @property
    def dead_because(self) -> str | None:
        """The unknown name that makes the present place dead; None where it is live or surely dead."""
        return next((frame.blame for frame in self.frames if not frame.live), None)

    @property
    def live_because(self) -> str | None:
        """The first unknown name among the conditions that make the present place live."""
        return next((frame.chain for frame in self.frames if frame.chain), None)


class Directives:
    """The preprocessor's state in one scope: the file (`inside` false) or one function.

    `macros` is the scope's table; `defined` collects its definitions in order, `lines` every directive line,
    `dead` the dead branches. Spans are offsets of `text`.
    """

    def __init__(
        self, text: str, macros: dict[str, Macro], prefixes: list[str], namespaces: list[str], inside: bool
    ) -> None:
        self.text = text
        self.macros = macros
        self.prefixes = prefixes
        self.namespaces = namespaces
        self.inside = inside
        self.conditionals = Conditionals()
        self.defined: list[Macro] = []
        self.findings: list[Diagnostic] = []
        self.lines: list[Token] = []
        self.dead: list[Span] = []
        self._dead_from = self._dead_depth = -1

    @property
    def live(self) -> bool:
        return self.conditionals.live

    def obey(self, start: int) -> Line:
        """Take the directive line whose `#` stands at `start`."""
        line, findings = read_line(self.text, start)
        self.lines.append(Token(Kind.DIRECTIVE, self.text[start : line.end], start, line.end, line_first=True))
        was_live, depth = self.live, len(self.conditionals.frames)
        if was_live:
            self.findings += findings
        if line.name in CONDITIONALS:
            self._conditional(line)
        elif self.live:
            handler = _HANDLERS.get(line.name)
            if handler:
                handler(self, line)
            elif self.inside:
                self._unknown(line, line.name)
        branches = depth == self._dead_depth and line.name in ("elif", "else")
        if not was_live and (self.live or branches):
            self._bury(start)
        if not self.live and (was_live or branches):
            self._dead_from, self._dead_depth = line.end, len(self.conditionals.frames)
        return line

    def _bury(self, end: int) -> None:
        """A dead branch ends at the `#` at `end`, or at the end of the scope: whole lines, for an editor."""
        text, start = self.text, self._dead_from
        start += 2 if text.startswith("\r\n", start) else 1
        while end > start and text[end - 1] in " \t":
            end -= 1
        if start < end:
            self.dead.append(Span(start, end))
        self._dead_from = self._dead_depth = -1

    def finish(self, end: int) -> None:
        """The scope ends at `end`: what is still open lacks its `#endif`."""
        if not self.live:
            self._bury(end)
        for frame in self.conditionals.frames:
            self._error("missing '#endif'", frame.line.start, frame.line.name_end, "close it with '#endif'")

    def _error(self, message: str, start: int, end: int, hint: str = "", severity: Severity = Severity.ERROR) -> None:
        self.findings.append(preprocessing(message, start, end, hint, severity))

    def _conditional(self, line: Line) -> None:
        open_now = self.conditionals.frames
        if line.name in ("if", "ifdef", "ifndef"):
            self.conditionals.open(line, lambda: self._judge(line))
        elif not open_now:
            self._error(f"'#{line.name}' without '#if'", line.start, line.name_end)
        elif line.name == "endif":
            open_now.pop()
        elif open_now[-1].closing:
            self._error(f"'#{line.name}' after '#else'", line.start, line.name_end)
        else:
            self.conditionals.branch((lambda: self._judge(line)) if line.name == "elif" else None)

    def _judge(self, line: Line) -> Condition:
        if line.name in ("if", "elif"):
            result = self._evaluated(line)
            self.findings += result.findings
            return result
        name = self._name(line)
        if name is None:
            return Condition(False)
        unknown = None if self.inside else undecided(name[0], self.macros)
        return Condition((name[0] in self.macros) == (line.name == "ifdef"), unknown)

    def _evaluated(self, line: Line) -> Condition:
        if plain(self.text[line.name_end : line.end]):
            return evaluate(self.text, line.name_end, line.end, self.macros, not self.inside)
        message = "malformed #if expression"
        return Condition(False, None, (preprocessing(message, line.name_end, line.name_end, "it is empty"),))

    def _name(self, line: Line) -> tuple[str, int, int] | None:
        """The macro name behind the directive's name, with its place."""
        found = _WORD.match(self.text, line.name_end, line.end)
        if found is None:
            self._error("macro name missing", line.name_end, line.name_end, f"write '#{line.name} NAME'")
            return None
        return found[1], found.start(1), found.end(1)

    def _define(self, line: Line) -> None:
        name = self._name(line)
        if name is None:
            return
        word, start, end = name
        params: tuple[str, ...] | None = None
        opaque = False
        body_at = end
        if self.text.startswith("(", end):
            found = _PARAMS.match(self.text, end, line.end)
            listed = [part.strip() for part in plain(found[1]).split(",")] if found else [""]
            opaque = "..." in (found[1] if found else "")
            params = () if listed == [""] or opaque else tuple(listed)
            if found is None or not all(_IDENTIFIER.match(param) for param in params):
                self._error(f"malformed parameter list of macro '{word}'", end, end + 1, "names, separated by ','")
                return
            body_at = found.end()
        body = plain(self.text[body_at : line.end]) or "1"
        macro = Macro(word, params, body, Span(start, end), opaque)
        if params is not None and self._clashes(macro):
            self._error(f"redefinition of macro '{word}'", start, end, f"write '#undef {word}' first")
            return
        self.macros[word] = macro
        self.defined.append(macro)

    def _clashes(self, macro: Macro) -> bool:
        old = self.macros.get(macro.name)
        if old is None or old.span is None:
            return False
        return (old.params, old.body, old.opaque) != (macro.params, macro.body, macro.opaque)

    def _undef(self, line: Line) -> None:
        if name := self._name(line):
            self.macros.pop(name[0], None)

    def _fail(self, line: Line) -> None:
        message = f"#error: {plain(self.text[line.name_end : line.end])}"
        if unknown := self.conditionals.live_because:
            hint = f"left to the C++ compiler: the condition depends on '{unknown}', which is unknown here"
            self._error(message, line.start, line.end, hint, Severity.INFORMATION)
        else:
            self._error(message, line.start, line.end)

    def _include(self, line: Line) -> None:
        if self.inside:
            message = "'#include' is not allowed inside a '__co__' function"
            self._error(message, line.start, line.name_end, "move it in front of the function")

    def _unknown(self, line: Line, name: str) -> None:
        message = f"unknown directive '#{name}' inside a '__co__' function"
        self._error(message, line.start, line.name_end, "delete it or move it in front of the function")

    def _pragma(self, line: Line) -> None:
        words = list(_PRAGMA_WORD.finditer(plain_in_place(self.text, line)))
        texts = [word[0] for word in words]
        ours = texts[:1] in (["croq"], ["choreo"])
        if not ours and texts[1:2] == ["intrinsic"]:
            self._misspelt(line, words[0], "'croq' or 'choreo'")
        elif not ours:
            if self.inside:
                self._unknown(line, " ".join(["pragma", *texts[:1]]))
        elif texts[1:2] != ["intrinsic"]:
            self._misspelt(line, words[1] if len(words) > 1 else None, "'intrinsic'")
        elif len(words) == 2:
            self._misspelt(line, None, "'prefix' or 'namespace'")
        else:
            for index in range(2, len(words), 2):
                if not self._register(line, words[index], words[index + 1] if index + 1 < len(words) else None):
                    break

    def _misspelt(self, line: Line, word: re.Match[str] | None, wanted: str) -> None:
        start = line.name_end + word.start() if word else line.end
        end = line.name_end + word.end() if word else line.end
        found = f", found '{word[0]}'" if word else ""
        self._error(f"expected {wanted}{found}", start, end)

    def _register(self, line: Line, what: re.Match[str], name: re.Match[str] | None) -> bool:
        """One `prefix X` or `namespace X`; whether to go on with the next pair."""
        if what[0] not in ("prefix", "namespace"):
            self._misspelt(line, what, "'prefix' or 'namespace'")
            return False
        if name is None:
            self._misspelt(line, None, f"a name after '{what[0]}'")
            return False
        start, end = line.name_end + name.start(), line.name_end + name.end()
        known = self.prefixes if what[0] == "prefix" else self.namespaces
        if name[0] == "croq" or name[0].startswith("croq::"):
            self._error("'croq' is reserved for built-in functions", start, end, "choose another name")
        elif name[0] in known:
            message = f"duplicate intrinsic {what[0]} '{name[0]}'"
            self._error(message, start, end, "delete one of them", Severity.WARNING)
        else:
            known.append(name[0])
        return True

    def _ignore(self, line: Line) -> None:
        """`#line` changes what other tools report; here positions are those of this file."""


def plain_in_place(text: str, line: Line) -> str:
    """What follows the directive's name, comments and joins blanked out at their places."""
    rest = text[line.name_end : line.end]
    return _NOT_TEXT.sub(lambda found: found[1] or " " * len(found[0]), rest)


_HANDLERS: dict[str, Callable[[Directives, Line], None]] = {
    "define": Directives._define,
    "undef": Directives._undef,
    "error": Directives._fail,
    "include": Directives._include,
    "pragma": Directives._pragma,
    "line": Directives._ignore,
}
