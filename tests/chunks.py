"""Many cases in chunks over several processes, with a state file: a run that was broken off goes on where it was.

Must not know what the cases are.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from multiprocessing.pool import Pool
from pathlib import Path
from typing import TypeVar

from tests.truth.document import write_section

Found = TypeVar("Found", bound=Sequence[object])


def counted(
    pool: Pool,
    chunks: int,
    run_chunk: Callable[[int], tuple[int, dict[str, int], list[Found]]],
    state: Path,
    on_chunk: Callable[[list[Found], int, float], None],
) -> Counter[str]:
    """Runs the chunks that the state file does not have yet; the counts of all.

    `on_chunk`: what a chunk has found, how many are done in all, how many a second were done now.
    """
    done = _read(state)
    todo = [chunk for chunk in range(chunks) if chunk not in done]
    state.parent.mkdir(parents=True, exist_ok=True)
    start = time.monotonic()
    with state.open("a", encoding="utf-8") as log:
        for number, (chunk, counts, found) in enumerate(pool.imap_unordered(run_chunk, todo), 1):
            done[chunk] = counts
            log.write(json.dumps({"chunk": chunk, "counts": counts}) + "\n")
            log.flush()
            on_chunk(found, len(done), number / (time.monotonic() - start))
    total: Counter[str] = Counter()
    for chunk in range(chunks):
        total.update(done[chunk])
    return total


def _read(state: Path) -> dict[int, dict[str, int]]:
    if not state.exists():
        return {}
    rows = (json.loads(line) for line in state.read_text(encoding="utf-8").splitlines())
    return {row["chunk"]: row["counts"] for row in rows}


def told(texts: Iterable[tuple[str, str]], folder: Path | None) -> None:
    """Prints what was found, and keeps it in files of these names."""
    for name, text in texts:
        print(text, flush=True)
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8", errors="backslashreplace")


def reported(text: str, document: Path | None, section: str) -> None:
    """Prints a table, and renews it in a document."""
    print(text)
    if document is not None:
        write_section(document, section, text)
