"""What each pass promises, broken by hand: a kernel a rule, and what the verifier says of it."""

from __future__ import annotations

import pytest

from croqc.pipe import ir
from croqc.pipe.errors import InvalidIrError
from croqc.pipe.exprs import Held, Lit, Read, Var, whole
from croqc.pipe.pipeline import PASSES
from croqc.pipe.promises.table import PROMISES
from croqc.pipe.verify import verify
from croqc.sema.model import Unit
from croqc.text.record import replace
from croqc.text.span import NOWHERE
from tests.pipe import kernels
from tests.pipe.kernels import (
    ACC,
    DST,
    FULL,
    OTHER,
    SRC,
    TILE,
    arrive,
    box,
    held,
    kernel,
    load,
    multiply,
    role,
    shared,
    slot,
    store,
    visit,
)

TMA, CP_ASYNC, VECTOR = ir.Mechanism.TMA, ir.Mechanism.CP_ASYNC, ir.Mechanism.VECTOR
TCGEN05 = ir.Instruction.TCGEN05
FENCE = ir.Fence(NOWHERE, ir.Fencing.WGMMA)
LEAVE = ir.Jump(NOWHERE, "break")
OUT = replace(ACC, name="out")
WAIT = ir.Wait(NOWHERE, slot())
LAUNCHES = ir.AwaitLaunches(NOWHERE)
MEMORY = ir.TensorMemory(0, 2, 128, 64, (("acc", 0),))
MAP = ir.TensorMap(SRC, (64, 64), 0)


def put(**more: object) -> ir.StoreTile:
    return replace(ir.StoreTile(NOWHERE, ACC, Lit(0), box(DST)), **more)


def placed(*offsets: int, **more: object) -> ir.Kernel:
    """Both tensors of 8192 bytes at these places, the barriers behind them."""
    items = tuple(replace(shared(tensor), offset=at) for tensor, at in zip((TILE, OTHER), offsets, strict=True))
    return replace(kernel(), **{"shared": items, "barriers_at": 16384, "shared_bytes": 16400, **more})


def in_tensor_memory(*body: ir.Stmt, **more: object) -> ir.Kernel:
    return replace(kernel(*body), **{"accumulators": (ACC,), "tensor_memory": MEMORY, **more})


def swizzled(**more: object) -> ir.Kernel:
    return replace(kernel(), shared=(replace(shared(TILE, 128, 1024), **more),))


def taking(*counts: int) -> ir.Kernel:
    """Roles of a warpgroup each that take registers."""
    return kernel(*(replace(role(path=f"path w == {at}"), registers=count) for at, count in enumerate(counts)))


def with_tiles(tile: ir.Accumulator, *body: ir.Stmt) -> ir.Kernel:
    return replace(kernel(*body), accumulators=(*dict.fromkeys((ACC, tile)),))


def again(*body: ir.Stmt) -> ir.Loop:
    return ir.Loop(NOWHERE, "k", Lit(0), Var("K"), Lit(1), body)


def set_element(element: Held) -> ir.Put:
    return ir.Put(NOWHERE, element, Lit(1.0, "f32"))


