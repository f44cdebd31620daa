"""Which parameters a kernel reads and writes, and which therefore start poisoned."""

from __future__ import annotations

import pytest

from croqc.runs.usage import poisoned, usage_of
from croqc.service.check import check_text

HEADER = "__co__ void f(global s32 [64, 64] a, global s32 [64, 64] b, global s32 [64] k) {\n"


def sets(body: str) -> tuple[set[str], set[str], set[str]]:
    report = check_text(HEADER + "  parallel p by 1 : block {\n" + body + "\n  }\n}\n")
    assert [item.message for item in report.diagnostics if item.severity.value == "error"] == []
    analysis = report.functions[0].analysis
    assert analysis is not None
    names = {"a", "b", "k"}
    usage = usage_of(analysis.model)
    return (
        {item.name for item in usage.read} & names,
        {item.name for item in usage.written} & names,
        {item.name for item in poisoned(analysis.model)},
    )


@pytest.mark.parametrize(
    ("body", "read", "written", "poisons"),
    [
        ("parallel t by 64 : thread b.at(t, 0) = a.at(t, 0);", {"a"}, {"b"}, {"b"}),
        ("parallel t by 64 : thread b.at(t, 0) += a.at(t, 0);", {"a", "b"}, {"b"}, set()),
        ("parallel t by 64 : thread b.at(t, 0) = b.at(t, 1);", {"b"}, {"b"}, set()),
        ("s = dma.copy a => shared; dma.copy s => b;", {"a"}, {"b"}, {"b"}),
        (
            "w = b.subspan(8, 64).at(p, 0); s = dma.copy a.subspan(8, 64).at(p, 0) => shared; dma.copy s => w;",
            {"a"},
            {"b"},
            {"b"},
        ),
        ("w = b.subspan(8, 64).at(p, 0); s = dma.copy w => shared; dma.copy s => w;", {"b"}, {"b"}, set()),
        ("parallel t by 64 : thread __atomic_add(k.at(t), 1);", {"k"}, {"k"}, set()),
        ("parallel t by 64 : thread __atomic_max(k.at(t), a.at(t, 0));", {"a", "k"}, {"k"}, set()),
        ("parallel t by 64 : thread b.at(t, 0) = __max(a.at(t, 0), 0);", {"a"}, {"b"}, {"b"}),
        ('parallel t by 64 : thread __cpp__("b[t] = a[t];");', {"a", "b"}, {"a", "b"}, set()),
    ],
)
def test_reads_and_writes(body: str, read: set[str], written: set[str], poisons: set[str]) -> None:
    assert sets(body) == (read, written, poisons)
