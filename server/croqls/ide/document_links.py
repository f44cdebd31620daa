"""Links of a document (LSP `textDocument/documentLink`): included files and the pages of named rules.

Must not know LSP types or look for files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from croqc.rules.table import BY_NAME
from croqc.service.explain import page_uri
from croqc.text.span import Span
from croqls.ide.snapshot import Snapshot

_INCLUDE = re.compile(r'#[ \t]*include[ \t]*"([^"\r\n]+)"')


@dataclass(frozen=True, slots=True)
class Link:
    """An absolute span, what a click does, and where it leads: an address, or a `file` as it is written in the text."""

    span: Span
    tip: str
    address: str = ""
    file: str = ""


def document_links(snapshot: Snapshot) -> tuple[Link, ...]:
    """All links by place. Files of the system (`<…>`) lead nowhere: the tools read no includes."""
    return tuple(sorted([*_includes(snapshot), *_rules(snapshot)], key=lambda link: link.span))


def _includes(snapshot: Snapshot) -> Iterator[Link]:
    tree = snapshot.report.tree
    starts = [token.start for token in tree.pre.directives]
    starts += [token.start + one.base for one in tree.pre.functions for token in one.directives]
    for start in starts:
        found = _INCLUDE.match(snapshot.text, start)
        if found is not None:
            yield Link(Span(*found.span(1)), "Open the file", file=found[1])


def _rules(snapshot: Snapshot) -> Iterator[Link]:
    for allow in snapshot.report.directives.allows:
        for name, span in allow.names:
            if name in BY_NAME:
                yield Link(span, BY_NAME[name].summary, address=page_uri(name))
