"""Names that nothing declares: the near one is offered, and many of them cost no more than their number."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from croqc.sema import rulenames as rules
from croqc.sema import scopes
from croqc.text.near import nearest
from tests.sema.study import study


def test_a_search_for_near_names_ends_after_many(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = 0

    def counted(word: str, known: Iterable[str]) -> str | None:
        nonlocal compared
        known = list(known)
        compared += len(known)
        return nearest(word, known)

    monkeypatch.setattr(scopes, "nearest", counted)
    body = "\n".join(f"count{i} = coumt{i};" for i in range(1000))
    found = study(f"__co__ void f(int count) {{\n{body}\n}}").findings
    assert [item.rule for item in found] == [rules.UNDECLARED_NAME] * 1000
    assert found[0].args["near"] == "count"
    assert found[-1].args["near"] is None
    assert compared < 21_000  # not the half million pairs of 1000 missing and 1000 known names
