"""Comments anywhere in what is rewritten are kept, and change nothing else of the result."""

import re
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from croqc.refactor import async_event, bootstrap, event_order, ring, rotate
from croqc.refactor.base import Code, Outcome, Refusal
from croqc.refactor.equal import attempt
from croqc.service.check import check_text
from croqc.service.migrate import migrate
from tests.refactor.rewriting import PRODUCER, code, example, framed
from tests.refactor.test_docstrings import CASES, every

EXAMPLES = Path(__file__).parents[2] / "examples"
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|group-4|\d[\w.]*|\w+|[=+*/%!<>-]=|=>|&&|\|\||\+\+|--|::|[^\w\s]')


def shown(name: str) -> str:
    module, frame, _, _ = CASES[name]
    return framed(frame, example(module)[0])


def of_example(name: str) -> str:
    return (EXAMPLES / f"{name}.co").read_text(encoding="utf-8")


REWRITES: dict[str, tuple[str, Callable[[Code], Outcome], bool]] = {
    **{name: (shown(name), edits, deeper) for name, (_, _, edits, deeper) in CASES.items()},
    "to_swap": (of_example("rotate_triple"), every(rotate.triple_sites, rotate.to_swap), True),
    "rotate of operands": (of_example("swap_s32"), every(rotate.sites, rotate.edits), True),
    "rotate of any number": (of_example("swap_f16"), every(rotate.sites, rotate.edits), True),
    "ring of operands": (of_example("swap_f16"), every(ring.sites, ring.edits), True),
    "started": (framed(PRODUCER, "trigger full.at(k);"), every(bootstrap.ready_sites, bootstrap.started), False),
    "physical": (
        framed(PRODUCER, "trigger full.at(k);"),
        every(event_order.ordered_sites, event_order.physical),
        False,
    ),
    "synchronous": (shown("async_event"), every(async_event.sites, async_event.synchronous), False),
}


def commented(text: str, random: Random, often: float) -> tuple[str, list[str]]:
    """The text with comments between words of its last function, and these comments; none may follow a dot."""
    start = text.index("{", text.rindex("__co__"))
    made: list[str] = []
    parts = [text[:start]]
    last = start
    for token in TOKEN.finditer(COMMENT.sub(lambda found: " " * len(found.group()), text), start):
        gap = text[last : token.start()]
        if random.random() < often and parts[-1] != ".":
            number = len(made)
            made.append(random.choice([f"/* c{number} */", f"// é😀 {number}", f"/*c{number}\n  {number}*/"]))
            parts.append(gap + made[-1] + ("\n" if made[-1].startswith("//") else ""))
        else:
            parts.append(gap)
        parts.append(token.group())
        last = token.end()
    return "".join(parts) + text[last:], made


def words(text: str) -> list[str]:
    return TOKEN.findall(COMMENT.sub(" ", text))


def missing(made: list[str], text: str) -> list[str]:
    there = [" ".join(comment.split()) for comment in COMMENT.findall(text)]
    return [comment for comment in made if " ".join(comment.split()) not in there]


@pytest.mark.parametrize("often", [0.03, 0.3])
@pytest.mark.parametrize("name", REWRITES)
def test_comments_anywhere_are_kept(name: str, often: float) -> None:
    text, edits, deeper = REWRITES[name]
    plain = attempt(before := code(text), made_of(edits(before)), deeper=deeper)
    assert not isinstance(plain, Refusal)
    for seed in range(3):
        changed, made = commented(text, Random(seed), often)
        outcome = edits(before := code(changed))
        after = outcome if isinstance(outcome, Refusal) else attempt(before, outcome, deeper=deeper)
        assert not isinstance(after, Refusal), after
        assert missing(made, after.file) == []
        assert words(after.file) == words(plain.file)


def made_of(outcome: Outcome) -> tuple[object, ...]:
    assert not isinstance(outcome, Refusal), outcome
    return outcome


@pytest.mark.parametrize("to", ["current", "course"])
@pytest.mark.parametrize("name", ["pipeline_classic", "pipeline_course", "pipeline_current", "persistent_1p2c"])
def test_a_migrated_file_keeps_its_comments(name: str, to: str) -> None:
    changed, made = commented(of_example(name), Random(to), 0.1)
    assert missing(made, migrate(check_text(changed), to).text) == []
