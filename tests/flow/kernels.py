"""Kernels for tests of paths and arrivals, and how to look at the outcome by names."""

from __future__ import annotations

from pathlib import Path as File

from croqc.flow.arrivals import arrival_counts
from croqc.flow.paths import Path, kernel_paths
from croqc.sema.analyze import analyze
from croqc.sema.model import Context, Model
from croqc.syntax.parser import parse_file
from croqc.targets import TARGETS

DATA = File(__file__).parent.parent / "data"
DEFINES = {"MATMUL_WARP_M": "64", "MATMUL_WARP_N": "64", "MATMUL_TILE_K": "128", "MATMUL_WARP_K": "16"}
HEAD = "__co__ void f(global f16 [M, K] src, global f16 [M, K] dst, int n) {\n"


def model_of(text: str, defines: dict[str, str] | None = None) -> Model:
    """The model of the last function of a text without syntax errors."""
    tree = parse_file(text, defines or {}, None)
    assert [item.message for item in tree.findings] == []
    function = tree.functions[-1].tree
    assert function is not None
    return analyze(function, Context(TARGETS["sm_90a"])).model


def seed(name: str) -> Model:
    return model_of((DATA / f"seed_{name}.co").read_text(encoding="utf-8"), DEFINES | {"MATMUL_STAGES": "2"})


def body(text: str) -> Model:
    """A body of a block of `parallel b by 8 : block`, with a ring of two slots of 16x64."""
    ring = "shared f16 [16, 64] buf[2]; shared event full[2], empty[2], done;"
    return model_of(f"{HEAD} parallel b by 8 : block {{ {ring}\n{text}\n}} }}")


def paths(model: Model) -> tuple[Path, ...]:
    return kernel_paths(model, model.kernels[-1])


def named(model: Model) -> dict[str, range]:
    return {path.name: path.threads for path in paths(model)}


def counts(model: Model) -> dict[str, int]:
    """A of each slot: `full[0]`, and `done` for an event that is no array."""
    found = arrival_counts(model, paths(model))
    single = {event for event, _ in found if sum(other is event for other, _ in found) == 1}
    return {event.name if event in single else f"{event.name}[{slot}]": count for (event, slot), count in found.items()}
