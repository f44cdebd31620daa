"""Analysis of one function: ordered stages over one builder. Never raises on user text.

Each stage says why it stands where it stands; none looks at a later one's tables.
"""

from __future__ import annotations

from collections.abc import Callable

from croqc.sema.arith import OPERATORS
from croqc.sema.assigns import ASSIGNS
from croqc.sema.builder import Builder
from croqc.sema.calls import CALLS
from croqc.sema.chains import CHAINS
from croqc.sema.declarations import DECLARATIONS
from croqc.sema.device import resolve_device
from croqc.sema.exprtypes import BASIC
from croqc.sema.hidden import check_hidden
from croqc.sema.model import Analysis, Context
from croqc.sema.outputs import OUTPUTS
from croqc.sema.params import declare_params
from croqc.sema.results import declare_result, settle_result
from croqc.sema.structure import STRUCTURE
from croqc.sema.transfers import TRANSFERS
from croqc.sema.walk import Walk
from croqc.syntax import ast

_EXPRESSIONS = {**BASIC, **OPERATORS, **CHAINS, **CALLS}
_STATEMENTS = {**DECLARATIONS, **ASSIGNS, **STRUCTURE, **TRANSFERS, **OUTPUTS}


def resolve_names(builder: Builder) -> None:
    """Names, types, values and views in one walk in source order: a first assignment declares, and what
    an index may be depends on the loops and guards around a place."""
    walk = Walk(builder, _EXPRESSIONS, _STATEMENTS)
    function = builder.function
    declare_params(walk, function)
    declare_result(walk, function)
    walk.block(function.body)
    settle_result(walk, function)


STAGES: tuple[Callable[[Builder], None], ...] = (
    resolve_names,  # first: all others read names, types and views
    check_hidden,  # all uses are known
    resolve_device,  # levels, copies, multiplies, memory and events, in an order of their own
)


def analyze(function: ast.Function, context: Context) -> Analysis:
    """Everything that can be said of a function without running it.

    The model is complete for what is understood and silent about the rest; findings are in the order in
    which the stages met them. Equal input gives equal output.
    """
    builder = Builder(function, context)
    for stage in STAGES:
        stage(builder)
    return builder.freeze()
