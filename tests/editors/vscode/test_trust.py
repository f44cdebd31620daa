"""A person trusts a workspace while it is open: only then is its own Python run."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.cli.seeds import PIPELINE
from tests.editors.vscode.code_server import VSIX, CodeServer, python_with_croqtile
from tests.editors.vscode.editor import Editor
from tests.editors.vscode.window import RUN_MS, open_window

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


def test_trust_is_followed_at_once(careful: CodeServer, tmp_path: Path) -> None:
    folder, mark = tmp_path / "w", tmp_path / "it ran"
    python_with_croqtile(folder / ".venv" / "bin" / "python", f"touch '{mark}'")
    (folder / "kernel.co").write_text(PIPELINE, encoding="utf-8")
    careful.install(VSIX)
    with open_window(careful, "trust") as window:
        editor = Editor(window.page)
        window.page.goto(careful.url(folder))
        with window.step("restricted"):
            editor.open("kernel.co")
            expect(window.page.locator(".statusbar-item", has_text="Restricted Mode")).to_be_visible()
            expect(editor.lens("Credit flow")).to_be_visible()
            editor.lens("Run (simulator)").click()
            expect(editor.notification("This workspace is not trusted, so nothing in it is run")).to_be_visible()
            assert not mark.exists()
        with window.step("trusted"):
            editor.palette("Workspaces: Manage Workspace Trust")
            window.page.get_by_role("button", name="Trust", exact=True).click()
            expect(window.page.locator(".statusbar-item", has_text="Restricted Mode")).to_have_count(0)
            editor.tab("kernel.co").click()
            editor.lens("Run (simulator)").click()
            expect(editor.panel().locator("body")).to_contain_text("Every expectation holds", timeout=RUN_MS)
            assert mark.exists()
