"""Programs on which verifier, simulator and search once disagreed. Each says in its first line what is right.

`// verdict: proved`, or `// verdict: fails: RULE`; size lines and expectations as `croq run` reads them.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.truth.agreement import judge
from tests.truth.program import Program

FILES = sorted((Path(__file__).parent / "regressions").glob("*.co"))


def program(text: str) -> Program:
    sizes = [
        {name: int(value) for name, value in re.findall(r"(\w+)=(\d+)", line)}
        for line in re.findall(r"^// croq: run (.*)$", text, re.MULTILINE)
    ]
    expects = re.findall(r"^// croq: expect (\w+) == (.*)$", text, re.MULTILINE)
    return Program(text, tuple(sizes), tuple(expects))


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_verdict(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    first = re.match(r"// verdict: (\w+)(?:: ([\w-]+))?\n", text)
    assert first is not None
    judged = judge(program(text))
    assert judged.outcome == "agree", judged.says()
    assert judged.verdict is not None
    assert judged.verdict.strength.value == first[1], judged.says()
    assert judged.verdict.rules == ({first[2]} if first[2] else set())


def test_there_are_some() -> None:
    assert FILES
