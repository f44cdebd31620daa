"""The shape of a row: what a person is told about one word. Must not hold rows."""

from __future__ import annotations

from croqc.targets.table import Feature
from croqc.text.record import record


@record
class Row:
    """Documentation of one operation, member, function, statement or type word.

    `word`: what is looked up. `dma.copy` for a word that a certain word stands in front of, `.swiz` for one that
    follows a dot anywhere, else the bare word. `doc` is Markdown of one to four lines; `needs` are the features
    that a target must have; `chapter` the section of the reference.
    """

    word: str
    signature: str
    doc: str
    example: str
    chapter: str
    needs: frozenset[Feature] = frozenset()

    @property
    def name(self) -> str:
        """The last part: what is typed behind the dot."""
        return self.word.rpartition(".")[2]


def needs(*features: Feature) -> frozenset[Feature]:
    return frozenset(features)
