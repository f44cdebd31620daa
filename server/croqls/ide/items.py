"""What completion offers: a word or a whole pattern at a place. Must not know LSP types or decide what fits."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from croqc.text.span import Span


class ItemKind(Enum):
    KEYWORD = "keyword"
    OPERATION = "operation"
    MEMBER = "member"
    TYPE = "type"
    FUNCTION = "function"
    VARIABLE = "variable"
    EVENT = "event"
    CONSTANT = "constant"
    MACRO = "macro"
    PATTERN = "pattern"


@dataclass(frozen=True, slots=True)
class Item:
    """What may stand at a place: the absolute span that it replaces, one line about it, Markdown.

    `rank` orders items, the best first. `about` names the word whose documentation is made when it is asked for.
    `pattern` is what a whole pattern inserts, with the place-holders of LSP's snippets.
    """

    label: str
    span: Span
    detail: str
    markdown: str = ""
    kind: ItemKind = ItemKind.KEYWORD
    rank: int = 0
    about: str = ""
    pattern: str = ""
    current: bool = False  # a pattern of the current dialect
