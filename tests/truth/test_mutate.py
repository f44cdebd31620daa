"""The mutation operators: what they write, and that each of them has something to change."""

from __future__ import annotations

from random import Random

from tests.truth.generate import draw_program
from tests.truth.kernels import EXAMPLES
from tests.truth.mutate import mutants, operators
from tests.truth.program import Program

TEXT = """__co__ void f(global s32 [16, 64] a) {
  parallel p by 2 : group-4 {
    shared event e[2], d[2] = ready;
    inthreads.async (p == 0) {
      foreach {k} in [4] { wait d[k % 2]; trigger e[k % 2]; }
    }
    inthreads.async (p == 1) {
      foreach {k} in [4] { wait e[k % 2]; trigger d[k % 2]; }
    }
  }
}
"""


def changes(name: str) -> list[str]:
    """The lines that mutants of an operator have and the original has not."""
    old = TEXT.splitlines()
    found = [item.text.splitlines() for item in mutants(Program(TEXT, (), ())) if item.label.startswith(name + ",")]
    return [" ".join(line.strip() for line in lines if line not in old) for lines in found]


def test_dropping() -> None:
    assert changes("drop-wait") == [
        "foreach {k} in [4] {  trigger e[k % 2]; }",
        "foreach {k} in [4] {  trigger d[k % 2]; }",
    ]


def test_exchanging_neighbours() -> None:
    assert changes("later-wait")[0] == "foreach {k} in [4] { trigger e[k % 2]; wait d[k % 2]; }"


def test_moving_to_another_role() -> None:
    before, after = "foreach {k} in [4] { wait d[k % 2];  }", "wait e[k % 2]; trigger d[k % 2]; trigger e[k % 2]; }"
    assert changes("trigger-to-other-role")[0] == f"{before} foreach {{k}} in [4] {{ {after}"


def test_values() -> None:
    assert "foreach {k} in [4] { wait d[k % (2 + 1)]; trigger e[k % 2]; }" in changes("modulus")
    assert "foreach {k} in [4] { wait d[((k % 2) + 1) % 2]; trigger e[k % 2]; }" in changes("other-slot")
    assert "foreach {k} in [4 - 1] { wait d[k % 2]; trigger e[k % 2]; }" in changes("loop-bound")
    assert changes("ready") == ["shared event e[2] = ready, d[2] = ready;", "shared event e[2], d[2];"]


def test_labels_name_operator_and_line() -> None:
    assert [item.label for item in mutants(Program(TEXT, (), ()))][:2] == ["drop-wait, line 5", "drop-wait, line 8"]


def test_every_operator_finds_something_to_change() -> None:
    assert len(operators()) >= 30
    examples = [Program(path.read_text(encoding="utf-8"), (), ()) for path in EXAMPLES.glob("*.co")]
    programs = [*examples, *(draw_program(Random(seed)) for seed in range(12))]
    used = {item.label.split(",")[0] for program in programs for item in mutants(program)}
    assert used == set(operators())
