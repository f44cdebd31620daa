"""Macros from outside that the file's own `#define` replaces (reference, 1.2.11). Must not expand macros or print."""

from __future__ import annotations

from collections.abc import Iterator

from croqc.rules.overruled_define import note
from croqc.syntax.tokens import Macro
from croqc.syntax.tree import FileTree
from croqc.text.diagnostics import Diagnostic


def overruled(tree: FileTree) -> Iterator[Diagnostic]:
    """A note at the first live `#define` that gives a macro from outside another meaning; one a macro. Absolute."""
    outside: dict[str, Macro] = {}
    for macro in tree.pre.macros:
        if macro.span is None:
            outside[macro.name] = macro
            continue
        given = outside.pop(macro.name, None)
        if given is not None and not _same(given, macro):
            yield note(macro.name, given.body, macro.body, macro.span)


def _same(given: Macro, written: Macro) -> bool:
    """`-D NAME` counts as 1 where conditions ask, as `#define NAME` does: nobody notices which one it is."""
    plain = written.params is None and not written.opaque
    return plain and (written.body == given.body or (given.body, written.body) == ("", "1"))
