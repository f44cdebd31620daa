"""Phrases that the credit-flow rules share: slots, iterations, paths. Must not know single rules."""

from __future__ import annotations

from collections.abc import Mapping

from croqc.sema.slot_text import subscripts
from croqc.text.diagnostics import Fix
from croqc.text.edits import Edit

Args = Mapping[str, object]
_ORDINALS = {1: "first", 2: "second", 3: "third"}
_ENDINGS = {1: "st", 2: "nd", 3: "rd"}


def ordinal(number: int) -> str:
    """ "first", "11th", "21st"."""
    teens = 10 < number % 100 < 14
    return _ORDINALS.get(number) or f"{number}{'th' if teens else _ENDINGS.get(number % 10, 'th')}"


def slot(args: Args) -> str:
    """ "'full[2]'", or "'done'" for an event that is no array."""
    return f"'{args['event']}{numbered(args)}'"


def numbered(args: Args) -> str:
    """ "[2]", or nothing without a slot; "[1][3]" of an array of two dimensions."""
    number, shape = args.get("slot"), args.get("shape")
    return subscripts(number if isinstance(number, int) else None, shape if isinstance(shape, tuple) else ())


def at(args: Args) -> str:
    """ " (k = 4)", or nothing outside loops; " (b = 7, k = 4)" where the block decides."""
    return _places("", args)


def where(args: Args) -> str:
    """ " (k = 4)"; with the sizes in front, where larger ones do not show it: " (K = 129, k = 4)"."""
    return _places(sizes(args)[2:-1] if args.get("some") else "", args)


def _places(front: str, args: Args) -> str:
    parts = (front, str(args.get("block") or ""), str(args.get("iteration") or ""))
    said = ", ".join(part for part in parts if part)
    return f" ({said})" if said else ""


def sizes(args: Args) -> str:
    """ " (K = 129)": the instance that shows it; nothing where there are no sizes."""
    given = args.get("sizes")
    parts = [f"{name} = {value}" for name, value in given.items()] if isinstance(given, Mapping) else []
    return f" ({', '.join(parts)})" if parts else ""


def fix(title: str, edits: tuple[Edit, ...] | None, safe: bool = False) -> tuple[Fix, ...]:
    """A fix, if its edits can be written."""
    return (Fix(title, edits, safe=safe),) if edits else ()
