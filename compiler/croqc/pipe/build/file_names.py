"""Names of a file's scope in generated code: kernels, and the functions that launch them. Must not read syntax.

One table a file, for they stand in one translation unit: a function of the file keeps its name for its kernel where
that is free, and no name that is made from another is one of those.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from croqc.pipe.build.names import Names
from croqc.text.record import record


@record
class FunctionNames:
    """What is made of one function: `kernels`, one a `parallel`, and the `host` function that launches them. `taken`:
    every name of the file's scope."""

    function: str
    kernels: tuple[str, ...]
    host: str
    taken: frozenset[str]

    def another(self, word: str, inside: Names) -> str:
        """The name of a further kernel of the host part, called by `word` behind the function's name; it is none of
        those `inside` the host function."""
        names = Names()
        for taken in self.taken:
            names.reserve(taken)
        wish = f"{self.function}_{word}"
        found = names.kernel(wish)
        while not inside.is_free(found):
            found = names.kernel(wish)
        inside.reserve(found)
        return found


def file_names(functions: Sequence[tuple[str, int]], words: Iterable[str] = ()) -> tuple[FunctionNames, ...]:
    """The names for each function of a file, of which its name and the number of its kernels are given; `words`: what
    the device code of the file may call its own."""
    names, foreign = Names(), frozenset(words)
    for word in foreign:
        names.reserve(word)
    hosts = [names.fresh(f"{function}_on_gpu") for function, _ in functions]
    kept = [names.claim(function) for function, _ in functions]
    kernels = []
    for (function, count), own in zip(functions, kept, strict=True):
        alone = (function if own else names.kernel(function),) if count == 1 else ()
        kernels.append(alone or tuple(names.kernel(f"{function}_{number + 1}") for number in range(count)))
    taken = foreign.union(hosts, *kernels, (function for function, _ in functions))
    return tuple(
        FunctionNames(function, made, host, taken)
        for (function, _), made, host in zip(functions, kernels, hosts, strict=True)
    )
