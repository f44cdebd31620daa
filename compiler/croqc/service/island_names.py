"""Names in islands that nothing declares: found before a compiler is asked (reference, 9.12). Must not judge types.

Silent wherever C++ might know the name: what is left is told by the compiler, at the same place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from croqc.pipe.build.foreign import MACROS, is_global
from croqc.pipe.build.islands import declared_in, words_of
from croqc.pipe.build.names import RESERVED
from croqc.pipe.errors import LoweringError
from croqc.sema.model import Kernel, Model
from croqc.syntax import ast
from croqc.syntax.visit import walk
from croqc.targets.table import Feature, Target

_WARPGROUP: Final = ("warpgroup_commit_batch", "warpgroup_wait")
_OPEN: Final = re.compile(
    r"\b(?:enum|struct|class|union|auto|namespace|using|typedef|template|asm|__asm__|goto|extern)\b"
)
_BETWEEN: Final = frozenset("=([,;{}?:+-/%|^!~") | frozenset(("return", "else", "case"))
_BEHIND: Final = frozenset(";)],+-*/%|^?[=")


def check_islands(model: Model, target: Target, known: frozenset[str]) -> None:
    """`known`: every word of the file's C++ on the card, and its macros. Raises LoweringError at the first island of a
    kernel that uses what nothing declares, or what the target does not have."""
    for kernel in model.kernels:
        islands = list(_islands(kernel))
        text = "\n".join(node.text.value for node in islands)
        declared = declared_in(text) | known
        opens = _OPEN.search(text) is not None
        for node in islands:
            words = set(model.islands.get(node, {}))
            for word, before, behind in words_of(node.text.value):
                if word in _WARPGROUP and not target.has(Feature.WGMMA):
                    raise _unknown(node, word, f" on {target.name}")
                if word in words or word in declared or opens or not _is_value(word, before, behind):
                    continue
                raise _unknown(node, word)


def _islands(kernel: Kernel) -> Iterator[ast.Cpp]:
    yield from (node for node in walk(kernel.node) if isinstance(node, ast.Cpp))


def _is_value(word: str, before: str, behind: str) -> bool:
    """Whether the word can only be a variable, and none that C++, CUDA or a header has."""
    if word in RESERVED or word in MACROS or is_global(word, RESERVED) or word.startswith("__") or word.isupper():
        return False
    return before in _BETWEEN and behind[:1] in _BEHIND


def _unknown(node: ast.Cpp, word: str, where: str = "") -> LoweringError:
    reason = f"this island uses '{word}', which this back end does not provide{where}"
    return LoweringError(f"{reason}: declare it there, or use a name of CUDA's", node.span)