ROWS = replace(kernels.VECTOR, spread=ir.Spread.ROWS)
RAGGED = box(DST, valid=(None, Var("K")))
LANDS = load(mechanism=CP_ASYNC, vector=16, completes=slot())
MULTICAST = load(mechanism=TMA, multicast=True, completes=slot())
STORED = store(mechanism=TMA, boxes=(ir.Box(0, (0, 0)),))
READS = ir.Write(NOWHERE, whole(TILE), (Lit(0), Lit(0)), Read(box(DST), (Lit(0), Lit(0))))
BREAKS: dict[str, dict[str, ir.Kernel]] = {
    "cover": {
        "the store into dst may overhang": kernel(put(dest=box(DST, valid=(Var("M"), None)))),
        "dst may overhang and tests nothing": kernel(put(dest=RAGGED, row_limits=(Var("M"),))),
    },
    "roles": {
        "path w == 0 has two roles at the top": kernel(role(), role()),
        "path w == 0 has more threads than the block": kernel(replace(role(), groups=(0, 1, 2))),
    },
    "mechanism": {
        "the copy into tile has no mechanism": kernel(load()),
        "TMA does not copy into tile from there": kernel(load(source=whole(OTHER), mechanism=TMA)),
        "cp.async cannot copy 2 bytes": kernel(load(mechanism=CP_ASYNC, vector=2)),
        "cp.async cannot copy 16 bytes": kernel(store(mechanism=CP_ASYNC, vector=16)),
        "cp.async does not rearrange": kernel(load(mechanism=CP_ASYNC, vector=16, form=ir.Form.TRANSPOSE)),
        "the copy into tile has accesses of 0 bytes": kernel(load(mechanism=VECTOR)),
    },
    "fold": {
        "nothing says when the copy into tile has landed": kernel(load(mechanism=TMA)),
        "loads complete on full, and no arrival": kernel(load(mechanism=TMA, completes=slot()), arrive()),
        "arrivals on full expect bytes that no load brings": kernel(arrive(bytes=8192)),
    },
    "mirror": {
        "some arrivals on full come from all blocks, others from one": kernel(
            MULTICAST, arrive(cluster=True), arrive(bytes=8192)
        ),
        "nobody expects the bytes on full that other blocks send": kernel(MULTICAST, arrive()),
    },
    "publish": {
        "an arrival on full still waits for f": kernel(arrive(after=("f",))),
        "some arrivals on full count threads": kernel(
            arrive(by_threads=True), arrive(), events=(replace(FULL, arrivals=(128, 128)),)
        ),
        "full does not count the 128 threads": kernel(arrive(by_threads=True)),
        "no thread tells full of its part of tile": kernel(LANDS, arrive()),
    },
    "groups": {
        "a wait for f leaves 1 groups in flight, and may leave 0": kernel(
            load(Unit.BLOCK, mechanism=CP_ASYNC, vector=16, is_async=True, handle="f"),
            ir.Await(NOWHERE, ("f",), Unit.BLOCK, keep=1),
        ),
    },
    "layout": {
        "tile has a swizzle of 16 bytes": swizzled(swizzle=16),
        "tile cannot be swizzled by 128 bytes": swizzled(alignment=512),
        "the copy into tile has no tensor map": kernel(load(mechanism=TMA)),
        "the copy into tile has another tensor's map": replace(
            kernel(load(mechanism=TMA, boxes=(ir.Box(0, (0, 0)),))), maps=(replace(MAP, tensor=DST),)
        ),
        "the boxes of the copy into tile are not its tile": replace(
            kernel(load(mechanism=TMA, boxes=(ir.Box(0, (0, 0)),))), maps=(replace(MAP, box=(64, 32)),)
        ),
        "map 0 has a box of (64,)": replace(kernel(), maps=(replace(MAP, box=(64,)),)),
        "map 0 has a box of (512, 1)": replace(kernel(), maps=(replace(MAP, box=(512, 1)),)),
    },
    "scopes": {
        "an arrival on full orders nothing in its own block": kernel(arrive(signals=True)),
    },
    "epilogue": {
        "stmatrix cannot write dst": kernel(put(by_matrix=True, columns=64)),
        "acc has no 64 columns from 16 on": replace(
            kernel(put(by_matrix=True, dest=whole(TILE), first=16, columns=64)), shared=(shared(TILE, 128, 1024),)
        ),
    },
    "scales": {
        "nothing has placed what scales acc": kernel(ir.Scale(NOWHERE, ACC, Lit(0), ("i", "j"), "r")),
    },
    "completion": {
        "a wait for multiplies may still come later": kernel(multiply(), ir.Commit(NOWHERE, movable=True)),
    },
    "rows": {
        "e says nothing of 4 steps of 16": kernel(FENCE, multiply(steps=4, metadata="e")),
        "3 steps of 16 are not K = 64": kernel(FENCE, multiply(steps=3)),
        "no fence stands in front of the multiply into acc": kernel(multiply(steps=4)),
        "no fence stands in front": kernel(FENCE, multiply(steps=4), ir.Commit(NOWHERE), multiply(steps=4)),
    },
    "fragments": {
        "nothing says where the elements of rows lie": with_tiles(kernels.VECTOR),
        "nothing says which element of acc is the thread's own": with_tiles(ACC, visit(set_element(held()))),
        "several elements of acc write one of rows": with_tiles(
            ROWS, visit(set_element(held(ROWS, Var("i"), register=Var("r"))))
        ),
        "a reduction of rows into acc, which does not lie along rows": with_tiles(
            ACC, ir.Reduce(NOWHERE, "sum", ACC, Lit(0), ACC, Lit(0))
        ),
    },
    "overwrite": {
        "nothing is in acc, and every multiply adds": kernel(ir.Declare(NOWHERE, ACC), multiply()),
        "tcgen05 into acc cannot overwrite": kernel(multiply(adds=Lit(True, "bool"), instruction=TCGEN05)),
    },
    "commits": {
        "a group of multiplies ends that never began": kernel(ir.Commit(NOWHERE)),
        "acc is taken while multiplies into it may run": kernel(multiply(), put()),
        "acc is taken while": kernel(multiply(), ir.Commit(NOWHERE, 1), put()),
        "acc is taken": kernel(again(multiply(), ir.If(NOWHERE, Var("K"), (LEAVE,)), ir.Commit(NOWHERE)), put()),
        "acc is": with_tiles(ACC, again(visit(set_element(held())), multiply())),
        "acc": kernel(multiply(), multiply(acc=OUT, a_registers="acc")),
    },
    "inflight": {"leaves 1 groups in flight": kernel(ir.Commit(NOWHERE, 1, closes=False))},
    "tensor_memory": {
        "accumulators of tcgen05 have no tensor memory": kernel(multiply(instruction=TCGEN05)),
        "acc lies outside the 64 columns": in_tensor_memory(
            multiply(instruction=TCGEN05), tensor_memory=replace(MEMORY, offsets=(("acc", 8),))),
        "2 parts of 64 columns do not fit into 64": in_tensor_memory(tensor_memory=replace(MEMORY, columns=64)),
        "a Commit of registers is left": in_tensor_memory(ir.Commit(NOWHERE)),
        "a Fill of registers is left": in_tensor_memory(ir.Fill(NOWHERE, ACC, Lit(0), Lit(0.0, "f32"), True)),
        "acc is taken from registers that nothing loads": in_tensor_memory(put()),
        "acc is taken from registers": in_tensor_memory(visit(set_element(held(register=Var("r"))))),
    },
    "phases": {
        "a wait for full has no phase": kernel(WAIT),
        "a wait for full tests p, which is another's": replace(kernel(replace(WAIT, phase="p")), phases=(("p", "e"),)),
        "full has more slots than a word has bits": replace(
            kernel(replace(WAIT, phase="p"), events=(replace(FULL, slots=65, arrivals=(1,) * 65),)),
            phases=(("p", "full"),),
        ),
    },
    "elect": {
        "a Copy needs more": kernel(replace(role(load()), elected=True)),
        "a Multiply needs more": kernel(replace(role(multiply()), elected=True)),
    },
    "registers": {
        "cannot have 100 registers a thread": taking(100),
        "cannot have 264 registers a thread": taking(264),
        "cannot have 40 registers a thread": kernel(replace(role(unit=Unit.GROUP), registers=40)),
        "the roles take 68608": kernel(replace(role(), registers=256, groups=(0, 1)), replace(role(), registers=24)),
    },
    "barriers": {
        "nobody meets in front of an arrival on full": kernel(arrive(Unit.THREAD, meets=True)),
        "threads that a Arrive tells of may not have passed": kernel(role(WAIT, arrive())),
        "nothing waits until a store by TMA has read its source": kernel(STORED),
    },
    "stored": {
        "dst may be used again before it is written": kernel(STORED, ir.StoresRead(NOWHERE, Unit.GROUP4), READS),
    },
    "memory": {
        "tile lies at 8, its alignment is 16": placed(8, 8208),
        "tile lies at -1, its alignment is 16": placed(-1, 8192),
        "tile and other share bytes and are in use together": placed(0, 4096),
        "the barriers lie at 8192, tensors end at 16384": placed(0, 8192, barriers_at=8192),
        "16400 bytes are used and 16384 asked for": placed(0, 8192, shared_bytes=16384),
        "the address of tensor memory lies at -1": placed(0, 8192, tensor_memory=MEMORY),
    },
    "unread": {
        "nothing reads 'a'": kernel(ir.Let(NOWHERE, "a", "s32", Lit(3))),
        "nothing reads 'w'": kernel(),
    },
    "arguments": {
        "'dst' is restricted, and the kernel writes it": replace(
            kernel(store(mechanism=VECTOR, vector=16)), pointers=(ir.Pointer("dst", True),)
        ),
        "threads touch 'src', whose address the kernel does not take": kernel(load(mechanism=VECTOR, vector=16)),
    },
    "dependents": {
        "something stands in front of the wait for the launches in front": kernel(multiply(), LAUNCHES),
        "something stands in front of the wait": kernel(role(LAUNCHES)),
        "something stands in front": kernel(LAUNCHES, LAUNCHES),
    },
}  # fmt: skip


@pytest.mark.parametrize(("name", "problem"), [(name, problem) for name, cases in BREAKS.items() for problem in cases])
def test_each_promise(name: str, problem: str) -> None:
    broken = BREAKS[name][problem]
    verify(broken)  # before the pass nothing is promised
    with pytest.raises(InvalidIrError) as error:
        verify(replace(broken, passed=(name,)))
    assert str(error.value).startswith(f"k after {name}: ")
    assert problem in str(error.value)


def test_every_pass_promises_something() -> None:
    assert list(PROMISES) == list(BREAKS) == [name for name, _ in PASSES]
