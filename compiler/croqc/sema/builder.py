"""The mutable side of analysis: the tables of `Model` while they are filled. Must not decide anything.

Stages get one `Builder`, read what earlier stages wrote, and report findings. `freeze` ends it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

from croqc.sema.intervals import Interval
from croqc.sema.lanes import Lanes
from croqc.sema.masks import Masks, kernel_masks
from croqc.sema.model import (
    Analysis,
    BufferInfo,
    Context,
    CopyInfo,
    Finding,
    Kernel,
    Level,
    MmaInfo,
    Model,
    OperandKind,
    Symbol,
    View,
)
from croqc.sema.multicasts import cluster_events
from croqc.sema.rulenames import UNDECLARED_NAME
from croqc.sema.symbolic import Int
from croqc.sema.types import UNKNOWN, Type
from croqc.syntax import ast
from croqc.text.diagnostics import Related
from croqc.text.record import record
from croqc.text.span import Span


@record
class ReachedIndex:
    """An index of an element that goes up to `top`, and the extent that it is to stay below."""

    node: ast.Chain
    index: ast.Expr
    value: Int
    top: Int
    extent: Int


class Builder:
    """All tables of one function's model. A stage fills its own and only reads the others."""

    def __init__(self, function: ast.Function, context: Context) -> None:
        self.function = function
        self.context = context
        self.symbols: list[Symbol] = []
        self.uses: dict[ast.Name, Symbol] = {}
        self.types: dict[ast.Node, Type] = {}
        self.values: dict[ast.Node, Int] = {}
        self.views: dict[ast.Node, View] = {}
        self.levels: dict[ast.Axis, Level] = {}
        self.kernels: list[Kernel] = []
        self.copies: dict[ast.Copy, CopyInfo] = {}
        self.loads: dict[ast.MmaLoad, OperandKind] = {}
        self.multiplies: dict[ast.Mma, MmaInfo] = {}
        self.buffers: list[BufferInfo] = []
        self.ends_at_statement = False
        self.dialect = "any"
        self.result: Type = UNKNOWN
        self.mentioned: set[Symbol] = set()
        self.islands: dict[ast.Cpp, dict[str, Symbol]] = {}
        self.cut: list[Span] = []
        self.findings: list[Finding] = []
        # Not part of the model, for later stages: the buffer that each `=> storage` makes, the swizzle of each shared
        # buffer, and the interval of every atom over the whole function (dimensions from 1, indices below their bound).
        self.anonymous: dict[ast.Copy, Symbol] = {}
        self.swizzles: Mapping[Symbol, int] = {}
        self.intervals: dict[str, Interval] = {}
        self.hidden: dict[Symbol, Symbol] = {}  # the outer symbol of its name that a variable or future hides
        self.reached: list[ReachedIndex] = []  # indices that stay inside for some sizes only
        self._reported: set[tuple[str, Span, object]] = set()

    def report(self, rule: str, span: Span, related: Iterable[Related] = (), **args: object) -> None:
        """Record a finding; one a rule and place, none in a statement that has a syntax error.

        All that a macro stands for has the place of its use: there it is one a rule and name.
        """
        doubts = self.function.doubts
        if doubts is not None and doubts.covers(span.start):
            return
        key = rule, span, args.get("name") if rule == UNDECLARED_NAME else None
        if key not in self._reported:
            self._reported.add(key)
            self.findings.append(Finding(rule, span, args, tuple(related)))

    def type_of(self, node: ast.Node) -> Type:
        return self.types.get(node, UNKNOWN)

    def static(self, node: ast.Node) -> int | None:
        """The value of an integer expression, if it is constant."""
        value = self.values.get(node)
        return None if value is None else value.const

    @cached_property
    def masks(self) -> Mapping[ast.Parallel, Masks]:
        """The evaluators of the kernels' conditions, for the stages behind `resolve_levels`: what one of them has
        worked out, the next ones know."""
        return kernel_masks(self, self.kernels)

    @cached_property
    def lanes(self) -> Mapping[ast.Parallel, Lanes]:
        """The same for values that have no normal form."""
        return {node: Lanes(masks) for node, masks in self.masks.items()}

    def freeze(self) -> Analysis:
        """The end of this: it is freed at once, since nothing that it holds holds it any more."""
        self.__dict__.pop("masks", None)
        self.__dict__.pop("lanes", None)
        model = Model(
            function=self.function,
            context=self.context,
            symbols=tuple(self.symbols),
            uses=self.uses,
            types=self.types,
            values=self.values,
            views=self.views,
            levels=self.levels,
            kernels=tuple(self.kernels),
            copies=self.copies,
            loads=self.loads,
            multiplies=self.multiplies,
            buffers=tuple(self.buffers),
            ends_at_statement=self.ends_at_statement,
            dialect=self.dialect,
            result=self.result,
            mentioned=frozenset(self.mentioned),
            cluster_events=cluster_events(self, self.kernels),
            islands=self.islands,
            cut=tuple(self.cut),
        )
        return Analysis(model, tuple(self.findings))
