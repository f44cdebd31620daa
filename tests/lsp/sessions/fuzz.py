"""Many sessions against real servers, over several processes; resumable. `make fuzz-lsp` runs it.

Seed n always means the same session, of the same client. A server process serves a chunk of sessions one after the
other, as that of an editor serves documents; after a fault it is replaced. Each fault is printed with its seed and what
is left of the session when steps are taken out that it does not need. `--seed N` plays one session in its own server.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path

from tests.chunks import counted, reported, told
from tests.lsp.sessions.draw import Client, Session, draw_client, draw_session
from tests.lsp.sessions.play import FaultError, Player
from tests.lsp.sessions.wire import COMMAND, GoneError, Wire

CHUNK = 100  # sessions a server process serves
ATTEMPTS = 60
MINIMISING = 20.0  # seconds of patience while steps are taken out
Fault = tuple[int, str, tuple[str, ...]]


def session_of(seed: int) -> Session:
    """All sessions of a chunk have the same client."""
    return draw_session(seed, draw_client(seed // CHUNK))


def started(client: Client, command: Sequence[str] = COMMAND) -> Player:
    wire = Wire(client, command)
    wire.start()
    return Player(wire)


def fault_of(session: Session, command: Sequence[str] = COMMAND, patience: float | None = None) -> str:
    """What goes wrong in a session that has a server of its own; empty if nothing does."""
    player = started(session.client, command)
    player.patience = patience or player.patience
    try:
        player.play(session)
        return ending(player)
    except FaultError as error:
        return str(error)
    finally:
        player.wire.kill()


def ending(player: Player) -> str:
    """What is wrong with how the server ends; empty if nothing is."""
    try:
        status = player.wire.end()
    except GoneError as error:
        return str(error)
    return "" if status == 0 else f"the server ended with status {status} after 'shutdown' and 'exit'"


def minimised(session: Session, command: Sequence[str] = COMMAND) -> tuple[Session, str]:
    """The session without steps that its fault does not need, and the fault; empty if it does not come again."""
    fault = fault_of(session, command, MINIMISING)
    if not fault:
        return session, ""
    attempts, size = ATTEMPTS, len(session.steps) // 2
    while size and attempts > 0:
        at = 0
        while at < len(session.steps) and attempts > 0:
            attempts -= 1
            left = replace(session, steps=session.steps[:at] + session.steps[at + size :])
            found = fault_of(left, command, MINIMISING) if _is_whole(left) else ""
            if kind_of(found) == kind_of(fault):
                session, fault = left, found
            else:
                at += size
        size //= 2
    return session, fault


def kind_of(fault: str) -> str:
    """What two faults have in common that are the same: their first line, but for numbers."""
    return re.sub(r"\d+", "#", fault.partition("\n")[0])


def _is_whole(session: Session) -> bool:
    """Whether each request that a step is about is still in the session."""
    asked = {step.number for step in session.steps if step.kind == "ask"}
    return all(
        (step.kind != "cancel" or step.number in asked) and (step.after is None or step.after in asked)
        for step in session.steps
    )


def run_chunk(chunk: int, sessions: int = CHUNK) -> tuple[int, dict[str, int], list[Fault]]:
    """Counts of what was sent, and the faults: seed, what happened, the steps that lead to it. `sessions`: only the
    first ones of the chunk."""
    player = started(draw_client(chunk))
    counts: Counter[str] = Counter()
    faults: list[Fault] = []
    for seed in range(chunk * CHUNK, chunk * CHUNK + sessions):
        session = session_of(seed)
        counts["sessions"] += 1
        try:
            player.play(session)
        except FaultError as error:
            counts += player.counts
            player.wire.kill()
            small, fault = minimised(session)
            steps = tuple(str(step) for step in small.steps) if fault else ("not alone: play its chunk",)
            faults.append((seed, fault or str(error), steps))
            player = started(draw_client(chunk))
    counts += player.counts
    if wrong := ending(player):
        faults.append((chunk * CHUNK, wrong, ("at the end of its chunk",)))
    counts["faults"] += len(faults)
    return chunk, dict(counts), faults


def run(sessions: int, jobs: int, state: Path, found_in: Path | None) -> Counter[str]:
    """Plays what the state file does not have yet. Returns the counts of all chunks."""

    def on_chunk(faults: list[Fault], done: int, rate: float) -> None:
        texts = ((f"{seed:06}.txt", "\n".join((f"seed {seed}: {says}", *steps, ""))) for seed, says, steps in faults)
        told(texts, found_in)
        print(f"{done * CHUNK} sessions, {rate * CHUNK:.1f} a second", flush=True)

    with get_context("spawn").Pool(jobs) as pool:
        return counted(pool, -(-sessions // CHUNK), run_chunk, state, on_chunk)


def table(total: Counter[str]) -> str:
    """The counts as Markdown."""
    faults = f"**{total['faults']}**" if total["faults"] else "none"
    kinds = sorted(name for name in total if "/" in name)
    requests = sum(total[name] for name in kinds)
    lines = [
        f"{total['sessions']:,} sessions, {total['steps']:,} steps, {requests:,} requests; faults: {faults}.",
        "",
        "| request | sent |",
        "|---|---:|",
    ]
    return "\n".join([*lines, *(f"| `{name}` | {total[name]:,} |" for name in kinds)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", type=int, default=100_000)
    parser.add_argument("--jobs", type=int, default=None)
    parser.add_argument("--state", type=Path, default=Path("build/fuzz-lsp.jsonl"))
    parser.add_argument("--found", type=Path, default=Path("build/fuzz-lsp"), help="folder of faults")
    parser.add_argument("--write", type=Path, help="document whose table is renewed")
    parser.add_argument("--seed", type=int, help="play this session alone, in a server of its own")
    options = parser.parse_args()
    if options.seed is not None:
        small, fault = minimised(session_of(options.seed))
        print("\n".join((fault or "no fault", *(str(step) for step in small.steps if fault))))
        return
    text = table(run(options.sessions, options.jobs, options.state, options.found))
    reported(text, options.write, "sessions")


if __name__ == "__main__":
    main()
