"""Register tiles in C++: where the headers' functions put elements, against the layouts of the reference (6.5)."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from croqc.codegen.unit import header
from croqc.service.check import check_file, check_text
from croqc.service.settings import Settings
from croqc.text.diagnostics import Severity
from tests.codegen.compiling import complaints, log_of, lowered
from tests.pipe.test_fragments import GROUP4

KERNELS = sorted((Path(__file__).parents[1] / "gpu" / "kernels").glob("*.co"))
QUADS = [[4 * g + t for t in range(4)] for g in range(8)]


def value(name: str, thread: int, number: int, columns: int = 0) -> int:
    """What a function of the header with one expression gives for a thread."""
    match = re.search(rf"int {name}\(int (\w)\) {{\s*return ([^;]*);\s*}}", header("fragment"))
    assert match is not None, name
    text = match.group(2).replace("/", "//").replace("threadIdx.x", "thread")
    return int(eval(text, {"thread": thread, match.group(1): number, "Columns": columns}))


@pytest.mark.parametrize("n", [8, 64, 256])
def test_an_accumulator_of_a_warpgroup(n: int) -> None:
    seen = Counter[tuple[int, int]]()
    for w in range(128):
        q, lane = divmod(w, 32)
        for r in range(64 * n // 128):
            place = 16 * q + lane // 4 + 8 * (r // 2 % 2), 8 * (r // 4) + 2 * (lane % 4) + r % 2
            assert (value("fragment_row", w, r), value("fragment_column", w, r)) == place
            seen[place] += 1
    assert seen == Counter((row, column) for row in range(64) for column in range(n))


@pytest.mark.parametrize(("m", "n"), [(16, 8), (16, 16), (32, 8), (16, 64)])
def test_an_accumulator_of_a_warp(m: int, n: int) -> None:
    """Blocks of 16 x 8 side by side, then 16 rows further; so does each warp of a block with a tile of its own."""
    seen = Counter[tuple[int, int]]()
    for lane in range(32):
        for r in range(m * n // 32):
            block, c = divmod(r, 4)
            row = block // (n // 8) * 16 + lane // 4 + c // 2 * 8
            column = block % (n // 8) * 8 + 2 * (lane % 4) + c % 2
            for thread in (lane, 32 + lane):
                assert (value("warp_row", thread, r, n), value("warp_column", thread, r, n)) == (row, column)
            seen[row, column] += 1
    assert seen == Counter((row, column) for row in range(m) for column in range(n))


def test_vectors_lie_with_the_elements_of_tiles() -> None:
    for w in range(128):
        rows = {value("fragment_row", w, r) for r in range(32)}
        assert [value("row_of", w, k) for k in range(2)] == sorted(rows)
        columns = {value("fragment_column", w, r) for r in range(32)}
        assert [value("column_of", w, k) for k in range(16)] == sorted(columns)
        warp_rows = {value("warp_row", w, r, 8) for r in range(16)}
        assert [value("warp_row_of", w, k) for k in range(8)] == sorted(warp_rows)


@pytest.mark.parametrize("quad", QUADS)
def test_a_quad_holds_whole_rows_between_its_threads(quad: list[int]) -> None:
    """What `quad_sum` and `quad_max` take together: lanes whose numbers differ in the two lowest bits."""
    assert {lane ^ bits for lane in quad[:1] for bits in range(4)} == set(quad)
    whole = Counter(
        (value("fragment_row", lane, r), value("fragment_column", lane, r)) for lane in quad for r in range(32)
    )
    assert whole == Counter((row, column) for row in (quad[0] // 4, quad[0] // 4 + 8) for column in range(64))


def test_a_reduction_sums_each_row_once_emulated_lane_by_lane() -> None:
    """The loop over a thread's elements and the two shuffles, as the text has them."""
    tile = [[row * 100 + column * column for column in range(64)] for row in range(64)]
    text = code("reduce_sum(v, c, 1);")
    assert re.search(r"for \(int r = 0; r < 32; \+\+r\) part\[r / 2 % 2\] \+= c\[r\];", text)
    assert "v[i] = quad_sum(part[i]);" in text
    assert [int(bits) for bits in re.findall(r"__shfl_xor_sync\(0xffffffff, value, (\d)\)", text)[:2]] == [1, 2]
    part = [[0, 0] for _ in range(128)]
    for w in range(128):
        for r in range(32):
            part[w][r // 2 % 2] += tile[value("fragment_row", w, r)][value("fragment_column", w, r)]
    for step in (1, 2):
        part = [[a + b for a, b in zip(part[w], part[w ^ step], strict=True)] for w in range(128)]
    for w in range(128):
        assert part[w] == [sum(tile[value("row_of", w, k)]) for k in range(2)]


def code(body: str, arch: str = "sm_90a") -> str:
    report = check_text(GROUP4.format(body=body), Settings(arch=arch))
    item = lowered(report, report.functions[0])
    assert item.program is not None, item.problem
    return item.program.unit.text


def test_places_are_declared_where_the_body_uses_them() -> None:
    text = code("apply {i, j} in c.span { c.at(i, j) = c.at(i, j) + j; }")
    assert "const int j = fragment_column(r);" in text
    assert "const int i = " not in text
    assert "c[r] = c[r] + float(j);" in text


def test_sixteen_bit_elements_lie_in_pairs() -> None:
    text = code("frag f16 [64, 64] h {1.5f}; copy(h, c); apply {i, j} in h.span { out.at(i, j) = h.at(i, j); }")
    assert "u32 h[16];  // 64 x 64 f16" in text
    assert "for (auto& d : h) d = bits_of(f16(1.5f)) * 0x10001u;" in text
    assert "put_half(h, r, f16(c[r]));" in text
    assert "= float(half_of<f16>(h, r_2));" in text


@pytest.mark.parametrize("arch", ["sm_90a", "sm_100a"])
def test_tensor_memory_comes_into_registers_and_goes_back(arch: str) -> None:
    text = code("c *= 2.0f; mma.row.row c, a_s, a_s;", arch)
    words = re.findall(r"tensor_(?:load|store)_all\(|tcgen05_mma_f16\(|wgmma_m\w+\(", text.partition('extern "C"')[2])
    if arch == "sm_90a":
        assert all(word.startswith("wgmma") for word in words)
        return
    loads = [index for index, word in enumerate(words) if word == "tensor_load_all("]
    (store,) = (index for index, word in enumerate(words) if word == "tensor_store_all(")
    assert loads[0] < store < loads[1] == len(words) - 1
    assert words[store + 1] == "tcgen05_mma_f16("


@pytest.mark.slow
@pytest.mark.parametrize("arch", ["sm_90a", "sm_80", "sm_100a"])
@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.stem)
def test_every_kernel_of_the_visit_compiles_or_says_why_not(path: Path, arch: str) -> None:
    report = check_file(path, Settings(arch=arch))
    errors = [each.code for each in report.diagnostics if each.severity is Severity.ERROR]
    if errors:  # what the target's table does not have
        assert (set(errors), path.stem, arch) in KNOWN
        return
    for function in report.functions:
        item = lowered(report, function)
        if item.program is None:
            assert item.problem is not None
            assert any(reason in item.problem.message for reason in REASONS[arch]), item.problem.message
            continue
        log = log_of(item.program.unit.text, arch)
        assert complaints(log) == []
        assert "0 bytes stack frame" in log


KNOWN = [
    ({"no-such-multiply"}, "warp_f64_16", "sm_80"),
    ({"no-such-multiply"}, "warp_f8", "sm_80"),
    ({"warpgroup-multiply"}, "sparse_f8", "sm_80"),
    ({"tma-limit"}, "tma_futures", "sm_80"),
]
REASONS = {
    "sm_90a": (),
    "sm_80": (),
    "sm_100a": ("tcgen05 reads both operands from shared memory", "take their metadata from tensor memory"),
}
