"""What a person does at the workbench, by its own elements and keys. Must not assert."""

from __future__ import annotations

import re

from playwright.sync_api import FrameLocator, Locator, Page

ERROR = ".squiggly-error"


class Editor:
    """The workbench of a page. Every call waits for what it needs."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def wait(self) -> None:
        """Until the workbench has read its folder."""
        self.page.locator(".explorer-folders-view .monaco-list-row").first.wait_for()

    def open(self, name: str) -> None:
        """Opens a file of the explorer for good, not as a preview."""
        self.page.locator(".explorer-folders-view .monaco-list-row", has_text=name).dblclick()
        self.page.locator(".tab.active", has_text=name).wait_for()
        self.lines().first.wait_for()

    def lines(self) -> Locator:
        """The lines on the screen of the editor in front."""
        return self.page.locator(".editor-group-container.active .view-line")

    def line(self, text: str) -> Locator:
        """The first line on the screen with a text. Blanks are no-break spaces there."""
        return self.lines().filter(has_text=spaced(text)).first

    def word(self, line: str, word: str) -> tuple[float, float]:
        """The middle of a word of a line, in the page's pixels."""
        place = self.line(line).evaluate(
            """(line, word) => {
              const walk = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
              for (let node; (node = walk.nextNode()); ) {
                const at = node.data.replaceAll('\\u00a0', ' ').indexOf(word);
                if (at >= 0) {
                  const range = document.createRange();
                  range.setStart(node, at);
                  range.setEnd(node, at + word.length);
                  const box = range.getBoundingClientRect();
                  return [box.x + box.width / 2, box.y + box.height / 2];
                }
              }
              return null;
            }""",
            word,
        )
        if place is None:
            raise RuntimeError(f"no '{word}' in the line with '{line}'")
        return place[0], place[1]

    def hover(self, line: str, word: str) -> str:
        """What the hover over a word says."""
        self.page.mouse.move(*self.word(line, word))
        shown = self.page.locator(".monaco-hover:not(.hidden)").filter(has_text=re.compile(r"\S")).first
        shown.wait_for()
        return shown.inner_text()

    def click(self, line: str, word: str) -> None:
        self.page.mouse.click(*self.word(line, word))

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def errors(self) -> Locator:
        return self.page.locator(ERROR)

    def lens(self, text: str) -> Locator:
        return self.page.locator(".codelens-decoration a", has_text=text).first

    def fixes(self) -> Locator:
        """The rows of the menu behind the light bulb, which shows itself a moment after the cursor has come."""
        self.page.locator(".lightBulbWidget:visible, [class*=gutter-lightbulb]:visible").first.click()
        return self.page.locator(".action-widget .monaco-list-row.action")

    def palette(self, command: str) -> None:
        """Runs a command by its title in the command palette."""
        self.press("F1")
        self.page.locator(".quick-input-widget input").first.fill(f">{command}")
        self.choose(command)

    def choose(self, row: str) -> None:
        """Takes a row of the list that is open."""
        self.page.locator(".quick-input-list .monaco-list-row", has_text=row).first.click()

    def notification(self, text: str | re.Pattern[str]) -> Locator:
        return self.page.locator(".notification-list-item-message", has_text=text).first

    def panel(self) -> FrameLocator:
        """The page of the webview that is to be seen; it lies two frames deep."""
        shell = self.page.locator("iframe.webview.ready:visible").content_frame
        return shell.locator("iframe#active-frame").content_frame

    def beside(self) -> Locator:
        """The second group of editors."""
        return self.page.locator(".editor-group-container").nth(1)

    def tab(self, text: str) -> Locator:
        return self.page.locator(".tab", has_text=text).first

    def text(self) -> str:
        """The lines on the screen of the editor in front."""
        return "\n".join(self.lines().all_inner_texts()).replace("\u00a0", " ")


def spaced(text: str) -> re.Pattern[str]:
    """A text whose blanks may be no-break spaces."""
    return re.compile(re.escape(text).replace(r"\ ", "[ \u00a0]"))
