"""The report of a run as text. Must not decide verdicts."""

from __future__ import annotations

from math import prod

from croqc.cli.render import wants_colour
from croqc.runs.report import Ceiling, ExpectationResult, HangEntry, Timing, Verdict
from croqc.service.run import RunReport

_COLOURS = {Verdict.VERIFIED: "\x1b[1;32m", Verdict.CONSISTENT: "\x1b[1;32m", Verdict.NOT_RUN: "\x1b[1;33m"}
_RED, _YELLOW, _RESET = "\x1b[1;31m", "\x1b[1;33m", "\x1b[0m"


def _number(value: float | int) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _expectation(item: ExpectationResult) -> list[str]:
    mark = "ok  " if item.ok else "FAIL"
    lines = [f"  {mark} {item.text}"]
    if item.ok:
        exact = item.rtol == item.atol == 0
        how = "equal" if exact else f"max error {item.norms.max_abs:.3g}, rtol {item.rtol:.3g}, atol {item.atol:.3g}"
        lines[0] += f"  ({item.total} elements, {how})"
        return lines
    if item.worst is not None and repr(item.worst.got) == repr(item.worst.want):
        index = ", ".join(map(str, item.worst.index))
        return [
            *lines,
            f"       {item.differing} of {item.total} still hold what they started with, the first at [{index}]",
        ]
    where = ""
    if item.within is not None and item.differing > 1 and prod(end - start for start, end in item.within) < item.total:
        where = f", all in [{', '.join(f'{start}:{end}' for start, end in item.within)}]"
    lines.append(
        f"       {item.differing} of {item.total} elements differ{where} (rtol {item.rtol:.3g}, atol {item.atol:.3g})"
    )
    if item.worst is not None:
        index = ", ".join(map(str, item.worst.index))
        got, want = _number(item.worst.got), _number(item.worst.want)
        if got == want and not item.ok:  # digits that tell any two values of f32 apart
            got, want = f"{item.worst.got:.9g}", f"{item.worst.want:.9g}"
        lines.append(f"       worst at [{index}]: got {got}, expected {want}")
    lines.append(f"       max error {item.norms.max_abs:.6g}, relative 2-norm of the error {item.norms.rel_l2:.3g}")
    return lines


def _hang(item: HangEntry) -> str:
    slot = item.index if item.index.count("[") > 1 else "" if item.slot is None else f", slot {item.slot}"
    where = f"line {item.start.line + 1}"
    return (
        f"  {item.path} stands at {where}: waits for {item.event}{slot}, generation {item.generation};"
        f" owed by {item.owed_by}"
    )


def _timing(item: Timing) -> str:
    """Time of the kernels, with what they did in it as far as it is known."""
    text = f"{item.median * 1e6:.1f} us on {item.card} (median of {item.rounds}, best {item.best * 1e6:.1f} us)"
    if item.operations:
        text += f", {item.tflops:.1f} TFLOP/s (executed multiplies)"
    return text + f", {item.gigabytes:.0f} GB/s (each array once)"


def _shares(item: Timing, most: Ceiling) -> str:
    """What that is of the most that the card was measured to reach."""
    parts = []
    if item.operations and most.tflops:
        parts.append(
            f"{_percent(item.tflops, most.tflops)} of this card's {most.tflops:.0f} TFLOP/s (cuBLAS 8192^3, f16)"
        )
    if item.bytes and most.gigabytes:
        parts.append(f"{_percent(item.gigabytes, most.gigabytes)} of this card's {most.gigabytes:.0f} GB/s (its copy)")
    return f"{', '.join(parts)}, measured {most.measured}" if parts else ""


def _percent(part: float, whole: float) -> str:
    share = 100 * part / whole
    return f"{share:.0f} %" if share >= 1 else "less than 1 %"


def _chosen(report: RunReport) -> str:
    """Which of the sizes were chosen, for no run line gives them."""
    return "sizes chosen" if len(report.chosen) == len(report.result.sizes) else f"chosen: {', '.join(report.chosen)}"


def report_lines(report: RunReport, colour: bool = False) -> list[str]:
    """The report of one run, line by line."""
    result = report.result
    sizes = " ".join(f"{name}={_number(value)}" for name, value in result.sizes)
    title = f"{report.path}: {report.function}" + (f" '{report.name}'" if report.name else "")
    tint = _COLOURS.get(result.verdict, _RED) if colour else ""
    verdict = f"{tint}{result.verdict.value}{_RESET if colour else ''}"
    where = "".join(f" {part}" for part in (sizes,) if part)
    schedule = f", schedule {result.schedule}" if result.schedule else ""
    took = f"{result.time:.2f} s" if result.engine == "sim" else f"compiled in {result.compile_time:.2f} s"
    chosen = f", {_chosen(report)}" if report.chosen else ""
    lines = [
        f"{title}{where}: {verdict} ({result.engine}, {result.arch}, seed {result.seed}{schedule}, {took}{chosen})"
    ]
    if report.warning:
        lines.append(f"  {_YELLOW if colour else ''}warning:{_RESET if colour else ''} {report.warning}")
    if result.timing is not None:
        lines.append(f"  {_timing(result.timing)}")
        shares = _shares(result.timing, result.timing.ceiling) if result.timing.ceiling else ""
        lines += [f"  {shares}"] if shares else []
    if report.message:
        place = ""
        if report.place is not None:
            place = f"{report.path}:{report.place[0].line + 1}:{report.place[0].column + 1}: "
        lines.append(f"  {place}{report.message}")
    if report.offer == "force":
        lines.append("  --force runs it all the same")
    for item in result.expectations:
        lines += _expectation(item)
    lines += [_hang(item) for item in result.hang]
    lines += [f"  note: {text}" for text in report.notes if text != report.warning]
    lines += [f"  | {text}" for printed in report.prints for text in printed.splitlines()]
    return lines


def print_report(report: RunReport) -> None:
    """Print one report on standard output."""
    print("\n".join(report_lines(report, wants_colour())), flush=True)
