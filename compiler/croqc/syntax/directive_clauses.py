"""Reads what stands behind the word of a comment directive (`comment_directives` finds them).

Each reader gives a frozen value with absolute spans or raises DirectiveError; nothing else leaves this module. Must
not know functions or files.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from croqc.syntax.expectation import (
    Expectation,
    Formula,
    names_in,
    parse_expectation,
    parse_formula,
)
from croqc.text.diagnostics import Diagnostic
from croqc.text.near import did_you_mean
from croqc.text.record import record
from croqc.text.span import NOWHERE, Span


class Clause(NamedTuple):
    """The text behind the word, the absolute offset where it starts, and the span of the whole comment."""

    text: str
    start: int
    whole: Span

    def span(self, start: int, end: int) -> Span:
        return Span(self.start + start, self.start + end)


class DirectiveError(Exception):
    """A directive that cannot be read: message, place and way out, as for a diagnostic."""

    def __init__(self, message: str, span: Span, hint: str = "") -> None:
        super().__init__(message)
        self.message, self.span, self.hint = message, span, hint


class RunValue(NamedTuple):
    """`M=512`: a symbolic dimension or a scalar parameter; `span` covers name and value."""

    name: str
    value: int | float | bool
    span: Span


@record
class RunDirective:
    """`run`: what was not written is None; `span` is the comment's, `arch_span` that of `arch=…`."""

    sizes: tuple[RunValue, ...]
    seed: int | None
    arch: str | None
    name: str | None
    span: Span
    arch_span: Span = NOWHERE


@record
class ExpectDirective:
    """`expect`: `expr` is None for `expect auto`. `text` is the comparison as written; the spans inside
    `expr` count from `base`, its absolute offset."""

    expr: Expectation | None
    rtol: float | None
    atol: float | None
    text: str
    base: int
    span: Span


@record
class ModelDirective:
    """`model f(x, y) = EXPR`: the meaning of a C++ function for the simulator; spans as in ExpectDirective."""

    name: str
    params: tuple[str, ...]
    body: Formula
    base: int
    span: Span


@record
class AllowDirective:
    """`allow`: rule names with their places; `line` (from 0) is the comment's. Names are not checked here."""

    names: tuple[tuple[str, Span], ...]
    span: Span
    line: int


@record
class WordDirective:
    """`arch sm_80`, `dialect current`."""

    value: str
    value_span: Span
    span: Span


ARCH: Final = re.compile(r"sm_[0-9]{2,3}[af]?")
DIALECTS: Final = ("any", "current")
RUN_OPTIONS: Final = ("seed", "arch", "name")
TOLERANCES: Final = ("rtol", "atol")

_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_RUN_ITEM = re.compile(r'(?P<key>[^\s=,]+)(?P<value>\s*=\s*("[^"]*"|[^\s,]*))?|,')
_INT = re.compile(r"[+-]?(?:0[xX][0-9a-fA-F]+|[0-9]+)")
_REAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_OPTION_TAIL = re.compile(r"(?:\s|^)(?P<key>[A-Za-z_]\w*)=(?P<value>[^\s=<>!~()\[\]]*)\s*\Z")
_MODEL = re.compile(r"\s*(?P<name>[A-Za-z_][\w:]*)\s*\((?P<params>[^()]*)\)\s*=(?!=)(?P<body>.*)\Z", re.DOTALL)
_WORD = re.compile(r"[^\s,]+")


def read_run(clause: Clause) -> RunDirective:
    """`NAME=VALUE … [seed=N] [arch=A] [name="…"]` in any order."""
    sizes: list[RunValue] = []
    options: dict[str, str] = {}
    places: dict[str, Span] = {}
    for found in _RUN_ITEM.finditer(clause.text):
        span, key = clause.span(found.start(), found.end()), found["key"]
        if key is None:
            raise DirectiveError("expected NAME=VALUE", span, "separate the values by blanks")
        if found["value"] is None:
            raise DirectiveError(f"expected '=' behind '{key}'", span, "write NAME=VALUE, as in M=512")
        value = found["value"].strip()[1:].strip()
        if not _NAME.fullmatch(key):
            raise DirectiveError(f"'{key}' is not a name", span, "write NAME=VALUE, as in M=512")
        if places.setdefault(key, span) is not span:
            raise DirectiveError(f"'{key}' is given twice", span)
        if key in RUN_OPTIONS:
            options[key] = _run_option(key, value, span)
        else:
            sizes.append(RunValue(key, _scalar(key, value, span), span))
    seed = int(options["seed"]) if "seed" in options else None
    arch = places.get("arch", clause.whole)
    return RunDirective(tuple(sizes), seed, options.get("arch"), options.get("name"), clause.whole, arch)


