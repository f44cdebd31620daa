"""Follows a run for the client: progress, `croqtile/runProgress`, `croqtile/runResult`, marks where it hangs, lenses.

Must not run anything itself (see `runs`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from lsprotocol import types as lsp

from croqc.text.source import Encoding, Position
from croqc.text.span import Span
from croqls.lsp.asking import UNTRUSTED, Options, RequestFailedError, document_of, token_of, uri_of
from croqls.lsp.convert import range_of
from croqls.lsp.documents import key_of, path_of
from croqls.lsp.orders import order_of
from croqls.lsp.progress import Token, progress
from croqls.lsp.publish import push_again
from croqls.lsp.refresh import refresh_lenses
from croqls.lsp.runs import Past, Run, entries
from croqls.workers.orders import News

if TYPE_CHECKING:
    from croqls.lsp.server import CroqtileServer

PROGRESS = "croqtile/runProgress"
RESULT = "croqtile/runResult"
SOURCE = "croqtile run"
_OF_BEFORE = "this was run in an earlier session, of which verdict and figures are kept; run it again for the rest"


def started(server: CroqtileServer, given: Mapping[str, Any], task: str, options: Options) -> tuple[Run, bool]:
    """A run of the document in the parameters of a request, or the one that is under way. Raises JsonRpcInvalidParams,
    and RequestFailedError in an untrusted workspace."""
    uri, snapshot, token = uri_of(given), document_of(server, given), token_of(given)
    if not server.may_run(uri):
        raise RequestFailedError(UNTRUSTED)
    snapshot = snapshot.addressed(uri, server.documents.version_of(uri, snapshot))
    run, new = server.runs.start(snapshot, order_of(snapshot, task, options), partial(_follow, server, token))
    if new and server.hangs.pop(key_of(snapshot.uri), None) is not None:
        push_again(server, snapshot.uri)
    return run, new


async def finished(run: Run) -> None:
    """Waits for the end of a run; who cancels this does not end the run."""
    if run.task is not None:
        await asyncio.wait([run.task])


async def _follow(server: CroqtileServer, token: Token | None, run: Run) -> None:
    words = {"run": "Run", "verify": "Verify", "profile": "Profile"}[run.order.task]
    title = f"{words} {run.order.options.get('entry') or run.snapshot.path.replace(chr(92), '/').rpartition('/')[2]}"

    def tell(news: News) -> None:
        server.protocol.notify(
            PROGRESS,
            {"id": run.id, "uri": run.snapshot.uri, "message": news.message, "done": news.done, "total": news.total},
        )

    def follow(news: News) -> None:
        tell(news)
        shown(news)

    def cancel() -> None:
        server.runs.cancel(run.id)

    try:
        async with progress(server, title, token, cancel) as shown:
            await server.runs.perform(run, follow)
    except asyncio.CancelledError:
        pass  # the run's end; whoever asked for it has an answer already
    finally:
        server.runs.over(run)
        server.protocol.notify(RESULT, result_of(run))
        _mark(server, run)
        refresh_lenses(server)


def result_of(run: Run) -> dict[str, Any]:
    """What is told of a run that ended."""
    of, said = run.snapshot, {"message": run.message, "offer": _offer(run), "result": run.data}
    return _told(run.id, of.uri, of.version, run.order.task, run.state) | said


def result_of_kept(uri: str, kept: Sequence[Past]) -> dict[str, Any]:
    """The same of a run by an earlier server, as far as it is kept."""
    lists: dict[str, Any] = {name: [] for name in ("expectations", "hang", "prints")}
    lost = {**lists, "message": "", "range": None, "offer": None, "notes": [_OF_BEFORE]}
    runs = [{"path": str(path_of(uri) or uri), **lost, **past.run} for past in kept]
    return _told(0, uri, 0, "run", "done") | {"result": {"version": 1, "runs": runs}}


def _told(number: int, uri: str, version: int, task: str, state: str) -> dict[str, Any]:
    about = {"version": 1, "id": number, "uri": uri, "documentVersion": version, "task": task}
    return {**about, "state": state, "message": "", "offer": None, "result": None}


def _offer(run: Run) -> str | None:
    """The way on where a run was refused: the engine that would do, or the doctor where no other would; `force` where
    the verdict on its credit flow keeps one from the card."""
    kept = (*entries(run.data), *run.data.get("profiles", ())) if run.state == "done" else ()
    if any(one["offer"] == "force" for one in kept):
        return "force"
    if run.state != "refused":
        return None
    if run.order.options.get("engine") == "gpu" and run.order.task != "profile":
        return "sim"
    return "doctor" if run.no_card else None


# --- marks where a run hangs -------------------------------------------------------------------


def _mark(server: CroqtileServer, run: Run) -> None:
    found = [] if run.data is None else [mark for one in entries(run.data) for mark in _marks(server, run, one)]
    marks = [mark for number, mark in enumerate(found) if mark not in found[:number]]  # runs stand at the same places
    if marks and server.documents.get(run.snapshot.uri) is not None:
        server.hangs[key_of(run.snapshot.uri)] = run.snapshot.text, marks
        push_again(server, run.snapshot.uri)


def _marks(server: CroqtileServer, run: Run, entry: Mapping[str, Any]) -> Iterator[lsp.Diagnostic]:
    source = run.snapshot.source
    for path in entry["hang"]:
        start, end = (source.offset(Position(at["line"], at["character"]), Encoding.UTF16) for at in _ends(path))
        yield lsp.Diagnostic(
            range=range_of(source, Span(start, end), server.documents.encoding),
            severity=lsp.DiagnosticSeverity.Error,
            source=SOURCE,
            message=f"the run stood here: {path['text']}",
        )


def _ends(path: Mapping[str, Any]) -> tuple[Mapping[str, int], Mapping[str, int]]:
    return path["range"]["start"], path["range"]["end"]
