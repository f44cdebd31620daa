"""Preprocesses a whole file: regions, host directives, the text of every live function (reference, 1.1, 1.2).

Total and deterministic: any text gives a `Preprocessed`. Must not parse functions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from croqc.syntax import regions
from croqc.syntax.directives import Directives, plain
from croqc.syntax.function_text import Function, Scope, key_of, read_function
from croqc.syntax.glance import Glance, go_on
from croqc.syntax.regions import BRACED, HOST, Braces, Stop, next_stop
from croqc.syntax.reports import lexical, preprocessing
from croqc.syntax.tokens import FunctionText, Macro, Preprocessed, Region, RegionKind
from croqc.text.diagnostics import Diagnostic, Severity
from croqc.text.record import replace
from croqc.text.span import Span

_NO_DEFINES: Mapping[str, str | None] = MappingProxyType({})
_MOST_VERSIONS = 8  # of functions with the same first line
_DEVICE_WORDS = ("__device__", "__co_device__")


def preprocess(
    text: str,
    defines: Mapping[str, str | None] = _NO_DEFINES,
    glance: Glance | None = None,
    between: Callable[[], None] = go_on,
) -> Preprocessed:
    """Split `text` into regions and preprocess its functions.

    `defines` are the macros of the command line (1.2.11): name to text, None for `-DNAME`, which counts as 1
    in conditions and stands for nothing in code. Never raises; findings of a function lie in its
    `FunctionText`, relative to it, all others are absolute. Functions read before are reused. `between` is called
    before each function.
    """
    return _File(text, defines, glance, between).read()


@lru_cache(maxsize=2048)  # the longest text that is read while one types has some 1,000 functions
def _versions(first_line: str) -> list[Function]:
    """The functions read last that begin with this line, oldest first."""
    return []


def _versions_at(text: str, base: int) -> list[Function]:
    return _versions(text[base : base + 200].split("\n", 1)[0])


def _read_before(text: str, base: int, scope: Scope, glance: Glance | None) -> Function | None:
    """The function at `base` if it was read before: same text, and the same values of all it depends on."""
    versions = [one for one in reversed(_versions_at(text, base)) if text.startswith(one.result.text, base)]
    if glance is not None:
        for function in versions:
            if function.result.key in glance.keys and glance.spares(base, function.result.text):
                return function
    return next((one for one in versions if key_of(one.result.text, one.words, scope) == one.result.key), None)


def _keep(text: str, base: int, function: Function) -> None:
    versions = _versions_at(text, base)
    versions.append(function)
    del versions[:-_MOST_VERSIONS]


_NO_KERNEL_OF_CUDA: Final = "a kernel is '__co__ void f(…) { parallel b by n : block, t by 128 : thread { … } }'"
_KERNEL_OF_CUDA: Final = re.compile(r"(?m)^[ \t]*(__global__)(?=\s+\w+\s+\w+\s*\([^;{}]{0,2000}\)\s*\{\s*parallel\b)")
"""A function as `__co__` begins one, its body too, but for that word."""


class _File:
    """One walk over a file, top to bottom."""

    def __init__(
        self, text: str, defines: Mapping[str, str | None], glance: Glance | None, between: Callable[[], None]
    ) -> None:
        self.text = text
        self.glance, self.between = glance, between
        self.findings: list[Diagnostic] = []
        self.regions: list[Region] = []
        self.functions: list[FunctionText] = []
        macros = {name: Macro(name, None, plain(value or ""), None) for name, value in defines.items()}
        self.directives = Directives(text, macros, [], [], inside=False)
        self.directives.defined += macros.values()
        self._any_function = False

    def read(self) -> Preprocessed:
        pos = 0
        while stop := next_stop(HOST, self.text, pos):
            pos = self._stop(stop)
        self.directives.finish(len(self.text))
        if not self._any_function:
            self.findings.append(self._none_here())
        self._region(RegionKind.HOST, len(self.text), len(self.text))
        findings = sorted([*self.findings, *self.directives.findings], key=lambda finding: finding.span)
        return Preprocessed(
            tuple(self.regions),
            tuple(self.functions),
            tuple(self.directives.defined),
            tuple(findings),
            tuple(self.directives.dead),
            tuple(self.directives.lines),
        )

    def _none_here(self) -> Diagnostic:
        """What is said of a file without a kernel; one of CUDA's that uses `parallel` is meant as one of ours."""
        message = "no '__co__' function in this file"
        if (meant := _KERNEL_OF_CUDA.search(self.text)) is None:
            hint = _NO_KERNEL_OF_CUDA if "__global__" in self.text else ""
            return lexical(message, 0, 0, hint, severity=Severity.WARNING)
        hint = "write '__co__' for '__global__'"
        return lexical(message, *meant.span(1), hint, severity=Severity.WARNING)

    def _stop(self, stop: Stop) -> int:
        """Deal with one stop in host text; the place to go on from."""
        if stop.what == "#":
            return self.directives.obey(stop.start).end
        if stop.what == "/*":
            finding = lexical("unterminated comment", stop.start, stop.start + 2, "close it with '*/'")
            self.findings.append(finding)
            return stop.end
        if stop.what == "__co__":
            return self._function(stop.start) if self.directives.live else self._dead_function(stop.start)
        if not self.directives.live:
            return stop.end
        return self._device(stop) if stop.what in _DEVICE_WORDS else self._device_block(stop)

    def _region(self, kind: RegionKind, start: int, end: int) -> None:
        """A region, and before it the host text since the last one."""
        last = self.regions[-1].span.end if self.regions else 0
        if last < start:
            self.regions.append(Region(RegionKind.HOST, Span(last, start)))
        if start < end:
            self.regions.append(Region(kind, Span(start, end)))

    def _dead_function(self, base: int) -> int:
        self._any_function = True
        end = regions.dead_function_end(self.text, base)
        self._region(RegionKind.DEAD, base, end)
        if unknown := self.directives.conditionals.dead_because:
            name = regions.function_name(self.text, base)
            message = f"'{name}' is not compiled: condition depends on '{unknown}', which is unknown here"
            hint = f"define it with '-D {unknown}=...'"
            self.findings.append(preprocessing(message, base, base + 6, hint, Severity.WARNING))
        return end

    def _function(self, base: int) -> int:
        self._any_function = True
        self._specifier(base)
        directives = self.directives
        scope = Scope(directives.macros, tuple(directives.prefixes), tuple(directives.namespaces))
        self.between()
        function = _read_before(self.text, base, scope, self.glance)
        if function is None:
            line = max(self.text.rfind("\n", 0, base), self.text.rfind("\r", 0, base)) + 1
            before = self.text[line:base]
            function = read_function(self.text[base:], 0 if before.strip(" \t") else len(before), scope)
            if function.closed:
                _keep(self.text, base, function)
        if function.prototype >= 0:
            at = base + function.prototype
            self.findings.append(
                lexical("expected '{'; prototypes are not supported", at, at + 1, "delete it; no declaration is needed")
            )
            return at + 1
        end = base + len(function.result.text)
        self._region(RegionKind.FUNCTION, base, end)
        self.functions.append(replace(function.result, base=base))
        directives.defined += [
            replace(macro, span=macro.span.shift(base)) for macro in function.defined if macro.span is not None
        ]
        return end

    def _specifier(self, base: int) -> None:
        if place := regions.specifier_before(self.text, base):
            word = " ".join(self.text[place[0] : place[1]].split())
            message = f"'{word}' has no effect on a '__co__' function"
            self.findings.append(lexical(message, *place, f"delete '{word}'", Severity.WARNING))

    def _device(self, stop: Stop) -> int:
        return self._braced(stop, stop.end, RegionKind.DEVICE, "device function")

    def _device_block(self, stop: Stop) -> int:
        brace = regions.block_start(self.text, stop.end)
        if not self.text.startswith("{", brace):
            at = min(brace, len(self.text))
            self.findings.append(lexical("expected '{' after '__cok__'", at, min(at + 1, len(self.text))))
            return stop.end
        return self._braced(stop, brace, RegionKind.DEVICE_BLOCK, "'__cok__' block")

    def _braced(self, opening: Stop, pos: int, kind: RegionKind, what: str) -> int:
        """C++ text up to its closing brace; its directives are obeyed, braces in dead branches do not count."""
        braces = Braces()
        while stop := next_stop(BRACED, self.text, pos):
            pos = stop.end
            if stop.what == "#":
                pos = self.directives.obey(stop.start).end
            elif stop.what in ("/*", "__co__"):
                pos = stop.start
                break
            elif self.directives.live and braces.ends(stop.what, kind is RegionKind.DEVICE):
                self._region(kind, opening.start, pos)
                return pos
        else:
            pos = len(self.text)
        message = f"missing '}}' for {what}"
        self.findings.append(lexical(message, opening.start, opening.end, "add the missing '}'"))
        self._region(kind, opening.start, pos)
        return pos
