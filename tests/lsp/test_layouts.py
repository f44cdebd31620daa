"""The lens tells what a kernel takes of shared memory, once the document is at rest; nothing waits for that."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from croqls.ide.lenses import Laid
from croqls.ide.snapshot import Snapshot
from croqls.lsp import layouts
from croqls.lsp.documents import Documents
from croqls.lsp.layouts import LayoutFinder
from croqls.lsp.worker_process import WorkerProcess
from croqls.workers.orders import Order, Outcome
from tests.lsp.bare import Server

GEMM = (Path(__file__).parents[2] / "examples" / "gemm_f16.co").read_text(encoding="utf-8")
URI = "untitled:k.co"
DOCUMENT = {"textDocument": {"uri": URI}}
REFRESH = {"workspace": {"codeLens": {"refreshSupport": True}}}
TWO = "__co__ void f(global s32 [8] x) {{ parallel p by {0} : thread x.at(p) = 1; }}\n__co__ void g() {{ {1} }}\n"


def memory(server: Server) -> str:
    found = server.ask("textDocument/codeLens", DOCUMENT)
    return next(one["command"]["title"] for one in found if one["command"]["command"] == "croqtile.showSharedMemory")


def test_the_lens_tells_all_that_a_kernel_takes(server: Server) -> None:
    server.start(REFRESH)
    server.open(URI, GEMM)
    assert memory(server).startswith("buffers 192.1/227 KiB · ")
    server.until("workspace/codeLens/refresh")
    assert memory(server).startswith("shared 224.1/227 KiB · ")
    (kernel,) = server.ask("croqtile/sharedMemory", DOCUMENT)["kernels"]
    assert kernel["bytes"] == 229440
    server.edit(URI, 2, f"// above it\n{GEMM}")
    assert memory(server).startswith("shared 224.1/227 KiB · ")


def test_a_hover_tells_how_a_copy_is_made_once_the_document_is_at_rest(server: Server) -> None:
    """Whether or not the client asks for lenses; nothing waits for it, and an edit above keeps it."""
    server.start(REFRESH)
    server.open(URI, GEMM)

    def told(above: int = 0) -> str:
        line = GEMM[: GEMM.index("tma.copy.swiz<128> lhs")].count("\n") + above
        said: str = server.ask("textDocument/hover", DOCUMENT | {"position": {"line": line, "character": 14}})[
            "contents"
        ]
        return said["value"] if isinstance(said, dict) else said

    first = told()
    assert "16,384 bytes, global → shared" in first and "Made " not in first
    server.until("workspace/codeLens/refresh")
    assert "Made by TMA." in told()
    server.edit(URI, 2, f"// above it\n{GEMM}")
    assert "Made by TMA." in told(1)


class Worker(WorkerProcess):
    """Keeps what it is asked, and says a kibibyte of each function."""

    def __init__(self) -> None:
        super().__init__("none", grace=0.0)
        self.asked: list[list[int]] = []
        self.fails = False

    async def ask(self, order: Order, on_news: Any = None) -> Outcome:
        numbers = order.options["functions"]
        self.asked.append(numbers)
        return Outcome(failed="no") if self.fails else Outcome([{"bytes": 1024, "copies": []}] * len(numbers))


def opened(text: str, monkeypatch: pytest.MonkeyPatch) -> tuple[Documents, Worker, LayoutFinder, list[str]]:
    monkeypatch.setattr(layouts, "_REST", 0.05)
    documents, worker, told = Documents(), Worker(), list[str]()
    finder = LayoutFinder(documents, worker)
    finder.on_found = lambda: told.append("found")
    documents.open(URI, 1, text)
    return documents, worker, finder, told


def present(documents: Documents) -> Snapshot:
    """The newest version, read, as an edit leaves it."""
    snapshot = documents.get(URI)
    assert snapshot is not None and snapshot.report
    return snapshot


async def until_idle(finder: LayoutFinder) -> None:
    while finder._tasks:
        await next(iter(finder._tasks.values()))


async def test_nothing_is_worked_out_while_somebody_types(monkeypatch: pytest.MonkeyPatch) -> None:
    """And behind that only what the last edit has changed."""
    documents, worker, finder, told = opened(TWO.format(8, ""), monkeypatch)
    assert finder.of(present(documents)) == {}
    for version in range(2, 6):
        documents.open(URI, version, TWO.format(version, ""))
        assert finder.of(present(documents)) == {}
    await until_idle(finder)
    assert (worker.asked, told) == ([[0]], ["found"])  # `g` has no kernel
    assert list(finder.of(present(documents)).values()) == [Laid(1024, {})]
    documents.open(URI, 6, TWO.format(5, "parallel p by 2 : thread {}"))
    finder.of(present(documents))
    await until_idle(finder)
    assert worker.asked == [[0], [1]]
    assert list(finder.of(present(documents)).values()) == [Laid(1024, {}), Laid(1024, {})]
    assert len(told) == 2


async def test_what_cannot_be_found_is_not_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    documents, worker, finder, _ = opened(TWO.format(8, ""), monkeypatch)
    worker.fails = True
    for _ in range(3):
        finder.of(present(documents))
        await until_idle(finder)
    assert worker.asked == [[0]]


async def test_a_few_functions_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "".join(f"__co__ void f{n}() {{ parallel p by 2 : thread {{}} }}\n" for n in range(20))
    documents, worker, finder, told = opened(text, monkeypatch)
    finder.of(present(documents))
    await until_idle(finder)
    assert [len(numbers) for numbers in worker.asked] == [8, 8, 4]
    assert told == ["found"]


async def test_a_closed_document_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    documents, worker, finder, told = opened(TWO.format(8, ""), monkeypatch)
    finder.of(present(documents))
    documents.close(URI)
    await until_idle(finder)
    assert (worker.asked, told) == ([], [])
