"""Links: included files as they are written, pages of allowed rules."""

from __future__ import annotations

from croqls.ide.document_links import document_links
from croqls.ide.snapshot import Snapshot

KERNEL = """#include <stdio.h>
#  include "tools/a b.h" // beside
// croq: allow unused-event, no-such-rule
// #include "not.h"
__co__ void f(global s32 [8] x) {
#include "inside.h"
  parallel p by 8 : thread { x.at(p) = 1; }
}
"""


def test_links_stand_at_the_names() -> None:
    links = document_links(Snapshot("file:///k.co", 1, KERNEL))
    shown = [(KERNEL[link.span.start : link.span.end], link.file, link.address.rpartition("/")[2]) for link in links]
    assert shown == [
        ("tools/a b.h", "tools/a b.h", ""),
        ("unused-event", "", "unused-event.md"),
        ("inside.h", "inside.h", ""),
    ]
