"""Sums of many terms, as macros and generators write them: run and lowered, or refused with the way out."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Croq


def write(terms: int) -> None:
    total = " + ".join(["x.at(b)"] * terms)
    Path("k.co").write_text(
        f"// croq: run N=7\n// croq: expect y == x * {terms}\n"
        f"__co__ void f(global s32 [N] x, global s32 [N] y) {{ parallel b by N : block {{ y.at(b) = {total}; }} }}\n",
        encoding="utf-8",
    )


@pytest.mark.slow
@pytest.mark.parametrize("terms", [300, 800])
def test_hundreds_of_terms(croq: Croq, terms: int) -> None:
    write(terms)
    outcome = croq("run", "k.co")
    assert (outcome.status, "verified" in outcome.out) == (0, True), outcome.out
    made = croq("cuda", "k.co")
    assert (made.status, made.out.count("x[b]")) == (0, terms)


@pytest.mark.slow
def test_thousands_are_refused(croq: Croq) -> None:
    write(4000)
    way = "too many operations inside each other: give parts of it names, as variables"
    assert way in croq("run", "k.co").out
    made = croq("cuda", "k.co")
    assert (made.status, way in made.out + made.err) == (1, True)
