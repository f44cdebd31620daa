"""Names of the emitters' own variables, such as loop counters: free in the kernel that they stand in.

Must not rename what the program declares.
"""

from __future__ import annotations

from croqc.pipe import ir
from croqc.pipe.mentioned import foreign_functions, mentioned
from croqc.pipe.walk import statements


def names_in(kernel: ir.Kernel) -> frozenset[str]:
    """Every name that a kernel declares or mentions, and every word of text that it passes through."""
    found = {*kernel.grid_names, *(name for name, _ in (*kernel.scalars, *kernel.phases, *kernel.cluster))}
    found |= mentioned(kernel.body) | foreign_functions(kernel.body)
    found |= {index.name for index in kernel.indices} | {name for name, _, _ in kernel.handles}
    found |= {tensor.name for tensor in (*kernel.tensors, *kernel.locals)}
    found |= {item.tensor.name for item in kernel.shared} | {event.name for event in kernel.events}
    found |= {acc.name for acc in kernel.accumulators}
    for stmt in statements(kernel.body):
        match stmt:
            case ir.Let(name=name) | ir.Loop(name=name) | ir.LoadFragment(name=name) | ir.LoadMetadata(name=name):
                found.add(name)
            case ir.Atomic(old=name) | ir.Call(name=name):
                found.add(name)
            case ir.Visit(names=names):
                found |= set(names)
            case ir.Text(words=words):
                found |= words
    return frozenset(found)


class Own:
    """`own("v")` is `v`, or `v_`, `v__`, … where the program has a `v` of its own."""

    def __init__(self, kernel: ir.Kernel) -> None:
        self._taken = names_in(kernel)

    def __call__(self, wish: str) -> str:
        while wish in self._taken:
            wish += "_"
        return wish
