"""A headless Chromium driven through its own pipe (Chrome DevTools Protocol); needs nothing but Chromium.

Where it is missing, `.ci/chromium` installs it or says how. Must not assert.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync", "--remote-debugging-pipe"),
)


def chromium() -> str:
    """The browser's program. Raises RuntimeError with the way to get it."""
    found = next((path for path in map(shutil.which, NAMES) if path), None)
    if found is None:
        raise RuntimeError("there is no Chromium here: apt-get install -y chromium")
    return found


class Browser:
    """One browser with one tab. `problems`: exceptions, console errors and refusals of the page's own policy."""

    def __init__(self, profile: Path) -> None:
        for_it, to_it = os.pipe()
        from_it, by_it = os.pipe()

        def pipes() -> None:
            spare = os.dup(for_it), os.dup(by_it)  # clear of the two numbers that Chromium wants
            for number, handle in zip((3, 4), spare, strict=True):
                os.dup2(handle, number)
                os.set_inheritable(number, True)

        command = [chromium(), *FLAGS, f"--user-data-dir={profile}"]
        self._process = subprocess.Popen(
            command, preexec_fn=pipes, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        os.close(for_it)
        os.close(by_it)
        self._to, self._from = to_it, os.fdopen(from_it, "rb")
        self._number = 0
        self._session = ""
        self.problems: list[str] = []
        self.requests: list[str] = []
        self._loaded = False
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self._call(f"{domain}.enable")

    def close(self) -> None:
        self._session = ""
        self._call("Browser.close")
        self._process.wait(20)
        os.close(self._to)
        self._from.close()

    def open(self, address: str, width: int = 1280, height: int = 900, dark: bool = False) -> None:
        """Go to a page and wait until it has loaded."""
        self.problems.clear()
        self.requests.clear()
        self._loaded = False
        self._call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._call("Emulation.setEmulatedMedia", features=[scheme])
        self._call("Page.navigate", url=address)
        while not self._loaded:
            self._take(self._receive())

    def before_pages(self, script: str) -> None:
        """Runs a script in every page that is opened from now on, before its own ones."""
        self._call("Page.addScriptToEvaluateOnNewDocument", source=script)

    def js(self, expression: str) -> Any:
        """The value of an expression in the page."""
        answer = self._call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def press(self, key: str, code: int, text: str = "") -> None:
        """A real key press: `key` as the DOM names it, `code` its Windows key code."""
        event = {"key": key, "code": key, "windowsVirtualKeyCode": code}
        self._call("Input.dispatchKeyEvent", type="keyDown", text=text, **event)
        self._call("Input.dispatchKeyEvent", type="keyUp", **event)

    def _call(self, method: str, **params: Any) -> dict[str, Any]:
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                result: dict[str, Any] = answer["result"]
                return result
            self._take(answer)

    def _receive(self) -> dict[str, Any]:
        text = bytearray()
        while (byte := self._from.read(1)) != b"\0":
            assert byte, "the browser has gone"
            text += byte
        message: dict[str, Any] = json.loads(text)
        return message

    def _take(self, message: dict[str, Any]) -> None:
        method, params = message.get("method"), message.get("params", {})
        if method == "Page.loadEventFired":
            self._loaded = True
        elif method == "Runtime.exceptionThrown" or (
            method == "Log.entryAdded" and params["entry"]["level"] == "error"
        ):
            self.problems.append(json.dumps(params))
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
