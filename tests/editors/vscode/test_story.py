"""A person's first hour with the course's kernel, in a VS Code with the packed extension; a picture of each step."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.cli.seeds import BOOTSTRAP, PIPELINE
from tests.editors.vscode.code_server import CodeServer, python_with_croqtile
from tests.editors.vscode.editor import Editor
from tests.editors.vscode.window import RUN_MS, Window, open_window

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
STEPS = 20


@pytest.fixture
def window(vscode: CodeServer, tmp_path: Path) -> Iterator[Window]:
    folder = tmp_path / "kernels"
    python_with_croqtile(folder / ".venv" / "bin" / "python")
    (folder / "kernel.co").write_text(PIPELINE.replace(BOOTSTRAP, ""), encoding="utf-8")
    with open_window(vscode, "story") as opened:
        opened.page.goto(vscode.url(folder))
        yield opened


def find_and_mend(window: Window, editor: Editor) -> None:
    with window.step("open the kernel"):
        editor.open("kernel.co")
        editor.press("Control+b")  # room for two groups
        expect(editor.line("shared event full").locator("span span:not(.mtk1)").first).to_be_visible()
    with window.step("squiggle"):
        expect(editor.errors()).to_have_count(1)
    with window.step("hover"):
        said = editor.hover("wait empty[stage]", "empty")
        assert "nobody gives it a credit at start" in said
        assert "credit-deadlock" in said
    with window.step("quick fix"):
        editor.press("Escape")
        editor.click("wait empty[stage]", "empty")
        menu = editor.fixes()
        expect(menu.and_(window.page.locator(".focused"))).to_have_text("Give 'empty' its credits at start")
    with window.step("mended"):
        editor.press("Enter")
        expect(editor.errors()).to_have_count(0)
        expect(editor.line("trigger empty[s]")).to_be_visible()


def run(window: Window, editor: Editor) -> None:
    with window.step("run"):
        editor.lens("Run (simulator)").click()
        expect(editor.tab("Run: matmul")).to_be_visible()
        expect(editor.panel().locator("body")).to_contain_text("Every expectation holds in all 2 runs", timeout=RUN_MS)
        expect(editor.lens("verified")).to_be_visible()


def step_through(window: Window, editor: Editor) -> None:
    with window.step("credit flow"):
        editor.lens("Credit flow").click()
        page = editor.panel()
        expect(page.locator("#badge")).to_have_text("credit flow proved for every K")
    with window.step("slider"):
        page.locator("#time").focus()
        editor.press("Home")
        said, arrival = page.locator("#say"), "path p1 == 0 arrives on full[0] and 32,768 bytes are to land."
        for _ in range(STEPS):
            editor.press("ArrowRight")
            if said.inner_text() == arrival:
                break
        expect(said).to_have_text(arrival)
        inside = page.locator("[data-cell='full[0]']")
        expect(inside).to_contain_text("0 of 1 pending")
        expect(inside).to_contain_text("32,768 bytes")
        expect(page.locator("#src")).to_contain_text("trigger full[stage];")


def compare_with_cuda(window: Window, editor: Editor) -> None:
    with window.step("generated CUDA"):
        editor.lens("{ } CUDA").click()
        arrival = editor.beside().locator(".view-line", has_text="mbarrier_arrive_expect(full").first
        editor.click("trigger full[stage]", "full")
        top = arrival.evaluate("line => line.style.top")
        lit = editor.beside().locator(f".view-overlays > div[style*='top:{top}'] [class*=ced-]")
        expect(lit).to_be_visible()


def rename_and_restart(window: Window, editor: Editor) -> None:
    with window.step("rename"):
        editor.click("wait full[stage]", "full")
        editor.press("F2")
        window.page.locator(".rename-box input").fill("loaded")
        editor.press("Enter")
        expect(editor.line("wait loaded[stage]")).to_be_visible()
        expect(editor.line("trigger loaded[stage]")).to_be_visible()
    with window.step("restart the server"):
        editor.palette("Croqtile: Restart Language Server")
        expect(editor.notification("server started")).to_be_visible()
        expect(editor.errors()).to_have_count(0)
        expect(editor.lens("before an edit: ✓ verified")).to_be_visible()


def run_the_tests(window: Window, editor: Editor) -> None:
    with window.step("tests"):
        editor.palette("Test: Run All Tests")
        expect(window.page.locator(".testing-run-glyph.codicon-testing-passed-icon")).to_have_count(2, timeout=RUN_MS)


def reload(window: Window, editor: Editor) -> None:
    with window.step("reload"):
        editor.press("Control+s")
        expect(editor.tab("kernel.co").and_(window.page.locator(".dirty"))).to_have_count(0)
        window.page.reload()
        editor.tab("Run: matmul").click()
        expect(editor.panel().locator("body")).to_contain_text("Every expectation holds")
        editor.tab("Credit flow").click()
        expect(editor.panel().locator("#badge")).to_have_text("credit flow proved for every K")
    with window.step("generated CUDA after the reload"):
        editor.tab("matmul.cu").click()
        expect(editor.beside()).to_contain_text("__global__", timeout=RUN_MS)


def test_from_a_deadlock_to_a_verified_kernel(window: Window) -> None:
    editor = Editor(window.page)
    find_and_mend(window, editor)
    run(window, editor)
    step_through(window, editor)
    compare_with_cuda(window, editor)
    rename_and_restart(window, editor)
    run_the_tests(window, editor)
    reload(window, editor)
    assert window.elsewhere == []
