"""A command collects circles of dead objects seldom: what it makes lives to its end."""

from __future__ import annotations

import gc

import pytest

from croqc.cli.main import main


def test_a_command_collects_seldom(capsys: pytest.CaptureFixture[str]) -> None:
    before = gc.get_threshold()
    try:
        gc.set_threshold(700, 10, 10)
        assert main(["explain"]) == 0
        assert gc.get_threshold()[0] >= 100 * 700
        assert gc.isenabled()
    finally:
        gc.set_threshold(*before)
