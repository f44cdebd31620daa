"""The tests of a file: a kernel with an expectation, once for each of its run lines (`croqtile/tests`).

Read from the tree and its directives alone. Must not know LSP types or read files.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from croqc.syntax.comment_directives import FileDirectives, FunctionDirectives, RunDirective, file_directives
from croqc.syntax.parser import parse_file
from croqc.syntax.tree import FileTree
from croqc.text.record import record
from croqc.text.span import Span
from croqls.ide.run_lenses import Which


@record
class KernelTest:
    """A run whose result a person has said. `run_line` is the number of its line in the function, None without a line;
    `span` is the line's, else that of the function's name, absolute. `label` tells it from the others of its function,
    `overload` that from the others of its name."""

    function: str
    overload: int
    run_line: int | None
    label: str
    span: Span
    sizes: Mapping[str, int | float | bool]
    expects: tuple[str, ...]


def kernel_tests_in(text: str) -> tuple[KernelTest, ...]:
    """Of a text that nothing is known of yet. Most have none, and are not read for it."""
    if "croq:" not in text or "expect" not in text:
        return ()
    tree = parse_file(text)
    return kernel_tests(tree, file_directives(tree))


def kernel_tests(tree: FileTree, directives: FileDirectives) -> tuple[KernelTest, ...]:
    """In file order. `expect auto` is no expectation of a person's; a function without a name cannot be asked for."""
    found: list[KernelTest] = []
    known: Counter[str] = Counter()
    for function, own in zip(tree.functions, directives.functions, strict=True):
        expects = tuple(one.text for one in own.expects if one.expr is not None)
        if function.tree is not None and function.tree.name.id:
            name = function.tree.name
            if expects:
                which = name.id, known[name.id]
                found += _of_function(which, name.span.shift(function.source.base), own, expects)
            known[name.id] += 1
    return tuple(found)


def _of_function(
    which: Which, span: Span, directives: FunctionDirectives, expects: tuple[str, ...]
) -> Iterator[KernelTest]:
    if not directives.runs:
        yield KernelTest(*which, None, "", span, {}, expects)
    for number, run in enumerate(directives.runs):
        sizes = {one.name: one.value for one in run.sizes}
        yield KernelTest(*which, number, _label(run), run.span, sizes, expects)


def _label(run: RunDirective) -> str:
    """The name that the line gives, else what it says."""
    parts = [f"{one.name}={str(one.value).lower() if isinstance(one.value, bool) else one.value}" for one in run.sizes]
    parts += [f"seed={run.seed}"] if run.seed is not None else []
    parts += [f"arch={run.arch}"] if run.arch is not None else []
    return run.name or " ".join(parts)
