"""How a run ends, as the protocol names it; the JSON itself is tested in tests/cli/test_protocol.py."""

from __future__ import annotations

from croqc.runs.report import Verdict


def test_the_verdicts_are_those_of_the_protocol() -> None:
    assert [verdict.value for verdict in Verdict] == [
        "verified", "consistent", "wrong", "hangs", "crashed", "not-run",
    ]  # fmt: skip
