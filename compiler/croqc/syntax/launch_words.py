"""`threadIdx.x`, `blockIdx.y`, `blockDim.x`, `gridDim.x` of CUDA, told as the index that `parallel` names (reference,
4.1). Must not infer levels beyond the two innermost ones: what stands there without a level is left to a general hint.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from croqc.syntax import ast as t
from croqc.syntax.build import Builder, replace_fix
from croqc.syntax.visit import children
from croqc.text.span import Span

_WORDS: Final = frozenset({"threadIdx", "blockIdx", "blockDim", "gridDim"})
_PLACES: Final[Mapping[str, int]] = {"x": 0, "y": 1, "z": 2}
_INSIDE: Final = frozenset({"group-4", "group", "thread"})


def is_word(chain: t.Chain) -> bool:
    """Whether a chain begins as `threadIdx.x` does."""
    base, first = chain.base, chain.suffixes[0]
    named = isinstance(base, t.Name) and base.id in _WORDS
    return named and isinstance(first, t.Member) and first.name in _PLACES and not first.called


def report(b: Builder, tree: t.Function) -> None:
    """A finding for each such word, with the index that stands for it."""
    for chain, axes in _chains(tree):
        if is_word(chain):
            _report(b, chain, axes)


def _chains(tree: t.Node) -> Iterator[tuple[t.Chain, tuple[tuple[str, t.Axis], ...]]]:
    """Every chain with the axes around it, outermost first, and their levels; "" for one that is not known."""
    stack: list[tuple[t.Node, tuple[tuple[str, t.Axis], ...]]] = [(tree, ())]
    while stack:
        node, axes = stack.pop()
        if isinstance(node, t.Chain):
            yield node, axes
        if isinstance(node, t.Parallel):
            axes = (*axes, *((_level(node, axis, bool(axes)), axis) for axis in node.axes))
        stack += [(child, axes) for child in children(node)]


def _level(parallel: t.Parallel, axis: t.Axis, inner: bool) -> str:
    """The level of an axis; an innermost one without a level is of threads, the one around it of blocks."""
    if axis.level is not None:
        return axis.level
    innermost = axis is parallel.axes[-1] and not any(isinstance(one, t.Parallel) for one in _below(parallel.body))
    return "thread" if innermost else "block" if not inner and axis is parallel.axes[0] else ""


def _below(node: t.Node) -> Iterator[t.Node]:
    stack = [node]
    while stack:
        top = stack.pop()
        yield top
        stack += children(top)


def _report(b: Builder, chain: t.Chain, axes: tuple[tuple[str, t.Axis], ...]) -> None:
    assert isinstance(chain.base, t.Name) and isinstance(chain.suffixes[0], t.Member)
    word, member = chain.base.id, chain.suffixes[0]
    place = Span(chain.base.span.start, member.span.end)
    message, level = f"there is no '{word}.{member.name}'", "block" if word in ("blockIdx", "gridDim") else "thread"
    levels = frozenset({"block"}) if level == "block" else _INSIDE
    named = [(name.id, found) for found, axis in axes if found in levels for name in axis.names]
    if level == "block":
        named = named[_PLACES[member.name] :][:1]
    elif member.name != "x":
        named = []
    counts = word.endswith("Dim")
    if not named:
        b.report(message, place, f"'parallel {level[0]} by n : {level}' names the index '{level[0]}'")
    elif len(named) == 1 and named[0][1] == level and not any(found == "cluster" for found, _ in axes):
        meant = f"#{named[0][0]}" if counts else named[0][0]
        hint = f"the {f'number of {level}s' if counts else f'index of the {level}'} is '{meant}' here"
        b.report(message, place, hint, replace_fix(f"Write '{meant}'", place, meant))
    else:
        several = [(name.id, found) for found, axis in axes if found == "cluster" for name in axis.names]
        b.report(message, place, _of_several(level, [*several, *named], counts))


def _of_several(level: str, named: Sequence[tuple[str, str]], counts: bool) -> str:
    """What stands for a word that no single index is."""
    if level == "thread" and all(found != "thread" for _, found in named):
        return f"'{named[-1][0]}' counts groups of threads here; 'parallel t by n : thread' names the thread"
    if counts:
        product = " * ".join(f"#{name}" for name, _ in named)
        return f"the number of {level}s is '{product}' here"
    listed = " and ".join(f"'{name}'" for name, _ in named)
    return f"the indices of a {level} are {listed} here"
