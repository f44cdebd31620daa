"""What the C++ compiler says against C++ of the file itself, as a diagnostic at its place. Must not compile.

What it says against generated code is a mistake of ours, and is told elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from croqc.codegen.unit import moved
from croqc.codegen.writer import Line
from croqc.rules.not_lowered import refused
from croqc.service.check import FunctionReport
from croqc.syntax import ast
from croqc.syntax.visit import walk
from croqc.text.diagnostics import Diagnostic
from croqc.text.span import NOWHERE

_ERROR: Final = re.compile(r"^kernel\.cu\((\d+)\): (?:catastrophic )?error: (.*)$", re.MULTILINE)
_ASSEMBLER: Final = re.compile(r"^ptxas.*?error\s*: (.*)$", re.MULTILINE)
_UNDEFINED: Final = re.compile(r'identifier "([\w:]+)" is undefined')
_ASSEMBLY: Final = re.compile(r"\b(?:asm|__asm__)\b")


def refusal_of(log: str, lines: Sequence[Line], functions: Sequence[FunctionReport]) -> Diagnostic | None:
    """The diagnostic for the compiler's log about a text of these lines, whose places are absolute. None where the
    first error stands in code of ours."""
    found = _ERROR.search(log)
    if found is None:
        return _assembler(log, lines)
    line = lines[int(found[1]) - 1] if 0 < int(found[1]) <= len(lines) else Line("")
    if line.span == NOWHERE:
        return None
    undefined = _UNDEFINED.search(found[2])
    models = [(each.analysis.model, each.base) for each in functions if each.analysis is not None]
    islands = {node.span.shift(base) for model, base in models for node in model.islands}
    if undefined and line.span in islands:
        return refused(f"this island uses '{undefined[1]}', which this back end does not provide", line.span)
    if line.passed:
        return refused(f"the C++ compiler does not take this: {found[2]}", line.span)
    callees = {node.callee for model, _ in models for node in walk(model.function) if isinstance(node, ast.Call)}
    if any(re.search(rf"(?<![\w:]){re.escape(name)}\s*[<(]", line.text) for name in callees):
        return refused(f"the C++ compiler does not take this call: {found[2]}", line.span)
    return None


def _assembler(log: str, lines: Sequence[Line]) -> Diagnostic | None:
    """Errors of ptxas have no line of ours: where the file has assembly of its own, that is what it may mean."""
    found = _ASSEMBLER.search(log)
    own = next((line for line in lines if line.passed and line.span != NOWHERE and _ASSEMBLY.search(line.text)), None)
    if found is None or own is None:
        return None
    return refused(f"the assembler does not take this kernel, which has assembly of its own here: {found[1]}", own.span)


def absolute(lines: Sequence[Line], foreign: Sequence[Line], base: int) -> list[Line]:
    """The lines of a unit of one function with places in the file; those of `foreign` have them."""
    in_front = frozenset(foreign)
    return [line if line in in_front else moved(line, base) for line in lines]
