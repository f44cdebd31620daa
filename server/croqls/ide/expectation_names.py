"""What each name in the `// croq: expect` lines of a function means. Must not look for places."""

from __future__ import annotations

from croqc.sema.model import Model
from croqc.service.check import FunctionReport
from croqc.syntax import ast
from croqc.syntax.comment_directives import FunctionDirectives
from croqc.syntax.expectation import RESULT
from croqc.syntax.formulas import names_in
from croqc.syntax.visit import nodes_of_kind


def result_names(model: Model) -> frozenset[str]:
    """The names of the returned value; empty where nothing is returned."""
    values = [node.value for node in nodes_of_kind(model.function, ast.Return) if node.value is not None]
    names = [value.id for value in values if isinstance(value, ast.Name)]
    return frozenset([RESULT, *names[:1]]) if values else frozenset()


def meanings(function: FunctionReport, own: FunctionDirectives) -> tuple[str | None, ...]:
    """Of each name in the lines, in their order: the name of a parameter or size, None for the returned value."""
    result = result_names(function.analysis.model) if function.analysis else frozenset()
    names = (ref.name for one in own.expects if one.expr is not None for ref in names_in(one.expr))
    return tuple(None if name in result else name for name in names)
