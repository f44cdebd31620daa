"""The C++ of a file that goes to the card with its kernels (reference, 1.1.3, 1.1.4, 9.12). Must not lower anything.

That is all device functions and data, each with its template header and namespaces, `__cok__` blocks, and what these
and the islands use of the host text: types, constants, aliases, macros.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from croqc.codegen.foreign import INCLUDED, Foreign, headers_for, includes_for
from croqc.codegen.writer import Line
from croqc.pipe.build.names import OURS
from croqc.pipe.errors import LoweringError
from croqc.sema.model import Model
from croqc.service.check import FileReport, FunctionReport
from croqc.syntax import ast
from croqc.syntax.cpp_declarations import Declaration, declarations
from croqc.syntax.cpp_tokens import WORD, silenced
from croqc.syntax.tokens import Macro
from croqc.syntax.visit import walk
from croqc.text.span import Span

_DEFINED: Final = re.compile(r"([A-Za-z_]\w*)\s*\([^;{}]*\)\s*(?:noexcept\s*)?(?:->[^;{}]+)?\{")
_INCLUDE: Final = re.compile(r"^[ \t]*#[ \t]*include\b[ \t]*(?:<([^>\n]*)>)?.*$", re.MULTILINE)


def foreign_code(report: FileReport) -> Foreign:
    """What stands in front of the kernels of a file, and what it and the islands need."""
    passed = _passed(report)
    inside = _used_by_functions(report)
    words = inside.union(*(each.words for each in passed))
    macros = tuple(_macros(report, words))
    words = words.union(*(WORD.findall(item.body) for item in macros))
    words -= frozenset(name for each in passed for name in _DEFINED.findall(each.text))
    includes = tuple(includes_for(words))
    return Foreign(tuple(_lines(report, passed, macros)), headers_for(words), includes)


def device_words(report: FileReport) -> frozenset[str]:
    """Every word of this C++: no name of generated code may be one."""
    return frozenset(WORD.findall(silenced("\n".join(line.text for line in foreign_code(report).lines))))


# --- what is passed ----------------------------------------------------------------------------


def _passed(report: FileReport) -> tuple[Declaration, ...]:
    found = declarations(report.source.text, report.tree.pre)
    wanted = {each for each in found if each.on_device}
    offers: dict[str, list[Declaration]] = {}
    for each in found:
        for name in each.names:
            offers.setdefault(name, []).append(each)
    words = _used_by_functions(report).union(*(each.words for each in wanted))
    words |= {word for item in _macros(report, words) for word in WORD.findall(item.body)}
    seen: set[str] = set()
    while words - seen:
        new = {each for word in words - seen for each in offers.get(word, ())} - wanted
        seen |= words
        wanted |= new
        words = frozenset[str]().union(*(each.words for each in new))
    scopes = {scope.split()[-1] for each in wanted for scope in each.scopes} | {"choreo", "croq"} & seen
    scopes |= {word for word in ("nvcuda", "cooperative_groups") if word in seen}
    wanted |= {each for each in found if each.opens.rpartition("::")[2] in scopes and each.opens}
    return tuple(each for each in found if each in wanted)


def _used_by_functions(report: FileReport) -> frozenset[str]:
    """Words of C++ inside the functions of the file: islands, and template arguments of calls."""
    found: set[str] = set()
    for function in report.functions:
        for node in walk(function.parsed.tree) if function.parsed.tree is not None else ():
            if isinstance(node, ast.Cpp):
                found |= set(WORD.findall(silenced(node.text.value)))
            elif isinstance(node, ast.Call):
                found |= {arg.id for arg in node.targs or () if isinstance(arg, ast.Name)}
    return frozenset(found)


def _macros(report: FileReport, words: frozenset[str]) -> Iterator[Macro]:
    """The macros of the file that these words use, those that they use included."""
    used: set[str] = set()
    while words:
        new = [item for item in report.tree.pre.macros if item.name in words - used]
        used |= words
        words = frozenset(word for item in new for word in WORD.findall(item.body)) - used
    yield from (item for item in report.tree.pre.macros if item.name in used)


# --- its text ----------------------------------------------------------------------------------


def _lines(report: FileReport, passed: Sequence[Declaration], macros: Sequence[Macro]) -> Iterator[Line]:
    """In the order of the file, behind the macros that are used. Behind all, no name means a macro unless an island
    may: what kernels call their own is nothing else."""
    yield from (Line(_defined(item), passed=True) for item in macros)
    scopes: tuple[str, ...] = ()
    for each in passed:
        kept = next((n for n, pair in enumerate(zip(scopes, each.scopes, strict=False)) if pair[0] != pair[1]), None)
        kept = min(len(scopes), len(each.scopes)) if kept is None else kept
        yield from (Line(f"}}  // {scope}") for scope in reversed(scopes[kept:]))
        yield from (Line(f"{scope} {{") for scope in each.scopes[kept:])
        scopes = each.scopes
        yield from _passed_lines(each)
    yield from (Line(f"}}  // {scope}") for scope in reversed(scopes))
    if "__cpp__" not in report.source.text:
        yield from (Line(f"#undef {item.name}") for item in macros)


def _passed_lines(each: Declaration) -> Iterator[Line]:
    at = each.span.start
    for line in each.text.split("\n"):
        shown = line.replace("__co_device__", "__device__").rstrip()
        if shown and not _INCLUDE.match(shown):
            yield Line(shown, Span(at, at + len(line)), passed=True)
        at += len(line) + 1


def _defined(item: Macro) -> str:
    params = "" if item.params is None else f"({', '.join(item.params)})"
    return f"#define {item.name}{params} {item.body}".rstrip()


# --- what cannot be ----------------------------------------------------------------------------


def check_calls(report: FileReport, function: FunctionReport, model: Model) -> None:
    """A unit calls what its file defines, and includes no files but CUDA's. Raises LoweringError, with a place relative
    to the function."""
    pieces = _passed(report)
    known: set[str] = set()
    for each in pieces:
        start = each.span.start - function.base
        for found in _INCLUDE.finditer(each.text):
            if found[1] not in INCLUDED:
                raise LoweringError(
                    "a translation unit for the card includes no files: write what it needs into the block",
                    Span(start + found.start(), start + found.end()),
                )
        for found in _DEFINED.finditer(each.text):
            known.add(found[1])
            if found[1] in OURS and not each.scopes:
                place = Span(start + found.start(1), start + found.end(1))
                raise LoweringError(f"generated code has a '{found[1]}' of its own: rename this function", place)
    for node in walk(model.function):
        if isinstance(node, ast.Call) and node.kind == "call" and node.callee.rpartition("::")[2] not in known:
            if node.callee.startswith(("croq::", "choreo::")):
                continue
            reason = f"this file does not define a device function '{node.callee}'"
            raise LoweringError(f"{reason}: write it here, or in a '__cok__' block", node.callee_span)
