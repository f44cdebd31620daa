"""One function on the card twice: plain, for its time and to see that it runs, and with probes. Must not judge times.

Whatever goes wrong stands in the result. The folder of a run goes with it.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

from croqc.codegen.program import Program
from croqc.engines.arguments import LaunchArgs
from croqc.engines.gpu.faults import Kind, Trouble, kind_of_os, trouble_of
from croqc.engines.gpu.job import make_job
from croqc.engines.gpu.parent import Parent
from croqc.engines.gpu.protocol import Job, probes_file
from croqc.engines.gpu.run import CardFailure, CardOptions, CardResult, Lower, lowered, run_on_card
from croqc.engines.gpu.traces import BlockTrace, NoBlockError, TraceError, traces_of, with_probes
from croqc.sema.model import Model


@dataclass(frozen=True, slots=True)
class CardProfile:
    """`plain`: the run without probes; nothing else is there where it did not end well, or `failure` says what went
    wrong then. `probed`: seconds of a round with probes in every block. `program`: what recorded."""

    plain: CardResult
    probed: float = 0.0
    program: Program | None = None
    blocks: tuple[BlockTrace, ...] = ()
    failure: CardFailure | None = None


def profile_on_card(
    model: Model,
    lower: Lower,
    lower_probed: Callable[[], Program],
    args: LaunchArgs,
    parent: Parent,
    options: CardOptions,
    blocks: Sequence[int] = (),
) -> CardProfile:
    """`lower` as for `run_on_card`; `lower_probed` makes the program with probes. `blocks`: those that record, the
    first and the last where none are named. Never raises for what program, child or card do."""
    plain = run_on_card(model, lower, args, parent, options)
    if plain.error is not None or plain.hung:
        return CardProfile(plain)
    program = lowered(model, lower_probed)
    if isinstance(program, CardFailure):
        return CardProfile(plain, failure=program)
    try:
        with tempfile.TemporaryDirectory(prefix="croq-gpu-") as data:
            return _recorded(plain, program, args, parent, options, blocks, Path(data))
    except NoBlockError as error:
        return CardProfile(plain, failure=CardFailure(str(error), unsupported=False))
    except TraceError as error:
        return CardProfile(plain, failure=CardFailure(f"the records of the probes are of no use: {error}"))
    except OSError as error:
        return CardProfile(plain, failure=CardFailure(trouble_of(kind_of_os(error), str(error)).line))
    except MemoryError:
        return CardProfile(plain, failure=CardFailure("the host has too little memory for this run"))


def _recorded(
    plain: CardResult,
    program: Program,
    args: LaunchArgs,
    parent: Parent,
    options: CardOptions,
    blocks: Sequence[int],
    folder: Path,
) -> CardProfile:
    """The run with probes. Raises OSError, NoBlockError, TraceError."""
    job = make_job(program, args.arrays, folder, options.arch, options.repeat)
    job = with_probes(replace(job, cold=options.cold), program, blocks)
    outcome = parent.run(job, options.timeout, options.cancelled)
    if isinstance(outcome, Trouble):
        words = "with probes " if outcome.kind in (Kind.HANGS, Kind.CRASHED) else ""
        return CardProfile(plain, failure=CardFailure(words + outcome.line))
    found = tuple(_traces(job, program, folder))
    return CardProfile(plain, median(outcome.times) if outcome.times else 0.0, program, found)


def _traces(job: Job, program: Program, folder: Path) -> list[BlockTrace]:
    """What the first launch of each kernel left."""
    found: list[BlockTrace] = []
    kernels = {kernel.name: number for number, kernel in enumerate(program.kernels)}
    for number, launch in enumerate(job.launches):
        own = kernels.pop(launch.kernel, None)
        probes = None if own is None else program.kernels[own].probes
        if own is None or probes is None or not launch.probe_paths:
            continue
        try:
            data = (folder / probes_file(number)).read_bytes()
        except FileNotFoundError:
            raise TraceError("they did not come back") from None
        found += traces_of(data, own, probes, launch.probe_blocks)
    return found
