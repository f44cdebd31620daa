"""Islands that only set the registers of a thread (PTX ISA, setmaxnreg). Must not know statements.

Such a hint touches no memory and waits for nobody; an island that has one and more may do anything (reference, 4.6).
"""

from __future__ import annotations

import re
from typing import Final

from croqc.text.record import record

_ASM: Final = re.compile(
    r"\s*(?:asm|__asm__)\s*(?:volatile|__volatile__)?\s*\(\s*"
    r'"(?P<ptx>[^"]*)"(?:\s*:\s*:\s*"n"\s*\(\s*(?P<operand>\w+)\s*\)\s*(?::\s*"memory"\s*)?|\s*:\s*:\s*:\s*"memory"\s*)?'
    r"\)\s*;?\s*"
)
_PTX: Final = re.compile(
    r"\s*setmaxnreg\.(?P<direction>inc|dec)\.sync\.aligned\.u32\s+(?P<count>\w+|%0)\s*;\s*(?:\\n)?\s*"
)


@record
class RegisterHint:
    """`direction`: "inc" or "dec"; `count`: registers of a thread, a number or the name of one."""

    direction: str
    count: str


def register_hint(text: str) -> RegisterHint | None:
    """What an island says that is one hint and nothing else, in `asm` or bare; None for any other."""
    wrapped = _ASM.fullmatch(text)
    found = _PTX.fullmatch(wrapped["ptx"] if wrapped else text)
    if found is None:
        return None
    operand = wrapped["operand"] if wrapped else None
    if (found["count"] == "%0") != (operand is not None):
        return None
    return RegisterHint(found["direction"], operand or found["count"])
