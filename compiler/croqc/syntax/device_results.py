"""What device functions of a file give, as element types: `r = call f(x);` declares r with it (reference, 2.4.12, 4.6).

C++ is searched for heads of functions alone. A type that is no scalar of the language, a template's own, or one that
overloads do not agree on, is not known. Must not judge C++.
"""

from __future__ import annotations

import re
from typing import Final

from croqc.syntax.casts import TYPES_OF_C
from croqc.syntax.cpp_tokens import WORD, silenced
from croqc.syntax.keywords import ELEMENT_TYPES

_HEAD: Final = re.compile(r"([^;{}()]*)\b([A-Za-z_]\w*)\s*\(", re.ASCII)
_ON_DEVICE: Final = re.compile(r"\b__(?:device|co_device)__\b", re.ASCII)
_TEMPLATE: Final = re.compile(r"\btemplate\s*<[^<>;{}]*>", re.ASCII)
_PREFIX: Final = re.compile(r"\b(?:choreo|croq)\s*::\s*", re.ASCII)
_SPECIFIERS: Final = re.compile(
    r"\b(?:__(?:device|co_device|host|co_any|forceinline|noinline|inline)__|inline|static|constexpr|const|extern)\b"
)
_TYPES: Final = {
    **ELEMENT_TYPES,
    **TYPES_OF_C,
    "int": "s32",
    "unsigned int": "u32",
    "long long": "s64",
    "unsigned long long": "u64",
    "bool": "bool",
}


def device_results(text: str) -> tuple[tuple[str, str], ...]:
    """Name and element type of each device function of a text whose result is a scalar of the language."""
    found: dict[str, str | None] = {}
    for head, name in _HEAD.findall(silenced(text)):
        if _ON_DEVICE.search(head):
            elem = _elem(head)
            found[name] = elem if found.get(name, elem) == elem else None
    return tuple((name, elem) for name, elem in found.items() if elem is not None)


def _elem(head: str) -> str | None:
    plain = _SPECIFIERS.sub(" ", _PREFIX.sub("", _TEMPLATE.sub(" ", head)))
    return None if set(plain) & set("*&<>:[]=,#") else _TYPES.get(" ".join(WORD.findall(plain)))
