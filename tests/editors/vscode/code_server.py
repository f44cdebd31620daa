"""A VS Code of its own: code-server with a home, settings and extensions that nobody else has. Must not assert.

`.ci/code-server` installs it. Its PATH has two folders more than Debian's: neither leads to this checkout, so that an
extension finds a server only where a test put one.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

ROOT = Path(__file__).parents[3]
EXTENSION = ROOT / "vscode-extension"
VSIX = EXTENSION / "croqtile-tools.vsix"
INSTALLED = ROOT / ".venv" / "code-server"
ENTRY = INSTALLED / "node_modules" / "code-server" / "out" / "node" / "entry.js"
NODE = INSTALLED / "bin" / "node"
START_S = 60
MARK = "CROQTILE_TEST_HOME"  # by which the processes of one code-server are known
SETTINGS = {
    "telemetry.telemetryLevel": "off",
    "update.mode": "none",
    "extensions.autoUpdate": False,
    "extensions.autoCheckUpdates": False,
    "extensions.ignoreRecommendations": True,
    "files.autoSave": "off",
    "files.hotExit": "off",
    "git.enabled": False,
    "editor.minimap.enabled": False,
    "workbench.startupEditor": "none",
    "workbench.enableExperiments": False,
    "workbench.tips.enabled": False,
    "window.menuBarVisibility": "compact",
    "chat.disableAIFeatures": True,
    "security.workspace.trust.startupPrompt": "never",
}


def write_program(path: Path, *lines: str) -> Path:
    """A shell script that can be run."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(("#!/bin/sh", *lines, "")), encoding="utf-8")
    path.chmod(0o755)
    return path


def python_with_croqtile(path: Path, *before: str) -> Path:
    """An interpreter at `path` that has this checkout installed; `before`: lines of shell that run first."""
    known = "".join(f"export PYTHONPATH='{os.environ['PYTHONPATH']}'" for _ in [0] if "PYTHONPATH" in os.environ)
    return write_program(path, *before, known, f"exec '{sys.executable}' \"$@\"")


def python_without_croqtile(path: Path) -> Path:
    """An interpreter at `path` that has no packages at all."""
    return write_program(path, f"exec '{Path(sys.executable).resolve()}' -I -S \"$@\"")


def unpack(vsix: Path, to: Path) -> Path:
    """The extension's folder, as an editor would install it."""
    with zipfile.ZipFile(vsix) as archive:
        archive.extractall(to)
    return to / "extension"


