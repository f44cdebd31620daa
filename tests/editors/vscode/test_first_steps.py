"""The walkthrough, from an empty folder to a verified kernel."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.editors.vscode.code_server import CodeServer, python_with_croqtile
from tests.editors.vscode.editor import Editor
from tests.editors.vscode.window import RUN_MS, open_window

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


def test_the_walkthrough_ends_at_a_verified_kernel(vscode: CodeServer, tmp_path: Path) -> None:
    python_with_croqtile(tmp_path / ".venv" / "bin" / "python")
    with open_window(vscode, "walkthrough") as window:
        editor = Editor(window.page)
        window.page.goto(vscode.url(tmp_path))
        with window.step("first steps"):
            editor.wait()
            editor.palette("Welcome: Open Walkthrough...")
            editor.choose("First steps with Croqtile")
            window.page.get_by_text("Write a kernel").first.click()
            expect(window.page.locator("iframe.webview.ready")).to_be_visible()
        with window.step("new kernel"):
            window.page.get_by_role("button", name="New Kernel").first.click()
            expect(editor.lens("Run (simulator)")).to_be_visible()
            expect(editor.errors()).to_have_count(0)
        with window.step("verified"):
            editor.lens("Run (simulator)").click()
            expect(editor.panel().locator("body")).to_contain_text("Verified", timeout=RUN_MS)
        assert window.elsewhere == []
