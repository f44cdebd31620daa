"""The constants that host C++ declares: `const int STAGES = 3;`, `constexpr int TM = 64, TN = TM / 2;`.

A Croqtile function sees macros alone (reference, 1.2), so that such a name is missing there: this tells what was meant.
Must not evaluate values, and takes C++ apart no further than a declaration on a line of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from croqc.syntax.tokens import Preprocessed, RegionKind

_DECLARATION: Final = re.compile(
    r"^[ \t]*((?:(?:static|inline|const|constexpr|unsigned|signed|long|short|int|auto|float|double|bool|char|size_t"
    r"|u?int(?:8|16|32|64)_t)\s+)+)(\w+\s*=[^;{}\"']*);",
    re.MULTILINE | re.ASCII,
)
_VALUE: Final = re.compile(r"(\w+)\s*=\s*((?:[^,;()]|\([^;()]*\))+)", re.ASCII)
_ATOM: Final = re.compile(r"[\w.]+", re.ASCII)
_NAME: Final = re.compile(r"\b[A-Za-z_]\w*", re.ASCII)
_PLAIN: Final = re.compile(r"[\w\s.+*/%()<>&|^~-]+", re.ASCII)


def host_constants(text: str, pre: Preprocessed) -> tuple[tuple[str, str], ...]:
    """Name and value of each constant of the host text that numbers and constants in front of it make up, the value as
    a macro can stand for it: in parentheses if it is more than a name or a number."""
    return tuple(_constants(text, pre))


def _constants(text: str, pre: Preprocessed) -> Iterator[tuple[str, str]]:
    known: set[str] = set()
    for region in pre.regions:
        if region.kind is not RegionKind.HOST:
            continue
        for found in _DECLARATION.finditer(text, region.span.start, region.span.end):
            if not {"const", "constexpr"} & set(found[1].split()):
                continue
            for name, value in _VALUE.findall(found[2]):
                plain = " ".join(value.split())
                if _PLAIN.fullmatch(plain) and known.issuperset(_NAME.findall(plain)):
                    known.add(name)
                    yield name, plain if _ATOM.fullmatch(plain) else f"({plain})"
