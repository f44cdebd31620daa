"""Check a text: read, analyse, apply the rules, honour `// croq: allow`. Must not print or speak LSP.

Command line and language server both call `check_text`, which is pure; functions that did not change are
taken from the report before. `check_file` reads the file and its project's settings.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from croqc.flow.islands import (
    functions_by_value,
    functions_in_sight,
    parameters_by_reference,
    register_functions,
    waiting_functions,
)
from croqc.flow.report import KernelFlow
from croqc.rules import dialect_note
from croqc.rules.base import Subject
from croqc.rules.diagnose import diagnose
from croqc.rules.internal_error import internal_error
from croqc.rules.redeclared_function import repeated
from croqc.rules.table import FLOW_RULES
from croqc.sema.analyze import analyze
from croqc.sema.model import Analysis, Context
from croqc.service.defines import overruled
from croqc.service.directive_check import check_directives
from croqc.service.files import read_text
from croqc.service.settings import DIALECTS, NO_SETTINGS, Settings, SettingsError, project_settings
from croqc.service.suppress import suppress
from croqc.syntax.comment_directives import FileDirectives, WordDirective, file_directives
from croqc.syntax.device_results import device_results
from croqc.syntax.device_text import cpp_text, device_text, includes_files
from croqc.syntax.glance import Glance, glance_at, go_on
from croqc.syntax.host_constants import host_constants
from croqc.syntax.older import older_forms
from croqc.syntax.parser import parse_file
from croqc.syntax.tokens import Macro
from croqc.syntax.tree import FileTree, ParsedFunction
from croqc.targets import DEFAULT_TARGET, TARGETS, find_target
from croqc.targets.table import Target
from croqc.text.diagnostics import Diagnostic, Severity
from croqc.text.near import did_you_mean
from croqc.text.record import record, replace
from croqc.text.source import Source
from croqc.text.span import Span


@record(eq=False)
class FunctionReport:
    """One function: its analysis (None if it has no tree) and its diagnostics, relative to it.

    `older` counts the forms that the current compiler rejects; equal `key`s make equal reports.
    """

    parsed: ParsedFunction
    analysis: Analysis | None
    diagnostics: tuple[Diagnostic, ...]
    key: tuple[object, ...]
    older: int = 0

    @property
    def base(self) -> int:
        return self.parsed.source.base

    @property
    def name(self) -> str:
        return self.parsed.tree.name.id if self.parsed.tree else ""

    @property
    def sound(self) -> bool:
        """Whether it has no error, so that its credit flow can be analysed."""
        return self.analysis is not None and all(item.severity is not Severity.ERROR for item in self.diagnostics)

    def spans(self, span: Span) -> bool:
        """Whether an absolute span lies in this function."""
        return self.base <= span.start <= self.base + len(self.parsed.source.text)


@record(eq=False)
class FunctionFlow:
    """The verdicts of a function's kernels, and their diagnostics, relative to the function."""

    kernels: tuple[KernelFlow, ...]
    diagnostics: tuple[Diagnostic, ...]


