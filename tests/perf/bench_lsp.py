"""The language server over stdio, beside Ruff's and basedpyright's on Python files of equal length (`make bench-lsp`).

Prints a Markdown table: what a person waits for, at the median and in 95 of 100 cases, all in one run, and beside it
the processor time of all processes of a server, which other work on the machine changes less. The packages are compiled
to bytecode first, as an installation does it. Judges nothing.
"""

from __future__ import annotations

import argparse
import compileall
import os
import re
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import croqc
import croqls
from tests.lsp.bare import COMMAND, Server
from tests.lsp.processes import seconds
from tests.perf.kernels import fifty_lines, two_hundred_lines

PUBLISH = "textDocument/publishDiagnostics"
PYTHON = (
    '''
def total_{n}(rows: list[list[int]], weights: dict[str, int], limit: int) -> dict[str, int]:
    """Adds up what the rows hold, up to a limit."""
    found: dict[str, int] = {{}}
    names = sorted(weights)
    for number, row in enumerate(rows):
        if len(row) < len(names):
            raise ValueError(f"row {{number}} is too short: {{len(row)}}")
'''
    + "".join(
        f"""        part_{k} = sum(value * weights[name] for name, value in zip(names, row) if value > {k})
        if part_{k} > limit:
            found[f"{{names[0]}} {k}"] = part_{k} - limit
        elif part_{k} < 0:
            continue
"""
        for k in range(8)
    )
    .replace("{", "{{")
    .replace("}", "}}")
    + "    return found\n\n"
)
EVERYWHERE = "IN_EVERY_FUNCTION"
LARGE = """// croq: run
// croq: expect y == x + 1
__co__ void long_run(global s32 [64] x, global s32 [64] y) {
  parallel b by 1000000 : block
  parallel p by 64 : thread
    y.at(p) = x.at(p) + 1;
}
"""


def kernels(lines: int) -> str:
    """A file of about so many lines, in functions of about fifty."""
    text = fifty_lines()
    head, body = text[: text.index("__co__")], text[text.index("__co__") :]
    directives = re.compile(r"^// croq:.*\n", re.M)
    name = body.split("(")[0].split()[-1]
    size = body.count("\n")
    parts = [body.replace(f" {name}(", f" {name}_{n}(") for n in range(max(1, round(lines / size)))]
    return directives.sub("", head) + "".join(directives.sub("", part) for part in parts)


def defined(text: str) -> str:
    """With a macro in the first line that every function uses."""
    used = re.sub(r"(__co__[^{]*\{)", rf"\1 used_ = {EVERYWHERE};", text)
    return f"#define {EVERYWHERE} 1\n{used}"


def python(lines: int) -> str:
    size = PYTHON.format(n=0).count("\n")
    return "".join(PYTHON.format(n=n) for n in range(max(1, round(lines / size))))


class Measured:
    """A server with one document, and the times of what it is asked. `mark` is what an edit follows: a blank is put
    behind it, one more each time."""

    def __init__(self, command: Sequence[str], name: str, text: str, mark: str, folder: Path, language: str) -> None:
        self.path = folder / name
        self.path.write_text(text, encoding="utf-8")
        self.uri = self.path.as_uri()
        self.text, self.version = text, 1
        at = text.index(mark, len(text) // 2) + len(mark)
        self.line = text.count("\n", 0, at)
        self.column = at - (text.rfind("\n", 0, at) + 1)
        start = time.perf_counter()
        self.server = Server(command, cwd=folder)
        self.server.respond["workspace/configuration"] = lambda asked: [None for _ in asked["items"]]
        self.server.start({}, None, [{"uri": folder.as_uri(), "name": "bench"}])
        document = {"uri": self.uri, "languageId": language, "version": 1, "text": text}
        self.server.send("textDocument/didOpen", params={"textDocument": document})
        self.server.until(PUBLISH, lambda one: one["uri"] == self.uri)
        self.started = time.perf_counter() - start

    def place(self) -> dict[str, Any]:
        return {"textDocument": {"uri": self.uri}, "position": {"line": self.line, "character": self.column - 1}}

    def edit(self, lists: int) -> list[float]:
        """Seconds from an edit to each of the lists that follow."""
        self.version += 1
        self.server.heard.clear()
        place = {"line": self.line, "character": self.column}
        change = {"range": {"start": place, "end": place}, "text": " "}
        params = {"textDocument": {"uri": self.uri, "version": self.version}, "contentChanges": [change]}
        start = time.perf_counter()
        self.server.send("textDocument/didChange", params=params)
        seen: list[float] = []
        while len(seen) < lists:
            message = self.server.read()
            shown = message.get("params") or {}
            about = message.get("method") == PUBLISH and shown["uri"] == self.uri
            if about and shown.get("version", self.version) == self.version:  # one server names no version
                seen.append(time.perf_counter() - start)
        return seen

    def define(self) -> None:
        """Change the first line, which gives a macro that every function uses another value."""
        self.version += 1
        place = {"start": {"line": 0, "character": 0}, "end": {"line": 1, "character": 0}}
        change = {"range": place, "text": f"#define {EVERYWHERE} {self.version}\n"}
        params = {"textDocument": {"uri": self.uri, "version": self.version}, "contentChanges": [change]}
        self.server.heard.clear()
        self.server.send("textDocument/didChange", params=params)

    def until_listed(self) -> None:
        """Wait for the list of a version that `define` has made."""
        if self.version > 1:
            self.server.until(PUBLISH, lambda one: one["uri"] == self.uri and one["version"] == self.version)

    def ask(self, method: str, more: dict[str, Any] | None = None) -> float:
        start = time.perf_counter()
        self.server.ask(method, self.place() | (more or {}))
        return time.perf_counter() - start

    def processor(self) -> float:
        """Seconds of processor time of all processes so far."""
        return sum(seconds(pid) for pid in (self.server.process.pid, *self.server.children()))

    def resident(self) -> int:
        """Kilobytes of all processes."""
        return sum(kilobytes(pid) for pid in (self.server.process.pid, *self.server.children()))

    def end(self) -> None:
        self.server.process.kill()
        self.server.process.wait()


def kilobytes(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))


