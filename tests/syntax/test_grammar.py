"""The grammar and its tables: conflicts, actions, the cache."""

import json
import logging
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from zlib import crc32

import pytest

from croqc.syntax import expectation, parser, tables
from croqc.syntax.build import ACTIONS


@cache
def tables_text() -> str:
    return tables.build_text(tables.grammar_text())


@pytest.fixture
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty cache folder, no tables in memory, and tables that are built in no time."""
    text = tables_text()
    monkeypatch.setattr(tables, "build_text", lambda grammar: text)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    tables.tables.cache_clear()
    yield tmp_path
    tables.tables.cache_clear()


def test_the_dangling_else_is_the_only_conflict(caplog: pytest.LogCaptureFixture) -> None:
    import lark

    caplog.set_level(logging.DEBUG, lark.logger.name)
    tables.make_lark(tables.grammar_text(), debug=True)
    conflicts = [record.getMessage() for record in caplog.records if "onflict" in record.getMessage()]
    assert len(conflicts) == 1
    assert "ELSE" in conflicts[0] and "resolving as shift" in conflicts[0]


def test_every_production_has_an_action_and_every_action_a_production() -> None:
    parser.program()
    used = {rule.action for rule in tables.tables().rules if rule.mode == tables.CALL}
    assert used == set(ACTIONS)


def test_the_grammar_of_expectations_has_no_conflict_and_an_action_for_every_production(
    caplog: pytest.LogCaptureFixture,
) -> None:
    import lark

    caplog.set_level(logging.DEBUG, lark.logger.name)
    tables.make_lark(tables.grammar_text(tables.EXPECTATION), debug=True)
    assert not [record for record in caplog.records if "onflict" in record.getMessage()]
    used = {rule.action for rule in tables.tables(tables.EXPECTATION).rules if rule.mode == tables.CALL}
    assert used == set(expectation.ACTIONS)


def test_the_tables_are_the_same_every_time() -> None:
    """Though Lark numbers its states anew in each process."""
    code = "from croqc.syntax.tables import build_text, grammar_text; print(build_text(grammar_text()))"
    done = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONHASHSEED": "7"}, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == tables_text()


def test_the_tables_are_cached(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built = tables.tables()
    (file,) = (fresh / "croqtile-tools").iterdir()
    monkeypatch.setattr(tables, "build_text", lambda grammar: pytest.fail("built again"))
    tables.tables.cache_clear()
    assert tables.tables() == built
    assert file.suffix == ".tables"


@pytest.mark.parametrize("damage", ["", "{}", "[" * 100_000, "null", '{"key": "other"}', "\x00\xff"])
def test_a_damaged_cache_is_replaced(fresh: Path, damage: str) -> None:
    built = tables.tables()
    (file,) = (fresh / "croqtile-tools").iterdir()
    good = file.read_text()
    file.write_bytes(damage.encode("latin-1"))
    tables.tables.cache_clear()
    assert tables.tables() == built
    assert file.read_text() == good


@pytest.mark.parametrize("cut", [1, 100, -1])
def test_a_cache_with_a_part_missing_is_replaced(fresh: Path, cut: int) -> None:
    built = tables.tables()
    (file,) = (fresh / "croqtile-tools").iterdir()
    good = file.read_text()
    file.write_text(good[:cut])
    tables.tables.cache_clear()
    assert tables.tables() == built
    assert file.read_text() == good


def with_checksum(body: str) -> str:
    return f"{crc32(body.encode()):08x}\n{body}"


def test_a_cache_whose_rows_were_taken_out_is_replaced(fresh: Path) -> None:
    built = tables.tables()
    (file,) = (fresh / "croqtile-tools").iterdir()
    head, body = file.read_text().split("\n")
    assert file.read_text() == with_checksum(body)
    file.write_text(head + "\n" + json.dumps(json.loads(body) | {"actions": []}))
    tables.tables.cache_clear()
    assert tables.tables() == built


def test_tables_of_another_grammar_are_not_used(fresh: Path) -> None:
    tables.tables()
    (file,) = (fresh / "croqtile-tools").iterdir()
    data = json.loads(file.read_text().split("\n")[1])
    file.write_text(with_checksum(json.dumps(data | {"key": "0" * 64, "rules": []})))
    tables.tables.cache_clear()
    assert tables.tables().rules != ()


def test_a_cache_that_cannot_be_written_is_no_failure(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (fresh / "taken").write_text("a file where a folder is due")
    monkeypatch.setenv("XDG_CACHE_HOME", str(fresh / "taken"))
    assert tables.tables().rules


def test_the_build_hook_can_load_the_module_alone() -> None:
    """It runs where Lark is installed and the package is not; loading needs neither."""
    code = f"import runpy; print(runpy.run_path({tables.__file__!r})['GRAMMARS'])"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == repr(tables.GRAMMARS)