class CodeServer:
    """One code-server process; `home` holds all that it writes."""

    def __init__(self, home: Path, *, trust: bool, user_home: Path | None = None) -> None:
        """`trust`: workspaces have to be trusted first, as in a VS Code that nobody configured. `user_home`: the HOME
        of whoever works there, a folder of `home` unless given."""
        self.home = home
        self._user_home = user_home or home / "user"
        self._data = home / "data"
        (self._data / "User").mkdir(parents=True)
        (self._data / "User" / "settings.json").write_text(json.dumps(SETTINGS), encoding="utf-8")
        (home / "config.yaml").write_text("auth: none\n", encoding="utf-8")
        self._folders = ["--config", str(home / "config.yaml"), "--user-data-dir", str(self._data)]
        self._folders += ["--extensions-dir", str(home / "extensions")]
        self._trust = [] if trust else ["--disable-workspace-trust"]
        self._log = home / "code-server.log"
        self._process: subprocess.Popen[bytes] | None = None
        self.address = ""

    @property
    def bin(self) -> Path:
        """The first folder of its PATH."""
        return self.home / "bin"

    def install(self, vsix: Path) -> None:
        """Installs an extension. Raises CalledProcessError, with what the editor said as its output."""
        command = self._command("--install-extension", str(vsix))
        subprocess.run(command, env=self._environment(), check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def start(self) -> None:
        """Starts it and waits until it answers. Raises RuntimeError with its log where it does not."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.address = f"http://127.0.0.1:{port}"
        flags = ["--auth", "none", "--bind-addr", f"127.0.0.1:{port}", "--disable-telemetry", "--disable-update-check"]
        command = self._command(*flags, "--disable-proxy", *self._trust)
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                command, env=self._environment(), stdout=log, stderr=subprocess.STDOUT, start_new_session=True
            )
        end = time.monotonic() + START_S
        while time.monotonic() < end:
            try:
                urllib.request.urlopen(f"{self.address}/healthz", timeout=5).close()
                return
            except (urllib.error.URLError, OSError):
                time.sleep(0.1)
        raise RuntimeError(f"code-server did not start:\n{self.logs()}")

    def stop(self) -> list[str]:
        """Ends it, and returns the command lines of what it left running."""
        if self._process is None:
            return []
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(30)
        end = time.monotonic() + 10
        while (left := list(self._running())) and time.monotonic() < end:
            time.sleep(0.1)
        return left

    def url(self, folder: Path, **payload: str) -> str:
        """The address of the workbench on a folder, or on a `.code-workspace` file."""
        kind = "workspace" if folder.suffix == ".code-workspace" else "folder"
        query = f"{kind}={quote(str(folder))}"
        if payload:
            query += f"&payload={quote(json.dumps(list(payload.items())))}"
        return f"{self.address}/?{query}"

    def remote(self, path: Path) -> str:
        """The URI by which the browser names a file of the server."""
        return f"vscode-remote://{self.address.removeprefix('http://')}{quote(str(path))}"

    def logs(self, lines: int = 40) -> str:
        """The ends of the logs that tell of troubles: the extension's, the extension host's, the server's own."""
        hosts = sorted(self._data.glob("logs/*/exthost*"), key=lambda folder: folder.stat().st_mtime)[-1:]
        found = [path for host in hosts for path in (*host.glob("**/*Croqtile*.log"), *host.glob("remoteexthost.log"))]
        parts = [(path.name, path.read_text("utf-8", "replace").splitlines()) for path in (*found, self._log)]
        return "\n".join(f"--- {name}\n" + "\n".join(text[-lines:]) for name, text in parts)

    def _command(self, *flags: str) -> list[str]:
        return [str(NODE), str(ENTRY), *self._folders, *flags]

    def _environment(self) -> dict[str, str]:
        """`VSCODE_CLI` keeps the editor from asking a login shell for another PATH."""
        if self._user_home.is_relative_to(self.home):
            self._user_home.mkdir(exist_ok=True)
        path = f"{self.bin}:{':'.join(('/usr/local/bin', '/usr/bin', '/bin'))}"
        gallery = '{"serviceUrl":""}'
        return {
            "HOME": str(self._user_home),
            MARK: str(self.home),
            "PATH": path,
            "LANG": "C.UTF-8",
            "VSCODE_CLI": "1",
            "EXTENSIONS_GALLERY": gallery,
        }

    def _running(self) -> Iterator[str]:
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    environment = (entry / "environ").read_bytes()
                    line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
                except OSError:
                    continue
                if f"{MARK}={self.home}".encode() in environment and line:
                    yield line


def ready() -> str | None:
    """What is missing for these tests, with the way to get it; None where all is there."""
    if not (INSTALLED / ".installed").is_file():
        return "code-server is not installed: type 'make code-server'"
    if not VSIX.is_file():
        return "the extension is not packed: type 'make vsix'"
    sources = [*EXTENSION.glob("src/**/*"), EXTENSION / "package.json"]
    if max(path.stat().st_mtime for path in sources) > VSIX.stat().st_mtime:
        return "the packed extension is older than its sources: type 'make vsix'"
    return None


def bundle_tests(extension: Path) -> None:
    """Puts the tests that run in the extension host beside the extension, which shares its `vscode` with them."""
    node = shutil.which(str(NODE)) or str(NODE)
    command = [node, "scripts/test-host.mjs", str(extension / "test-host")]
    subprocess.run(command, cwd=EXTENSION, check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
