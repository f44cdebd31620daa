"""What is offered at a place of a document, and that what is offered can be made."""

from pathlib import Path

import pytest

from croqc.text.edits import apply_edits
from croqls.assists.kinds import MIGRATE, REWRITE
from croqls.assists.offers import Assist, assists
from croqls.ide.snapshot import Snapshot
from tests.refactor.rewriting import verdicts

pytestmark = pytest.mark.slow

EXAMPLES = Path(__file__).parents[2] / "examples"


def example(name: str) -> str:
    return (EXAMPLES / f"{name}.co").read_text(encoding="utf-8")


def offered(text: str, at: str, skip: int = 0) -> tuple[Assist, ...]:
    """The offers at the first character of a text's occurrence."""
    offset = -1
    for _ in range(skip + 1):
        offset = text.index(at, offset + 1)
    return assists(Snapshot("file:///k.co", 1, text), offset)


AT = [
    ("swap_f16", "swap(lf0", ["Buffer three tiles with 'rotate'", "Split into a producer and a consumer with events"]),
    ("swap_s32", "swap(lf0", ["Buffer three tiles with 'rotate'"]),
    ("rotate_triple", "rotate(f0", ["Buffer two tiles with 'swap'"]),
    (
        "pipeline_course",
        "empty[MATMUL_STAGES]",
        [
            "Count the slots of 'empty' by order",
            "Declare 'empty' as ready",
            "Change to 3 stages",
            "Change to one stage",
        ],
    ),
    (
        "pipeline_current",
        "empty[STAGES]",
        [
            "Name the slots of 'empty' by hand",
            "Start 'empty' in its regions",
            "Change to 4 stages",
            "Change to 2 stages",
        ],
    ),
    ("pipeline_current", "trigger full", ["Copy synchronously in front of the trigger"]),
    ("pipeline_classic", "tma.copy.async", ["Join the copies into their trigger"]),
    (
        "pipeline_classic",
        "__co__",
        ["Migrate this file to the current dialect", "Migrate this file to the course dialect"],
    ),
    ("add", "__co__", []),
    ("pipeline_course", "mma.store", []),
]


@pytest.mark.parametrize(("name", "at", "titles"), AT)
def test_the_offers_of_a_place(name: str, at: str, titles: list[str]) -> None:
    assert [item.title for item in offered(example(name), at)] == titles


@pytest.mark.parametrize(("name", "at"), [(name, at) for name, at, _ in AT])
def test_every_offer_can_be_made(name: str, at: str) -> None:
    text = example(name)
    for item in offered(text, at):
        assert item.kind == (MIGRATE if "Migrate" in item.title else REWRITE)
        assert set(verdicts(apply_edits(text, item.edits))) == {"verified"}, item.title


@pytest.mark.parametrize("text", ["", "__co__", "__co__ void f() { dma.copy => ; }", "int main() { return 0; }"])
def test_broken_texts_have_no_offers(text: str) -> None:
    snapshot = Snapshot("file:///k.co", 1, text)
    assert all(assists(snapshot, offset) == () for offset in range(len(text) + 1))
