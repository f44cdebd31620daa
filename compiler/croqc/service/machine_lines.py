"""Which line of a translation unit each line of its PTX or SASS was made of. Pure text; must not compile.

Both name lines of the unit: PTX in `.loc` directives (PTX ISA, 11.5.3), nvdisasm in comments, which are taken out. Code
of an inlined function names the line inside it and, in turn, the lines that it was called from.
"""

from __future__ import annotations

import re

from croqc.text.record import record

_LOC = re.compile(r"\s*\.loc\s+\d+\s+(\d+)\s+\d+(?:.*inlined_at\s+\d+\s+(\d+)\s+\d+)?")
_NO_CODE = re.compile(r"\s*(?://.*|\..*|\S+:|[{})(]*)?$")
_FILE = re.compile(r'\s*//## File "[^"]*", line (\d+)(?: inlined at "[^"]*", line (\d+))?')


@record
class MachineText:
    """The text; `lines` gives for a line of it the lines of the unit: the innermost, then its callers. All from 0."""

    text: str
    lines: tuple[tuple[int, tuple[int, ...]], ...] = ()


def ptx_lines(text: str) -> MachineText:
    """PTX as it is, with the places that its `.loc` directives name."""
    places = _Places()
    found = []
    for number, line in enumerate(text.split("\n")):
        told = _LOC.match(line)
        if told is not None:
            places.tell(told[1], told[2])
        elif line.strip() == "}" and not line.startswith("\t"):
            places = _Places()  # the end of a function
        elif places.now and not _NO_CODE.match(line):
            found.append((number, places.chain()))
    return MachineText(text, tuple(found))


def sass_lines(text: str) -> MachineText:
    """The output of `nvdisasm -c -gi` without the comments that name lines."""
    places, fresh = _Places(), False
    kept: list[str] = []
    found: list[tuple[int, tuple[int, ...]]] = []
    for line in text.split("\n"):
        told = _FILE.match(line)
        if told is None:
            if places.now and line.lstrip().startswith("/*"):
                found.append((len(kept), places.chain()))
            elif line.startswith("//---"):
                places = _Places()
            kept.append(line)
            fresh = False
            continue
        if not fresh:
            places = _Places()
        places.tell(told[1], told[2], innermost=not fresh)
        fresh = True
    return MachineText("\n".join(kept), tuple(found))


class _Places:
    """The line of the code that follows, and where the functions around it are called. Lines count from 1 here."""

    def __init__(self) -> None:
        self.now = 0
        self._callers: dict[int, int] = {}

    def tell(self, line: str, caller: str | None, innermost: bool = True) -> None:
        if innermost:
            self.now = int(line)
        if caller is not None:
            self._callers[int(line)] = int(caller)

    def chain(self) -> tuple[int, ...]:
        lines = [self.now]
        while (caller := self._callers.get(lines[-1])) is not None and caller not in lines:
            lines.append(caller)
        return tuple(line - 1 for line in lines)
