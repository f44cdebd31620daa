"""Accumulators that a thread has no registers for: they go to memory and back in every turn (PTX ISA, .maxnreg).

Counts those in use together, and no other registers, against the most that a thread can have: what is told of is
certain. In doubt whether two are, or whose they are, nothing is said.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

from croqc.sema import rulenames_device as rules
from croqc.sema.builder import Builder
from croqc.sema.elements import ELEMENTS
from croqc.sema.masks import Masks, members, regions
from croqc.sema.model import THREADS, MmaInfo, Symbol, Unit
from croqc.sema.roots import base_name
from croqc.sema.types import Fragment
from croqc.syntax import ast
from croqc.syntax.visit import nodes_of_kind
from croqc.targets.registers import FILE, LEAST, THREAD, share
from croqc.targets.table import Feature, Instruction
from croqc.text.record import record
from croqc.text.span import Span


@record
class _Life:
    """An accumulator from its first multiply or read to its last, loops in which it lives on included."""

    symbol: Symbol
    registers: int
    start: int
    end: int


def check_accumulator_registers(builder: Builder) -> None:
    """One warning a region, at the last of the accumulators that are too many together."""
    for node, masks in builder.masks.items():
        sizes = _sizes(builder, node)
        if not sizes:
            continue
        chains = {chain[-1]: chain for chain in regions(node)}
        lives = list(_lives(builder, node, sizes, chains))
        for region in dict.fromkeys(region for _, region in lives):
            there = [life for life, owner in lives if owner is region]
            limit = _limit(builder, masks, chains[region] if region else ())
            _tell(builder, there, limit, masks.threads)


def _sizes(builder: Builder, node: ast.Parallel) -> dict[Symbol, int]:
    """Registers of a thread that each accumulator of a kernel takes."""
    found: dict[Symbol, int] = {}
    for multiply in nodes_of_kind(node, ast.Mma):
        info, name = builder.multiplies.get(multiply), base_name(multiply.acc)
        symbol = None if name is None else builder.uses.get(name)
        if info is None or symbol is None or info.instruction is Instruction.TCGEN05:
            continue  # tcgen05 keeps them in tensor memory
        array = symbol.type.array if isinstance(symbol.type, Fragment) else ()
        found[symbol] = registers_of(info) * prod(array)
    return found


def registers_of(info: MmaInfo) -> int:
    """What the accumulator of one tile takes of each thread: 16-bit elements lie in pairs."""
    bits = ELEMENTS[info.elem_acc].bits
    return info.m * info.n // THREADS[info.unit] * bits // 32


def _lives(
    builder: Builder,
    node: ast.Parallel,
    sizes: dict[Symbol, int],
    chains: dict[ast.InThreads, tuple[ast.InThreads, ...]],
) -> Iterator[tuple[_Life, ast.InThreads | None]]:
    """Accumulators that are declared and used in one region, or outside every one."""
    fills = [fill.acc.span for fill in nodes_of_kind(node, ast.MmaFill)]
    loops = [loop.span for kind in (ast.Foreach, ast.While) for loop in nodes_of_kind(node, kind)]
    uses: dict[Symbol, list[Span]] = {}
    for name in nodes_of_kind(node, ast.Name):
        symbol = builder.uses.get(name)
        if symbol in sizes:
            uses.setdefault(symbol, []).append(name.span)
    for symbol, spans in uses.items():
        places = [_innermost(chains, span) for span in spans]
        later = [span for span in spans if not any(_within(span, fill) for fill in fills)]
        if not later or any(place is not places[0] for place in places):
            continue
        around = [loop for loop in loops if not _within(spans[0], loop)]
        whole = [*later, *(loop for loop in around for span in later if _within(span, loop))]
        ends = max(span.end for span in whole)
        yield _Life(symbol, sizes[symbol], min(span.start for span in whole), ends), places[0]


def _innermost(chains: dict[ast.InThreads, tuple[ast.InThreads, ...]], span: Span) -> ast.InThreads | None:
    around = [region for region in chains if _within(span, region.span)]
    return max(around, key=lambda region: len(chains[region]), default=None)


def _within(inner: Span, outer: Span) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end


def _limit(builder: Builder, masks: Masks, chain: Sequence[ast.InThreads]) -> int:
    """The most registers that a thread of a region can have, whatever the others keep."""
    running = None if not chain else masks.of_regions(chain)
    count = masks.threads if running is None else len(members(running))
    others = masks.threads - count
    moved = builder.context.target.has(Feature.SETMAXNREG) and others % THREADS[Unit.GROUP4] == 0
    if not count or (chain and running is None):
        return THREAD
    spare = FILE - LEAST * others if moved else FILE
    return share(spare, count if moved else masks.threads)


def _tell(builder: Builder, lives: list[_Life], limit: int, threads: int) -> None:
    for last in sorted(lives, key=lambda life: life.start):
        together = [life for life in lives if life.start <= last.start < life.end]
        total = sum(life.registers for life in together)
        if total > limit:
            names = tuple(life.symbol.name or "" for life in together)
            span = max((life.symbol.name_span for life in together), key=lambda span: span.start)
            builder.report(
                rules.ACCUMULATOR_REGISTERS, span, names=names, registers=total, limit=limit, threads=threads
            )
            return
