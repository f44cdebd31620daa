"""The C++ of a file that runs on the card, for those who search it for words; with functions that macros make.

Macros are put in as text (reference, 1.2.4). Must not judge C++.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from croqc.syntax.cpp_tokens import WORD
from croqc.syntax.tokens import Macro, Preprocessed, RegionKind

_ON_DEVICE: Final = re.compile(r"\b__(?:device|co_device)__\b")
_PASTED: Final = re.compile(r"\s*##\s*")
_DIRECTIVE: Final = re.compile(r"^[ \t]*#(?:[^\\\n]|\\.)*", re.MULTILINE | re.DOTALL)
_DEEPEST: Final = 3  # macros within macros
_LONGEST: Final = 1_000_000  # characters of what they make
_FILES: Final = re.compile(r'^[ \t]*#[ \t]*include\b[ \t]*"', re.MULTILINE)
_DEVICE: Final = (RegionKind.DEVICE, RegionKind.DEVICE_BLOCK)
_ARGUMENTS: Final = r"\s*\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)"
_COMMA: Final = re.compile(r",(?![^()]*\))")


def device_text(text: str, pre: Preprocessed) -> str:
    """The device functions and blocks of a file, and the functions that its host text has a macro make."""
    host = "\n".join(_parts(text, pre, (RegionKind.HOST,)))
    return " ".join((*_parts(text, pre, _DEVICE), _made(host, pre.macros)))


def cpp_text(text: str, pre: Preprocessed) -> str:
    """All C++ of a file, host and device."""
    return " ".join(_parts(text, pre, (RegionKind.HOST, *_DEVICE)))


def includes_files(text: str) -> bool:
    """Whether a file includes files of its own: what these declare is not in sight."""
    return _FILES.search(text) is not None


def with_macros(text: str, bodies: Mapping[str, str]) -> str:
    """As written; behind it the bodies of the macros that it names, and of those that these name."""
    left, found, words = dict(bodies), [text], WORD.findall(text) if bodies else []
    while words:
        body = left.pop(words.pop(), "")
        if body:
            found.append(body)
            words += WORD.findall(body)
    return "\n".join(found)


def _parts(text: str, pre: Preprocessed, kinds: Sequence[RegionKind]) -> Iterator[str]:
    return (text[each.span.start : each.span.end] for each in pre.regions if each.kind in kinds)


def _made(host: str, macros: Sequence[Macro]) -> str:
    """The host text with the macros put in that make device code of it; empty where none does."""
    bodies = {macro.name: macro.body for macro in macros}
    makers = [macro for macro in macros if _ON_DEVICE.search(with_macros(macro.body, bodies))]
    made = _DIRECTIVE.sub("", host) if makers else ""
    for macro in makers * _DEEPEST:
        uses = re.compile(rf"\b{macro.name}\b{'' if macro.params is None else _ARGUMENTS}")
        if len(made) + len(macro.body) * len(uses.findall(made)) < _LONGEST:
            made = uses.sub(partial(_put_in, macro), made)
    return made


def _put_in(macro: Macro, use: re.Match[str]) -> str:
    params = macro.params or ()
    given = dict(zip(params, map(str.strip, _COMMA.split(use[1])), strict=False)) if params else {}
    return _PASTED.sub("", WORD.sub(lambda word: given.get(word[0], word[0]), macro.body))
