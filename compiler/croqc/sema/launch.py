"""How a kernel is launched: attributes, streams, `.async` (reference, 4.2; rows L09 and L10)."""

from __future__ import annotations

from croqc.sema import rulenames_device as rules
from croqc.sema.builder import Builder
from croqc.sema.describe import describe
from croqc.sema.model import Kernel
from croqc.sema.nesting import statements
from croqc.sema.types import Stream, Unknown
from croqc.syntax import ast
from croqc.text.span import Span


def check_launch(builder: Builder, kernel: Kernel) -> None:
    """Findings about the `parallel`s of one kernel, whose levels are resolved."""
    for node in (kernel.node, *(stmt for stmt, _ in statements(kernel.node.body))):
        if isinstance(node, ast.Parallel):
            _check_binding(builder, kernel, node)
            for attribute in node.attributes:
                _check_attribute(builder, kernel, node, attribute)


def _check_binding(builder: Builder, kernel: Kernel, node: ast.Parallel) -> None:
    outermost = node is kernel.node
    if node.stream is not None:
        type_ = builder.types.get(node.stream)
        symbol = builder.uses.get(node.stream)
        type_ = symbol.type if type_ is None and symbol is not None else type_
        if not outermost:
            builder.report(rules.LAUNCH_BINDING, node.stream.span, reason="inner-stream", name=node.stream.id)
        elif type_ is not None and not isinstance(type_, Stream | Unknown):
            builder.report(
                rules.LAUNCH_BINDING,
                node.stream.span,
                reason="not-a-stream",
                name=node.stream.id,
                found=describe(type_),
            )
    if node.is_async and not outermost:
        head = Span(node.span.start, max(node.span.start + 1, node.axes[0].span.start - 1)) if node.axes else node.span
        builder.report(rules.LAUNCH_BINDING, head, reason="inner-async", name="")


def _check_attribute(builder: Builder, kernel: Kernel, node: ast.Parallel, attribute: ast.Attribute) -> None:
    if attribute.name not in ("launch_bounds", "maxnreg"):
        return
    problem = _attribute_problem(builder, kernel, node, attribute)
    if problem is not None:
        builder.report(
            rules.LAUNCH_ATTRIBUTE, attribute.span, attribute=attribute.name, reason=problem, threads=kernel.threads
        )


def _attribute_problem(builder: Builder, kernel: Kernel, node: ast.Parallel, attribute: ast.Attribute) -> str | None:
    if node is not kernel.node:
        return "level"
    most = 3 if attribute.name == "launch_bounds" else 1
    if not 1 <= len(attribute.args) <= most:
        return "count"
    given = [arg for arg in attribute.args if not (isinstance(arg, ast.Name) and arg.id == "_")]
    values = [builder.static(arg) for arg in given]
    known = [value for value in values if value is not None]
    if len(known) != len(values):
        return None if any(arg not in builder.values for arg in given) else "static"
    if any(value < (0 if most == 3 else 1) for value in known):
        return "value"
    first = builder.static(attribute.args[0])
    if most == 3 and first and kernel.threads is not None and first < kernel.threads:
        return "small"
    return None
