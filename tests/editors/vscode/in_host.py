"""Runs a suite of `vscode-extension/test-host` inside the extension host of a VS Code. Must not assert."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.editors.vscode.code_server import CodeServer
from tests.editors.vscode.window import open_window

MARK = "CROQTILE-TEST "
LIMIT_S = 500


@dataclass(frozen=True)
class Outcome:
    """What came of one test of a suite; `failure` is empty where it passed."""

    name: str
    failure: str
    ms: int


@dataclass(frozen=True)
class SuiteRun:
    """`outcomes` in their order; `ended`: the suite came to its end; `elsewhere`: requests that left this machine."""

    outcomes: tuple[Outcome, ...]
    ended: bool
    elsewhere: tuple[str, ...]
    story: str

    def trouble(self) -> str:
        """What failed, for the text of an assertion; empty where all passed."""
        if self.ended and self.outcomes and not any(one.failure for one in self.outcomes):
            return ""
        rows = [
            f"{'FAILED' if one.failure else 'passed'} {one.name} ({one.ms} ms) {one.failure}" for one in self.outcomes
        ]
        return "\n".join([*rows, "" if self.ended else "the suite did not come to its end", self.story])


def run_suite(server: CodeServer, extension: Path, suite: str, folder: Path) -> SuiteRun:
    """Opens `folder` with `extension` in place of an installed one and runs the suite there."""
    outcomes: list[Outcome] = []
    exits: list[object] = []

    def log(_kind: str, words: Sequence[object]) -> None:
        text = str(words[0]) if words else ""
        if text.startswith(MARK):
            outcomes.append(Outcome(**json.loads(text.removeprefix(MARK))))

    bundle = extension / "test-host" / f"{suite}.suite.js"
    payload = {"extensionDevelopmentPath": server.remote(extension), "extensionTestsPath": server.remote(bundle)}
    with open_window(server, suite) as window:
        window.page.expose_function("codeAutomationLog", log)
        window.page.expose_function("codeAutomationExit", lambda code: exits.append(code))
        window.page.goto(server.url(folder, **payload))
        end = time.monotonic() + LIMIT_S
        while not exits and time.monotonic() < end:
            window.page.wait_for_timeout(50)
        failed = not exits or any(one.failure for one in outcomes)
        story = f"the window: {window.picture('end')}\n{server.logs()}" if failed else ""
        return SuiteRun(tuple(outcomes), exits == [0], tuple(window.elsewhere), story)
