"""`croqtile/tests`: the kernels with an expectation, of a document or of the whole workspace (docs/protocol.md)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from croqc.service.check_result import Place, Range
from croqc.service.files import FileError, read_text
from croqc.service.json_text import to_data
from croqc.text.source import Source
from croqls.ide.kernel_tests import KernelTest, kernel_tests, kernel_tests_in
from croqls.ide.snapshot import Snapshot
from croqls.lsp.asking import params_of, uri_of
from croqls.lsp.documents import key_of, path_of
from croqls.lsp.reading import read
from croqls.lsp.requests.entry import Entry
from croqls.lsp.server import CroqtileServer

METHOD = "croqtile/tests"
Tests = tuple[str, Source, tuple[KernelTest, ...]]


async def find_tests(server: CroqtileServer, params: Any) -> dict[str, Any]:
    """An open document counts as it is now, a file as it is on the disk; of the workspace, files with tests alone."""
    given = params_of(params)
    if given.get("textDocument") is None:
        folders = [path for folder in server.workspace.folders.values() if (path := path_of(folder.uri)) is not None]
        opened = server.documents.all()
        found = [await _open(snapshot) for snapshot in opened]
        known = frozenset(key_of(snapshot.uri) for snapshot in opened)
        found += await asyncio.to_thread(lambda: list(_on_disk(server, folders, known)))
        return _answer([one for one in found if one[2]])
    uri = uri_of(given)
    snapshot, path = server.documents.get(uri), path_of(uri)
    if snapshot is not None:
        return _answer([await _open(snapshot)])
    return _answer([await asyncio.to_thread(_read, uri, path)])


async def _open(snapshot: Snapshot) -> Tests:
    report = await read(snapshot)
    return snapshot.uri, report.source, kernel_tests(report.tree, report.directives)


def _on_disk(server: CroqtileServer, folders: list[Path], known: frozenset[str]) -> Iterator[Tests]:
    for path in server.symbols.files(folders):
        if key_of(path.as_uri()) not in known:
            yield _read(path.as_uri(), path)


def _read(uri: str, path: Path | None) -> Tests:
    """A file that cannot be read has no tests."""
    try:
        text = "" if path is None else read_text(path)
    except FileError:
        text = ""
    return uri, Source(text), kernel_tests_in(text)


def _answer(files: list[Tests]) -> dict[str, Any]:
    return {
        "version": 1,
        "files": [{"uri": uri, "tests": [_entry(source, test) for test in tests]} for uri, source, tests in files],
    }


def _entry(source: Source, test: KernelTest) -> dict[str, Any]:
    start, end = source.position(test.span.start), source.position(test.span.end)
    place = Range(Place(start.line, start.column), Place(end.line, end.column))
    return {
        "function": test.function,
        "overload": test.overload,
        "runLine": test.run_line,
        "label": test.label,
        "range": to_data(place),
        "sizes": to_data(test.sizes),
        "expects": list(test.expects),
    }


ENTRIES = (Entry(METHOD, find_tests),)