@record(eq=False)
class FileReport:
    """A checked file. `diagnostics` are absolute and sorted by place; suppressed ones are left out.

    `found` are all of them; `allow` are the rules that the settings silence; `given` are the settings above and below
    the directives of the file, as `check_text` takes them. `flows` are the credit flows of the sound
    functions by their analysis, and `flow_found` what they say; both are None until `flow_check.with_flow` adds them.
    `tried`: each safe fix of `found` was tried out (`safe_trials`).
    """

    source: Source
    tree: FileTree
    functions: tuple[FunctionReport, ...]
    directives: FileDirectives
    target: Target
    found: tuple[Diagnostic, ...]
    allow: frozenset[str]
    given: tuple[Settings, Settings]
    flows: Mapping[Analysis, FunctionFlow] | None = None
    flow_found: tuple[Diagnostic, ...] | None = None
    tried: bool = False

    @cached_property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Everything that is to be said of the file so far; an allowance of a verdict still to come is no mistake."""
        coming = frozenset(FLOW_RULES) if self.flow_found is None else frozenset()
        found = self.found + (self.flow_found or ())
        return suppress(found, self.directives.allows, self.allow, self.source, coming)

    @cached_property
    def dialect(self) -> str:
        """The dialect that most functions vote for; "any" where none shows evidence (reference, chapter 0)."""
        return _majority(self.functions)

    def function_named(self, name: str) -> FunctionReport | None:
        return next((item for item in self.functions if item.name == name), None)

    def same(self, function: FunctionReport) -> FunctionReport:
        """A function of another report on this text: names do not tell overloads apart. Itself where it is not here."""
        return next((item for item in self.functions if item.base == function.base), function)

    @cached_property
    def overloads(self) -> Mapping[int, int]:
        """By its place the number of each function among those of its name, from 0."""
        counts: Counter[str] = Counter()
        numbers = {}
        for item in self.functions:
            numbers[item.base] = counts[item.name]
            counts[item.name] += 1
        return numbers


def no_overload(name: str, number: int) -> str:
    """What is said where a file has fewer functions of a name than are asked for."""
    return f"there is no function '{name}' of number {number}, counted from 0"


def _majority(functions: Iterable[FunctionReport]) -> str:
    votes = [item.analysis.model.dialect for item in functions if item.analysis]
    known = [vote for vote in votes if vote != "any"]
    return max(sorted(set(known)), key=known.count) if known else "any"


def pick_target(settings: Settings) -> Target:
    """The target that the settings name. Raises SettingsError for one that has no table."""
    name = DEFAULT_TARGET if settings.arch is None else settings.arch
    target = find_target(name)
    if target is None:
        raise SettingsError(f"unknown architecture '{name}'; known are {', '.join(TARGETS)}")
    return target


def _lead(text: str, base: int) -> int:
    return base - (text.rfind("\n", 0, base) + 1)


def subject_of(parsed: ParsedFunction, analysis: Analysis, source: Source) -> Subject:
    """What the rules look at in a function of a file."""
    return Subject(parsed.source.text, analysis, source.newline, _lead(source.text, parsed.source.base))


def _report_function(
    parsed: ParsedFunction, context: Context, source: Source, key: tuple[object, ...]
) -> FunctionReport:
    if parsed.tree is None:
        return FunctionReport(parsed, None, parsed.findings, key)
    try:
        analysis = analyze(parsed.tree, context)
    except Exception as error:  # the other functions are checked all the same; an error, for this one is not
        failed = internal_error("the analysis of this function", error, parsed.tree.name.span, Severity.ERROR)
        return FunctionReport(parsed, None, (*parsed.findings, failed), key)
    subject = subject_of(parsed, analysis, source)
    told = parsed.findings + diagnose(subject)
    return FunctionReport(parsed, analysis, told, key, len(older_forms(parsed.tree)))


def _report_functions(
    tree: FileTree, context: Context, source: Source, previous: FileReport | None, pace: _Pace
) -> tuple[FunctionReport, ...]:
    """A report a function; those that did not change are taken over, at their present place."""
    known = {item.key: item for item in previous.functions} if previous else {}
    alike = {id(item.parsed.tree): item for item in previous.functions if item.parsed.tree} if previous else {}
    around = (context.target.name, *(getattr(context, name) for name in Context.__match_args__ if name != "target"))
    reports = []
    for parsed in tree.functions:
        pace.between()
        lead = _lead(source.text, parsed.source.base)
        key = (parsed.source.key, *around, lead, source.newline)
        old = known.get(key)
        if old is None and pace.glance and pace.glance.spares(parsed.source.base, parsed.source.text):
            old = alike.get(id(parsed.tree))
        taken = old if old and old.parsed.tree is parsed.tree else None
        reports.append(replace(taken, parsed=parsed) if taken else _report_function(parsed, context, source, key))
    return tuple(reports)


def _dialect_note(functions: Sequence[FunctionReport]) -> list[Diagnostic]:
    """What is said of the dialect of a file, at the name of its first function."""
    named = next((item for item in functions if item.parsed.tree and item.parsed.tree.name.id), None)
    if named is None or named.parsed.tree is None:
        return []
    count = sum(item.older for item in functions)
    found = dialect_note.note(_majority(functions), count, named.parsed.tree.name.span.shift(named.base))
    return [found] if found else []


def _island_macros(text: str, macros: Iterable[Macro]) -> tuple[tuple[str, str], ...]:
    """Name and body of each macro of a file with islands, in which they mean what they say."""
    return tuple((macro.name, macro.body) for macro in macros) if "__cpp__" in text else ()


def _device_functions(text: str) -> frozenset[str]:
    """The words of device code that could name a function; `call` of anything else is worth a warning."""
    return frozenset(re.findall(r"([A-Za-z_]\w*)\s*\(", text))


def _known_word(written: WordDirective | None, known: tuple[str, ...], found: list[Diagnostic]) -> str | None:
    """The word of an `arch` or `dialect` directive; one that is not known is reported and ignored."""
    if written is None or written.value in known:
        return written.value if written else None
    hint = did_you_mean(written.value, known)
    found.append(
        Diagnostic("run-directive", Severity.ERROR, f"'{written.value}' is not known", written.value_span, hint)
    )
    return None


@record
class _Pace:
    """How a text is read: all of it or with a glance, and what is done between two functions."""

    glance: Glance | None = None
    between: Callable[[], None] = go_on


def check_text(
    text: str,
    flags: Settings = NO_SETTINGS,
    below: Settings = NO_SETTINGS,
    path: str = "<text>",
    previous: FileReport | None = None,
    between: Callable[[], None] = go_on,
) -> FileReport:
    """Everything that is to be said of a text. `between` is called before each step of each function.

    `flags` overrule the directives of the file, which overrule `below` (project file, then editor setting).
    Raises SettingsError for an unknown architecture in the settings, never on the text itself.
    """
    return _check(text, (flags, below), path, previous, _Pace(between=between))


def check_glance(text: str, place: Span | None, previous: FileReport) -> FileReport:
    """What can be said at once of a long text that was read before an edit: what `check_text` says of the file and of
    the functions at `place`, and of all others that are written as before what was said of them then."""
    glance = glance_at(place, (item.parsed for item in previous.functions))
    return _check(text, previous.given, previous.source.path, previous, _Pace(glance))


def _check(
    text: str, given: tuple[Settings, Settings], path: str, previous: FileReport | None, pace: _Pace
) -> FileReport:
    flags, below = given
    source = Source(text, path)
    known = previous.tree if previous else None
    tree = parse_file(text, flags.over(below).defines, known, pace.glance, pace.between)
    directives = file_directives(tree)
    found = [*tree.pre.findings, *directives.findings]
    written = Settings(
        arch=_known_word(directives.arch, tuple(TARGETS), found),
        dialect=_known_word(directives.dialect, DIALECTS, found),
    )
    final = flags.over(written).over(below)
    target = pick_target(final)
    defined = [(item.tree, item.source.base) for item in tree.functions if item.tree is not None]
    names = frozenset(function.name.id for function, _ in defined)
    context = _context(text, tree, target, final.dialect or "any", names)
    functions = _report_functions(tree, context, source, previous, pace)
    found += repeated(defined)
    found += overruled(tree)
    for report in functions:
        found += [item.shift(report.base) for item in report.diagnostics]
    outside = frozenset(macro.name for macro in tree.pre.macros if macro.span is None)
    for report, own in zip(functions, directives.functions, strict=True):
        if report.analysis is not None:
            found += check_directives(report.analysis.model, own, outside)
    if context.dialect == "any":
        found += _dialect_note(functions)
    return FileReport(source, tree, functions, directives, target, tuple(found), final.allow, given)


def _context(text: str, tree: FileTree, target: Target, dialect: str, names: frozenset[str]) -> Context:
    """What the functions of a file see of each other, of its macros and of its C++."""
    macros = frozenset(macro.name for macro in tree.pre.macros if macro.params is None)
    device, bodies = device_text(tree.text, tree.pre), {macro.name: macro.body for macro in tree.pre.macros}
    return Context(
        target,
        dialect,
        _device_functions(device),
        names,
        macros,
        waiting_functions(device, cpp_text(tree.text, tree.pre), bodies),
        functions_by_value(device, frozenset(bodies)),
        host_constants(text, tree.pre),
        device_results(device),
        _island_macros(text, tree.pre.macros),
        functions_in_sight(device, includes_files(tree.text), bodies),
        parameters_by_reference(device, frozenset(bodies)),
        register_functions(device, bodies),
    )


def check_file(path: Path, flags: Settings = NO_SETTINGS) -> FileReport:
    """As `check_text`, for a file and the `croq.toml` above it. Raises FileError or SettingsError."""
    return check_text(read_text(path), flags, project_settings(path), str(path))