# --- the table -----------------------------------------------------------------------------------


def share(times: Sequence[float], part: float) -> float:
    return sorted(times)[min(len(times) - 1, int(len(times) * part))]


def shown(times: Sequence[float]) -> str:
    """Median and p95 in milliseconds."""
    return f"{1e3 * share(times, 0.5):.3g} / {1e3 * share(times, 0.95):.3g}"


class Table:
    """Rows: what, goal, then a cell a server."""

    def __init__(self, servers: Sequence[str]) -> None:
        self.servers = tuple(servers)
        self.rows: list[tuple[str, ...]] = []

    def add(self, what: str, goal: str, cells: dict[str, str]) -> None:
        self.rows.append((what, goal, *(cells.get(name, "") for name in self.servers)))
        print(f"{what}: {cells}", file=sys.stderr, flush=True)

    def text(self) -> str:
        head = ("p50 / p95 in ms", "goal p95", *self.servers)
        lines = [f"| {' | '.join(row)} |" for row in (head, *self.rows)]
        return "\n".join([lines[0], "|" + "---|" * len(head), *lines[1:]])


@contextmanager
def servers(
    folder: Path, lines: int, rivals: dict[str, Sequence[str]], one: bool = False
) -> Iterator[dict[str, Measured]]:
    """Ours and those of others, each with a file of that length. `one`: a single function."""
    text = two_hundred_lines() if one else defined(kernels(lines)) if lines == 20_000 else kernels(lines)
    found = {"Croqtile": Measured(COMMAND, f"k{lines}.co", text, "wait full", folder, "croqtile")}
    for name, command in rivals.items():
        found[name] = Measured(command, f"{name.lower()}{lines}.py", python(lines), "if len(row) <", folder, "python")
    try:
        yield found
    finally:
        for server in found.values():
            server.end()


def edits(table: Table, folder: Path, rivals: dict[str, Sequence[str]], rounds: int) -> None:
    goals = ((200, False, "15", "60"), (1800, False, "40", "250"), (200, True, "35", "60"))
    for lines, one, first, second in goals:
        what = f"{lines:,} lines" + (", one function" if one else "")
        with servers(folder, lines, {} if one else rivals, one) as known:
            times: dict[str, list[list[float]]] = {}
            work: dict[str, float] = {}
            for name, server in known.items():
                lists = 2 if name == "Croqtile" else 1
                server.edit(lists)
                before = server.processor()
                times[name] = [server.edit(lists) for _ in range(rounds)]
                work[name] = (server.processor() - before) / rounds
            table.add(f"{what}: edit → diagnostics", first, {n: shown([t[0] for t in ts]) for n, ts in times.items()})
            ours = times["Croqtile"]
            table.add(f"{what}: edit → credit-flow verdict", second, {"Croqtile": shown([t[1] for t in ours])})
            table.add(f"{what}: processor time an edit", "", {n: f"{1e3 * t:.3g}" for n, t in work.items()})


REQUESTS = ("hover", "completion", "signatureHelp")


def requests(table: Table, folder: Path, rivals: dict[str, Sequence[str]], rounds: int) -> None:
    """Also while the simulator runs and code is compiled. Ruff's server knows none but hover, of its comments."""
    for lines, goal in ((200, "10"), (1800, "25")):
        with servers(folder, lines, {name: one for name, one in rivals.items() if name != "Ruff"}) as known:
            for method in REQUESTS:
                cells = {}
                for name, server in known.items():
                    server.ask(f"textDocument/{method}")
                    cells[name] = shown([server.ask(f"textDocument/{method}") for _ in range(rounds)])
                table.add(f"{lines:,} lines: {method}", goal, cells)
            ours = known["Croqtile"]
            ours.server.open("untitled:long.co", LARGE)
            ours.server.ask("croqtile/run", {"textDocument": {"uri": "untitled:long.co"}, "engine": "sim"})
            ours.server.until("croqtile/runProgress")
            for method in REQUESTS:
                number = 10_000 + len(table.rows)
                ours.server.send(
                    "croqtile/generated", number, params={"textDocument": {"uri": ours.uri}, "form": "ptx"}
                )
                times = [ours.ask(f"textDocument/{method}") for _ in range(rounds)]
                table.add(f"{lines:,} lines: {method}, run and compile under way", goal, {"Croqtile": shown(times)})


