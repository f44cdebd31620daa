"""Markdown of our documentation as plain text: no marks, nothing lost, code as it stands."""

from __future__ import annotations

import re

import pytest

from croqc.builtins import ROWS
from croqc.rules.page import page_text
from croqc.rules.table import NAMES
from croqls.ide.completion import documentation
from croqls.ide.plain_text import plain_text

TEXT = """# The `ring`

```croqtile
full: shared **event**[3]
```

Given **once** by path `w == 0` (line [25](file:///k.co#L25)); `a[i](b)` and `**` stay.


---

| turn | slot |
| --- | ---: |
| k = 10 | `0` |
| k = 1 | **2** |

![timeline](data:image/svg+xml;base64,AAAA)

- at the end
"""
PLAIN = """The ring

full: shared **event**[3]

Given once by path w == 0 (line 25); a[i](b) and ** stay.

turn    slot
k = 10  0
k = 1   2

- at the end"""


def test_an_example_of_everything() -> None:
    assert plain_text(TEXT) == PLAIN


@pytest.mark.parametrize("text", ["", "word", "a | b", "```\n**code**", "|", "| a |\n| --- |"])
def test_odd_texts(text: str) -> None:
    shown = {"```\n**code**": "**code**", "|": "", "| a |\n| --- |": "a"}
    assert plain_text(text) == shown.get(text, text)


@pytest.mark.parametrize("kind", ["rules", "words"])
def test_no_word_of_our_documentation_is_lost(kind: str) -> None:
    texts = [page_text(name) for name in NAMES] if kind == "rules" else [documentation(word) for word in ROWS]
    assert len(texts) > 50
    for text in texts:
        plain = plain_text(text)
        assert "```" not in plain
        without_targets = re.sub(r"\]\([^)\s]*\)", "]", re.sub(r"```\w*( \S+)*", "", text))
        assert re.findall(r"\w+", plain) == re.findall(r"\w+", without_targets)
