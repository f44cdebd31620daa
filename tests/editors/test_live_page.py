"""The page of `croq flow --serve` in a real browser: it follows the file, keeps its place, and says what is wrong."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.seeds import PIPELINE
from tests.editors.browser import Browser

pytestmark = pytest.mark.slow

RIGHT = ("ArrowRight", 39)
TWO = PIPELINE.replace("void matmul(", "void first(") + "\n" + PIPELINE.split("#define MATMUL_STAGES 2\n")[1]
FILE, TITLE, COUNT = (f"document.getElementById('{name}').innerText" for name in ("file", "title", "count"))
SAID, NOTE = (f"document.getElementById('{name}').innerText" for name in ("say", "note"))


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    started = Browser(tmp_path_factory.mktemp("profile"))
    yield started
    started.close()


class Served:
    """A file, and the process that serves its flow."""

    def __init__(self, file: Path) -> None:
        self.file = file
        command = [sys.executable, "-m", "croqc.cli.main", "flow", "--serve", str(file)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().split()[0]

    def end(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    file = tmp_path / "k.co"
    file.write_text(TWO, encoding="utf-8")
    started = Served(file)
    yield started
    started.end()


def until(browser: Browser, expression: str) -> None:
    """Waits for the page, a minute at most."""
    for _ in range(600):
        if browser.js(expression):
            return
        time.sleep(0.1)
    raise AssertionError(f"{expression}; note: {browser.js(NOTE)}")


def place(browser: Browser) -> tuple[str, str, str]:
    return browser.js(TITLE), browser.js(COUNT), browser.js(SAID)


def test_the_page_follows_the_file_and_keeps_kernel_and_step(browser: Browser, served: Served) -> None:
    browser.open(served.address)
    browser.js(
        "document.getElementById('kernel').value = 1; document.getElementById('kernel').onchange({target: {value: 1}})"
    )
    for _ in range(5):
        browser.press(*RIGHT)
    before = place(browser)
    line = int(browser.js(FILE).split(":")[1])
    assert before[0] == "matmul"
    assert before[1].startswith("5 of ")
    served.file.write_text("// one line more\n" + TWO, encoding="utf-8")
    until(browser, f"{FILE} === 'k.co:{line + 1}'")
    assert place(browser) == before
    assert browser.js(NOTE) == ""
    assert browser.problems == []
    assert browser.requests[1:] != []
    assert all(one.startswith(served.address) for one in browser.requests)


def test_a_text_that_does_not_parse_or_is_gone_leaves_the_last_picture_with_a_note(
    browser: Browser, served: Served
) -> None:
    browser.open(served.address)
    browser.press(*RIGHT)
    before = place(browser)
    served.file.write_text(TWO.replace("shared event full", "shared event full full"), encoding="utf-8")
    until(browser, f"{NOTE}.includes('This is the flow of the text before')")
    assert place(browser) == before
    served.file.unlink()
    until(browser, f"{NOTE}.includes('there is no such file')")
    assert place(browser) == before
    served.file.write_text(TWO.replace("void first(", "void renamed("), encoding="utf-8")
    until(browser, f"{TITLE} === 'renamed'")
    assert browser.js(NOTE) == ""


def test_a_page_opened_while_there_is_nothing_to_show_comes_alive(browser: Browser, served: Served) -> None:
    served.file.unlink()
    browser.open(served.address)
    assert "there is no such file" in browser.js("document.body.innerText")
    served.file.write_text(TWO, encoding="utf-8")
    until(browser, "document.getElementById('title')?.innerText === 'first'")


def test_when_the_server_has_ended_the_page_says_so(browser: Browser, served: Served) -> None:
    browser.open(served.address)
    until(browser, "document.getElementById('title') !== null")  # the page before may have loaded itself anew meanwhile
    title = browser.js(TITLE)
    served.end()
    until(browser, f"{NOTE} === 'croq flow has ended; this is the last that it showed'")
    assert browser.js(TITLE) == title
