"""Analyse a snippet and look at the outcome by names and source text."""

from __future__ import annotations

import re
from dataclasses import dataclass

from croqc.sema import rulenames
from croqc.sema.analyze import analyze
from croqc.sema.describe import describe
from croqc.sema.model import Analysis, Context, Finding, Symbol, SymbolKind, View
from croqc.sema.symbolic import Int
from croqc.syntax.parser import parse_file
from croqc.syntax.tokens import FunctionText
from croqc.syntax.visit import walk
from croqc.targets import find_target

CORE = {value for name, value in vars(rulenames).items() if name.isupper()}
PARAMS = "global f32 [M, 64] a, global f16 [M, 64] h, global s32 [8, 6] w, f32 [M, K] b, int n"


@dataclass(frozen=True)
class Study:
    """One analysed function; `source.text` is what spans refer to."""

    source: FunctionText
    analysis: Analysis

    def text(self, node: object) -> str:
        span = node.span  # type: ignore[attr-defined]
        return self.source.text[span.start : span.end]

    @property
    def findings(self) -> list[Finding]:
        """Those of the core of analysis, by place."""
        return sorted((item for item in self.analysis.findings if item.rule in CORE), key=lambda item: item.span)

    @property
    def told(self) -> list[tuple[str, str]]:
        """Rule and marked text of each finding."""
        return [(item.rule, self.text(item)) for item in self.findings]

    def symbol(self, name: str) -> Symbol:
        """The last symbol declared by that name."""
        symbols = self.analysis.model.symbols
        return [item for item in symbols if item.name == name and item.kind is not SymbolKind.ANONYMOUS][-1]

    def type_of(self, name: str) -> str:
        return describe(self.symbol(name).type)

    def node(self, text: str) -> object:
        """The last node that is written so and has a type."""
        model = self.analysis.model
        return [node for node in walk(model.function) if node in model.types and self.text(node) == text][-1]

    def typed(self, text: str) -> str:
        return describe(self.analysis.model.types[self.node(text)])  # type: ignore[index]

    def value(self, text: str) -> Int | None:
        return self.analysis.model.values.get(self.node(text))  # type: ignore[call-overload, no-any-return]

    def view(self, text: str) -> View:
        return self.analysis.model.views[self.node(text)]  # type: ignore[index]


def study(text: str, arch: str = "sm_90a", functions: frozenset[str] = frozenset()) -> Study:
    """Analyse the last function of a text, which must have no syntax errors."""
    tree = parse_file(text, {}, None)
    assert [item.message for item in tree.findings] == []
    parsed = tree.functions[-1]
    target = find_target(arch)
    assert parsed.tree is not None
    assert target is not None
    return Study(parsed.source, analyze(parsed.tree, Context(target, device_functions=functions)))


def host(body: str) -> Study:
    """A body at host level under the parameters above."""
    return study(f"__co__ void f({PARAMS}) {{\n{body}\n}}\n")


def device(body: str) -> Study:
    """A body inside `parallel p by 4 : block, t by 32 : thread`."""
    return host(f"parallel p by 4 : block {{ parallel t by 32 : thread {{\n{body}\n}} }}")


def marked(text: str) -> tuple[str, list[str]]:
    """A text without its « » marks, and the pieces that they enclose."""
    return re.sub("[«»]", "", text), re.findall("«([^»]*)»", text)
