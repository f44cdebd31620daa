"""What generated text declares and never names: constants of a kernel, and headers that every unit might need.

Looks at words alone, and keeps what it does not know: names of a kernel are unlike each other (`pipe/build/names`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from croqc.codegen.writer import Line

_WORD: Final = re.compile(r"\b[A-Za-z_]\w*")
_COMMENT: Final = re.compile(r"//.*")
# A constant of words, numbers and operators; of functions, those that do nothing but compute.
_CONSTANT: Final = re.compile(r"\s*const \w+ (?P<name>\w+) = (?P<value>[^;]*);")
_CALL: Final = re.compile(r"(\w+|>)\(")  # a template's ends in ">"
_DECLARED: Final = re.compile(r"^struct (?:alignas\(\d+\) )?(\w+)|^__device__ [^(]*?(\w+)\(", re.MULTILINE)
_PURE: Final = {"cdiv", "__shfl_sync", "s64", "u64"}


def without_unused(lines: Sequence[Line], named: Iterable[str]) -> list[Line]:
    """The lines of a kernel without constants that nothing reads: a compiler warns of each (nvcc, 177-D). `named`: what
    macros in it may read."""
    count: Counter[str] = Counter(word for line in lines for word in words(line.text))
    count.update(named)
    kept = list(lines)
    for line in reversed(lines):  # a constant's own reads come before it
        found = None if line.passed else _CONSTANT.fullmatch(_COMMENT.sub("", line.text).rstrip())
        if found is not None and count[found["name"]] == 1 and _PURE.issuperset(_CALL.findall(found["value"])):
            kept.remove(line)
            count.subtract(words(line.text))
    return kept


def words(text: str) -> Iterable[str]:
    """The identifiers of a line, those of comments left out."""
    return _WORD.findall(_COMMENT.sub("", text))


def uses(lines: Iterable[str], header: str) -> bool:
    """Whether some lines name what a header of ours declares."""
    declared = {name for found in _DECLARED.findall(header) for name in found if name}
    return any(not declared.isdisjoint(words(line)) for line in lines)
