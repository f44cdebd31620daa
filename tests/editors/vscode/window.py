"""A browser window on a VS Code: keeps what it asked of whom, and a picture of each step. Must not assert."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Page, expect, sync_playwright

from tests.editors.browser import FLAGS, chromium
from tests.editors.vscode.code_server import ROOT, CodeServer

PICTURES = ROOT / "build" / "vscode"
STEP_MS = 30_000
RUN_MS = 120_000  # a run in the simulator
WIDTH, HEIGHT = 1440, 1000


class Window:
    """One page. `elsewhere`: what it asked of other hosts than its own."""

    def __init__(self, page: Page, server: CodeServer, name: str) -> None:
        self.page = page
        self.server = server
        self.name = name
        self.elsewhere: list[str] = []
        self._pictures = 0
        page.set_default_timeout(STEP_MS)
        page.on("request", lambda request: self._note(request.url))

    def picture(self, step: str) -> Path:
        """What the window shows now, in `build/vscode`."""
        self._pictures += 1
        path = PICTURES / f"{self.name}-{self._pictures:02}-{step}.png"
        self.page.screenshot(path=path)
        return path

    @contextmanager
    def step(self, title: str) -> Iterator[None]:
        """What fails inside says which step it was, with the picture's place and the logs."""
        try:
            yield
        except Exception as error:
            shown = self.picture("failed")
            error.add_note(f"while: {title}; the window: {shown}; the notifications: {self.notifications()}")
            error.add_note(self.server.logs())
            raise
        self.picture(title.replace(" ", "-"))

    def notifications(self) -> list[str]:
        """The messages on the screen."""
        return self.page.locator(".notification-list-item-message").all_inner_texts()

    def _note(self, url: str) -> None:
        host = urlsplit(url).netloc
        if host and host != urlsplit(self.server.address).netloc:
            self.elsewhere.append(url)


@contextmanager
def open_window(server: CodeServer, name: str) -> Iterator[Window]:
    """A window of a new browser, not yet on a page."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    expect.set_options(timeout=STEP_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium(), args=[flag for flag in FLAGS if "pipe" not in flag]
        )
        try:
            yield Window(browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}), server, name)
        finally:
            browser.close()
