"""A kernel with all that is needed to judge a run of it: text, sizes, inputs, what its outputs must be.

Must not know how kernels are drawn, run or verified. What the outputs must be is worked out by NumPy from the inputs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Sizes = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Program:
    """`sizes`: the instances that are run. `expects`: output name and a NumPy expression over the parameters.

    `correct`: drawn without a fault, so that nobody may accuse it. `label` names the draw or the mutation.
    """

    text: str
    sizes: tuple[Sizes, ...]
    expects: tuple[tuple[str, str], ...]
    label: str = ""
    correct: bool = False
    defines: Mapping[str, str] = field(default_factory=dict)

    def with_text(self, text: str, label: str) -> Program:
        """The same with another text, about which nothing is known."""
        return replace(self, text=text, label=label, correct=False)

    def source(self) -> str:
        """The text with its sizes and expectations as directives: a file to look at and to run."""
        runs = [f"// croq: run {' '.join(f'{name}={value}' for name, value in size.items())}" for size in self.sizes]
        expects = [f"// croq: expect {output} == {formula}" for output, formula in self.expects]
        return "\n".join([*runs, *expects, self.text])


def wrong_outputs(program: Program, inputs: Mapping[str, Array], outputs: Mapping[str, Array]) -> tuple[str, ...]:
    """The outputs that differ from what they must be. Inputs are small integers, so every type is exact."""
    names: dict[str, Any] = {name: np.asarray(value, np.float64) for name, value in inputs.items()}
    wrong = []
    for output, formula in program.expects:
        want = eval(formula, {"__builtins__": {}, "zeros_like": np.zeros_like, "np": np}, names)
        got = np.asarray(outputs[output], np.float64)
        if got.shape != want.shape or not np.array_equal(got, want):
            wrong.append(output)
    return tuple(wrong)
