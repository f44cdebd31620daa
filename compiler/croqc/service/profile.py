"""Profile the functions of a checked file on a card: where each path's time goes. Must not print; the engine measures.

A function is profiled once, for the largest of its runs. Its results are not judged: `croq run` does that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import prod

from croqc.codegen.program import Program
from croqc.codegen.writer import Line
from croqc.engines.arguments import LaunchArgs
from croqc.engines.gpu.parent import Parent
from croqc.engines.gpu.profile import CardProfile, profile_on_card
from croqc.engines.gpu.protocol import ROUNDS
from croqc.engines.gpu.run import CardOptions, CardResult
from croqc.engines.gpu.traces import BlockTrace
from croqc.engines.hang import hang_entry
from croqc.flow.analysis import CHECK_BUDGET
from croqc.flow.report import KernelFlow
from croqc.pipe import ir
from croqc.sema.model import Model
from croqc.service.check import FileReport, FunctionReport
from croqc.service.check_result import range_of
from croqc.service.flow_check import with_flow
from croqc.service.lowering import program_for
from croqc.service.profile_blocks import block_time, origin_of, places_of
from croqc.service.profile_result import BlockTime, KernelTime, ProfileEntry, RingTime
from croqc.service.profile_rings import Room, judged, rings_of
from croqc.service.run import obstacle
from croqc.service.run_card import launch_args, lines_of, refusal, told_at_its_line
from croqc.service.run_data import DataTooLargeError, make_data
from croqc.service.run_plan import CardRequest, Planned, Request, plan_runs
from croqc.text.record import record
from croqc.text.span import NOWHERE, Span


@record(eq=False)
class Profiled:
    """A function with its entry, and what a picture needs: the report with its flows, the traces, who recorded them."""

    entry: ProfileEntry
    report: FileReport
    function: FunctionReport
    traces: tuple[BlockTrace, ...] = ()
    kernels: tuple[ir.Kernel, ...] = ()


@dataclass(frozen=True, slots=True)
class ProfileRequest:
    """What was asked for beside the file; `blocks` that record, none for the first and the last."""

    request: Request
    blocks: tuple[int, ...] = ()


def profile_file(
    report: FileReport, wanted: ProfileRequest, recheck: Callable[[str], FileReport], card: Parent
) -> Iterator[Profiled]:
    """One profile a function that a run would take. Raises PlanError for a usage error."""
    largest: dict[int, Planned] = {}
    for planned in plan_runs(report, wanted.request):
        known = largest.get(planned.function.base)
        if known is None or _size(planned) > _size(known):
            largest[planned.function.base] = planned
    for planned in largest.values():
        own = report if planned.arch in (None, report.target.name) else recheck(str(planned.arch))
        yield _Profiler(with_flow(own, CHECK_BUDGET), planned, wanted, card).profiled()


def _size(planned: Planned) -> int:
    return prod(value for value in planned.sizes.values() if type(value) is int)


class _Profiler:
    def __init__(self, report: FileReport, planned: Planned, wanted: ProfileRequest, card: Parent) -> None:
        self.report, self.planned, self.wanted, self.card = report, planned, wanted, card
        self.function = report.same(planned.function)

    def profiled(self) -> Profiled:
        if (found := obstacle(self.report, self.function, self.planned)) is not None:
            return self._ended(*found)
        assert self.function.analysis is not None
        model, request = self.function.analysis.model, self.wanted.request.card or CardRequest()
        try:
            data = make_data(model, self.planned.sizes, self.planned.seed)
        except DataTooLargeError as error:
            return self._ended(str(error))
        refused = refusal(self.report, self.function, data, request, False)
        if refused is not None:
            entry = replace(self._entry(refused.message, refused.place), offer=refused.offer)
            return Profiled(entry, self.report, self.function)
        return self._measured(model, launch_args(data, self.planned.sizes), request)

    def _measured(self, model: Model, args: LaunchArgs, request: CardRequest) -> Profiled:
        values = {**args.dims, **args.scalars}
        lines: list[Line] = []

        def make(waits: bool = False, probes: bool = False) -> Program:
            program = program_for(self.report, self.function, model, values, waits, probes)
            lines[:] = lines_of(self.report, self.function, program)
            return program

        options = CardOptions(
            self.report.target.name, request.timeout, request.report, request.rounds or ROUNDS, request.cold
        )
        found = profile_on_card(
            model, make, partial(make, probes=True), args, self.card, options, self.wanted.blocks
        )  # fmt: skip
        if found.plain.hung or found.plain.error is not None:
            return self._broken(told_at_its_line(self.report, self.function, lines, found.plain))
        if found.failure is not None:
            place = found.failure.span
            return self._ended(
                found.failure.message, None if place == NOWHERE else place.shift(self.function.base), found
            )
        assert found.program is not None
        kernels = tuple(each for each in found.program.kernels if each.probes is not None)
        entry = replace(self._entry(found=found), kernels=tuple(self._kernels(model, found.blocks, kernels)))
        return Profiled(entry, self.report, self.function, found.blocks, kernels)

    # --- ends -------------------------------------------------------------------------------------

    def _broken(self, plain: CardResult) -> Profiled:
        """The run without probes hung or broke off."""
        if plain.hang:
            entries = [hang_entry(item, self.report.source, self.function.base) for item in plain.hang]
            told = (
                f"{each.path} waits in line {each.start.line + 1} for {each.event}, generation {each.generation}"
                for each in entries
            )
            return self._ended(f"the kernel hangs: {'; '.join(told)}; 'croq verify' tells who owes it")
        assert plain.error is not None
        place = plain.error.span
        return self._ended(plain.error.message, None if place == NOWHERE else place.shift(self.function.base))

    def _ended(self, message: str, place: Span | None = None, found: CardProfile | None = None) -> Profiled:
        return Profiled(self._entry(message, place, found), self.report, self.function)

    def _entry(self, message: str = "", place: Span | None = None, found: CardProfile | None = None) -> ProfileEntry:
        timing = None if found is None else found.plain.timing
        return ProfileEntry(
            self.report.source.path,
            self.function.name,
            self.planned.name,
            self.report.target.name,
            "" if timing is None else timing.card,
            dict(self.planned.sizes),
            0 if timing is None else timing.rounds,
            0.0 if timing is None else timing.median,
            0.0 if found is None else found.probed,
            (),
            message,
            None if place is None else range_of(self.report.source, place),
            () if found is None else found.plain.notes,
            None,
        )

    # --- kernels ----------------------------------------------------------------------------------

    def _kernels(
        self, model: Model, traces: Sequence[BlockTrace], kernels: Sequence[ir.Kernel]
    ) -> Iterator[KernelTime]:
        origin = origin_of(traces)
        flows = flows_of(self.report, self.function)
        for number, kernel in enumerate(kernels):
            assert kernel.probes is not None
            places = places_of(model, kernel.probes)
            own = [trace for trace in traces if trace.launch == number]
            blocks = tuple(
                block_time(trace, places, origin, self.report.source, self.function.base) for trace in own
            )  # fmt: skip
            flow = flows.get(number)
            rings = rings_of(flow, blocks)
            said = judged(rings, blocks, [self._room(ring, blocks, flow, kernel) for ring in rings])
            yield KernelTime(kernel.name, said.slow, said.ring, said.verdict, said.tries, rings, blocks)

    def _room(self, ring: RingTime, blocks: Sequence[BlockTime], flow: KernelFlow | None, kernel: ir.Kernel) -> Room:
        """What another slot takes: one of every buffer with the ring's slots that its producers copy into."""
        places = [place for block in blocks for place in block.places]
        filled = {
            place.buffer for place in places if place.op == "copy" and not place.leaves and place.path in ring.producers
        }
        buffers = () if flow is None else flow.buffers
        sizes = [item.slot_bytes for item in buffers if item.name in filled and item.slots == ring.slots]
        slot = 0 if None in sizes else sum(size or 0 for size in sizes)
        return Room(kernel.shared_bytes, self.report.target.shared_limit, slot)


def flows_of(report: FileReport, function: FunctionReport) -> Mapping[int, KernelFlow]:
    """The credit flow of each kernel of a function that was read, by its number."""
    assert function.analysis is not None
    found = (report.flows or {}).get(function.analysis)
    kernels = function.analysis.model.kernels
    return {kernels.index(flow.kernel): flow for flow in (found.kernels if found else ())}