def _run_option(key: str, value: str, span: Span) -> str:
    if key == "seed" and not (value.isascii() and value.isdigit() and int(value[:25]) < 2**64):
        raise DirectiveError("the seed is an integer from 0 to 2^64 - 1", span, "as in seed=7")
    if key == "arch" and not ARCH.fullmatch(value):
        raise DirectiveError(f"'{value}' is not an architecture", span, "as in arch=sm_90a")
    if key == "name":
        if len(value) < 3 or value[0] != '"' or value[-1] != '"':
            raise DirectiveError("the name of a run stands in quotes", span, 'as in name="small"')
        return value[1:-1]
    return value


def _scalar(key: str, value: str, span: Span) -> int | float | bool:
    if value in ("true", "false"):
        return value == "true"
    if len(value) <= 40 and _INT.fullmatch(value):
        number = int(value, 16 if "x" in value.lower() else 10)
        if -(2**63) <= number < 2**64:
            return number
    elif len(value) <= 40 and _REAL.fullmatch(value):
        return float(value)
    raise DirectiveError(f"'{value}' is not a value for '{key}'", span, "write a number, true or false")


def read_expect(clause: Clause) -> ExpectDirective | tuple[Diagnostic, ...]:
    """`LHS op RHS [rtol=R] [atol=A]` or `auto`; the findings where the comparison itself is wrong."""
    text, tolerances = clause.text.rstrip(), dict.fromkeys(TOLERANCES, -1.0)
    while found := _OPTION_TAIL.search(text):
        key, span = found["key"], clause.span(found.start("key"), found.end("value"))
        if key not in tolerances:
            raise DirectiveError(f"unknown option '{key}'", span, did_you_mean(key, TOLERANCES))
        if tolerances[key] >= 0:
            raise DirectiveError(f"'{key}' is given twice", span)
        if not _REAL.fullmatch(found["value"]) or found["value"].startswith("-"):
            raise DirectiveError(f"'{key}' is a number from 0 on", span, f"as in {key}=1e-3")
        tolerances[key] = float(found["value"])
        text = text[: found.start()].rstrip()
    rtol, atol = (tolerances[key] if tolerances[key] >= 0 else None for key in TOLERANCES)
    body = text.lstrip()
    base = clause.start + len(text) - len(body)
    if body == "auto":
        return ExpectDirective(None, rtol, atol, body, base, clause.whole)
    expr = parse_expectation(body)
    if not isinstance(expr, Expectation):
        return tuple(item.shift(base) for item in expr)
    return ExpectDirective(expr, rtol, atol, body, base, clause.whole)


def read_model(clause: Clause) -> ModelDirective:
    """`f(x, y) = EXPR`: the names in EXPR are the parameters."""
    found = _MODEL.match(clause.text)
    if found is None:
        raise DirectiveError("expected NAME(parameters) = expression", clause.whole, "as in 'model twice(x) = x + x'")
    params = tuple(part.strip() for part in found["params"].split(",")) if found["params"].strip() else ()
    span = clause.span(found.start("params"), found.end("params"))
    if len(set(params)) < len(params) or not all(map(_NAME.fullmatch, params)):
        raise DirectiveError("the parameters of a model are different names", span)
    body = found["body"].strip()
    base = clause.start + found.end() - len(found["body"].lstrip())
    formula = parse_formula(body)
    if isinstance(formula, tuple):
        first = formula[0].shift(base)
        raise DirectiveError(first.message, first.span, first.hint)
    for ref in names_in(formula):
        if ref.name not in params:
            hint = did_you_mean(ref.name, params)
            raise DirectiveError(f"'{ref.name}' is no parameter of '{found['name']}'", ref.span.shift(base), hint)
    return ModelDirective(found["name"], params, formula, base, clause.whole)


def read_allow(clause: Clause, line: int) -> AllowDirective:
    """`NAME[, NAME]`: names of rules."""
    names = tuple((found[0], clause.span(found.start(), found.end())) for found in _WORD.finditer(clause.text))
    if not names:
        raise DirectiveError("'allow' needs the name of a rule", clause.whole, "as in 'allow unused-name'")
    parts = [part.strip() for part in clause.text.split(",")]
    for name, span in names:
        if name not in parts:
            raise DirectiveError("names of rules are separated by commas", span)
        if not re.fullmatch(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*", name):
            raise DirectiveError(f"'{name}' is not the name of a rule", span, "as in 'unused-name'")
    return AllowDirective(names, clause.whole, line)


def read_word(clause: Clause, word: str) -> WordDirective:
    """The one word behind `arch` or `dialect`."""
    words = list(_WORD.finditer(clause.text))
    if len(words) != 1:
        example = "arch sm_90a" if word == "arch" else "dialect current"
        raise DirectiveError(f"'{word}' takes one word", clause.whole, f"as in '{example}'")
    value, span = words[0][0], clause.span(words[0].start(), words[0].end())
    if word == "arch" and not ARCH.fullmatch(value):
        raise DirectiveError(f"'{value}' is not an architecture", span, "as in 'arch sm_90a'")
    if word == "dialect" and value not in DIALECTS:
        raise DirectiveError(f"unknown dialect '{value}'", span, did_you_mean(value, DIALECTS))
    return WordDirective(value, span, clause.whole)
