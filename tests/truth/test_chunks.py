"""A run over chunks that was broken off goes on where it was, and counts all of them."""

from __future__ import annotations

import json
from multiprocessing.pool import ThreadPool
from pathlib import Path

import pytest

from tests.chunks import counted, told


def test_what_is_in_the_state_file_is_not_run_again(tmp_path: Path) -> None:
    state = tmp_path / "new" / "state.jsonl"
    heard: list[tuple[list[str], int]] = []

    def run_chunk(chunk: int) -> tuple[int, dict[str, int], list[str]]:
        return chunk, {"odd": chunk % 2, "all": 1}, [f"found in {chunk}"] if chunk == 3 else []

    def on_chunk(found: list[str], done: int, rate: float) -> None:
        assert rate > 0
        heard.append((found, done))

    with ThreadPool(1) as pool:
        assert counted(pool, 2, run_chunk, state, on_chunk) == {"odd": 1, "all": 2}
        assert heard == [([], 1), ([], 2)]
        assert counted(pool, 4, run_chunk, state, on_chunk) == {"odd": 2, "all": 4}
    assert heard[2:] == [([], 3), (["found in 3"], 4)]
    rows = [json.loads(line) for line in state.read_text(encoding="utf-8").splitlines()]
    assert sorted(row["chunk"] for row in rows) == [0, 1, 2, 3]


def test_what_was_found_is_printed_and_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told([("000007.txt", "seed 7: ä")], tmp_path / "found")
    told([("000008.txt", "seed 8")], None)
    assert (tmp_path / "found" / "000007.txt").read_text(encoding="utf-8") == "seed 7: ä"
    assert not (tmp_path / "found" / "000008.txt").exists()
    assert "seed 8" in capsys.readouterr().out
