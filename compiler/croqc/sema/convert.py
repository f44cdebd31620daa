"""Implicit conversions of scalars and what they risk (3.1, rows T13 to T16). Must not type operators."""

from __future__ import annotations

from croqc.sema import rulenames as rules
from croqc.sema.elements import ELEMENTS, FLOATS, INTEGERS, NARROW, conversion, limits
from croqc.sema.intervals import bounds
from croqc.sema.types import Bounded, BoundedTuple, Scalar, Type
from croqc.sema.walk import Value, Walk
from croqc.syntax import ast
from croqc.targets import offering
from croqc.targets.table import Feature

_RULES = {"lossy": rules.LOSSY_CONVERSION, "sign": rules.SIGN_CONVERSION}


def number(type_: Type) -> str | None:
    """The element type of a number; an index of one dimension counts as `s32`. None for all else."""
    if isinstance(type_, Scalar):
        return None if type_.elem == "bool" else type_.elem
    if isinstance(type_, Bounded) or (isinstance(type_, BoundedTuple) and len(type_.bounds) == 1):
        return "s32"
    return None


def is_integer(type_: Type) -> bool:
    return number(type_) in INTEGERS


def convert(walk: Walk, node: ast.Node, value: Value, target: str) -> None:
    """Report what the conversion of a number to `target` may change."""
    source = number(value.type)
    if source is None or source not in ELEMENTS or target not in ELEMENTS:
        return
    risk = conversion(source, target)
    if risk and not _is_harmless(walk, node, value, target):
        walk.b.report(_RULES[risk], node.span, t1=source, t2=target)


def _is_harmless(walk: Walk, node: ast.Node, value: Value, target: str) -> bool:
    """A literal for a float has no better spelling; an integer that fits changes nothing."""
    if target in FLOATS and _is_real_literal(node):
        return True
    if value.int is None:
        return False
    low, high = limits(target)
    least, greatest = bounds(value.int, walk.ranges.intervals)
    if ELEMENTS[target].kind == "unsigned" and least is not None and least >= 0:
        return greatest is None or greatest <= high
    return least is not None and greatest is not None and low <= least and greatest <= high


def _is_real_literal(node: ast.Node) -> bool:
    while isinstance(node, ast.Paren | ast.Unary):
        node = node.inner if isinstance(node, ast.Paren) else node.operand
    return isinstance(node, ast.RealLit) or (isinstance(node, ast.Const) and node.word == "inf")


def check_supported(walk: Walk, node: ast.Node, elem: str) -> None:
    """Narrow floats exist on few targets (3.1, row T15)."""
    target = walk.b.context.target
    if elem in NARROW and not target.has(Feature.NARROW):
        walk.b.report(rules.UNSUPPORTED_TYPE, node.span, t=elem, arch=target.name, needs=offering(Feature.NARROW))
