"""A rule's page for a terminal: what a fix changes is shown as a diff. Must not change what a page says."""

from __future__ import annotations

from difflib import unified_diff

from croqc.rules.page import parse_page


def for_terminal(text: str) -> str:
    """The page with each `co fixed` block, the whole text after the fixes, as the lines that differ from the block
    before it."""
    page = parse_page(text)
    before = {
        fixed.line: (broken.text, fixed.text)
        for broken, fixed in zip(page.examples, page.examples[1:], strict=False)
        if "fixed" in fixed.words
    }
    shown: list[str] = []
    skipping = False
    for number, line in enumerate(text.splitlines(), 1):
        if number in before:
            shown += ["```diff", *_changes(*before[number])]
            skipping = True
        elif not skipping or line == "```":
            shown.append(line)
            skipping = False
    return "\n".join(shown) + "\n"


def _changes(old: str, new: str) -> list[str]:
    """The lines that differ, with one around them; no file names."""
    lines = unified_diff(old.splitlines(), new.splitlines(), n=1, lineterm="")
    return ["..." if line.startswith("@@") else line for line in lines if not line.startswith(("---", "+++"))][1:]