def starts(table: Table, folder: Path, rivals: dict[str, Sequence[str]], rounds: int) -> None:
    times: dict[str, list[float]] = {}
    for _ in range(rounds):
        with servers(folder, 200, rivals) as known:
            for name, server in known.items():
                times.setdefault(name, []).append(server.started)
    table.add("start → first diagnostics, 200 lines", "500", {name: shown(found) for name, found in times.items()})


def memory(table: Table, folder: Path, count: int) -> None:
    with servers(folder, 200, {}) as known:
        server = known["Croqtile"]
        held = []
        for _ in range(2):
            for _ in range(count // 2 // 20):
                for _ in range(20):
                    server.edit(0)
                server.edit(2)
            held.append(server.resident())
        cell = f"{held[0] / 1024:.0f} MiB, then {held[1] / 1024:.0f} MiB ({held[1] / held[0] - 1:+.1%})"
        table.add(f"memory of all processes after {count // 2:,} and {count:,} edits", "+10 %", {"Croqtile": cell})


WHOLE: dict[str, dict[str, Any]] = {
    "documentSymbol": {},
    "semanticTokens/full": {},
    "foldingRange": {},
    "codeLens": {},
    "formatting": {"options": {"tabSize": 2, "insertSpaces": True}},
    "definition": {},
    "references": {"context": {"includeDeclaration": True}},
    "documentHighlight": {},
    "prepareCallHierarchy": {},
    "prepareRename": {},
    "hover": {},
    "completion": {},
    "signatureHelp": {},
}


def twenty_thousand(table: Table, folder: Path, rounds: int, far: int) -> None:
    """The slowest request of all, also right behind an edit that concerns every function, and an edit. `far`: rounds
    behind such an edit, each of which waits until all is read again: seconds."""
    with servers(folder, 20_000, {}) as known:
        server = known["Croqtile"]
        span = {"start": {"line": server.line - 20, "character": 0}, "end": {"line": server.line + 20, "character": 0}}
        more = WHOLE | {"inlayHint": {"range": span}, "codeAction": {"range": span, "context": {"diagnostics": []}}}
        more |= {"selectionRange": {"positions": [span["start"]]}, "semanticTokens/range": {"range": span}}
        phases: tuple[tuple[str, Callable[[], None], int], ...] = (
            ("", lambda: None, rounds),
            (" behind an edit of a `#define`", server.define, far),
        )
        for when, first, count in phases:
            found: dict[str, list[float]] = {}
            for method, params in more.items():
                found[method] = []
                for _ in range(count):
                    first()
                    found[method].append(server.ask(f"textDocument/{method}", params))
                    server.until_listed()
                print(method, when, shown(found[method]), file=sys.stderr)
            slowest = max(found, key=lambda one: share(found[one], 0.95))
            what = f"20,000 lines: the slowest of {len(found)} requests{when} ({slowest})"
            table.add(what, "500", {"Croqtile": shown(found[slowest])})
        times = [server.edit(2) for _ in range(rounds)]
        table.add("20,000 lines: edit → diagnostics", "500", {"Croqtile": shown([one[0] for one in times])})


PARTS = ("edits", "requests", "starts", "memory", "long")


def main() -> None:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--edits", type=int, default=10_000, help="for the memory")
    parser.add_argument("--only", choices=PARTS, nargs="+", default=PARTS, help="parts of the table")
    parser.add_argument("--bin", type=Path, default=Path(sys.executable).parent, help="folder of the other servers")
    options = parser.parse_args()
    for package in (croqc, croqls):
        compileall.compile_dir(Path(str(package.__file__)).parent, quiet=1)
    known = {"Ruff": ("ruff", "server"), "basedpyright": ("basedpyright-langserver", "--stdio")}
    rivals = {name: (str(options.bin / words[0]), *words[1:]) for name, words in known.items()}
    table = Table(("Croqtile", *rivals))
    count = options.rounds
    steps: dict[str, Callable[[Path], None]] = {
        "edits": lambda folder: edits(table, folder, rivals, count),
        "requests": lambda folder: requests(table, folder, rivals, count),
        "starts": lambda folder: starts(table, folder, rivals, max(3, count // 6)),
        "memory": lambda folder: memory(table, folder, options.edits),
        "long": lambda folder: twenty_thousand(table, folder, max(3, count // 4), max(3, count // 20)),
    }
    with tempfile.TemporaryDirectory() as folder:
        try:
            for name in options.only:
                steps[name](Path(folder))
        finally:
            print(table.text())  # also what there is of it when it is broken off
    print(f"\nLoad of the machine at the end (1, 5, 15 minutes; {os.cpu_count()} cores): {os.getloadavg()}")


if __name__ == "__main__":
    main()
