"""`croq profile` as a person types it, with a fake child that hands back hand-made records, or without a card."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from croqc.engines.gpu import parent as parents
from croqc.engines.installed import install
from croqc.pipe import ir
from croqc.service import machine
from croqc.service.check import check_text
from croqc.service.lowering import program_for
from tests.cli.conftest import Croq
from tests.cli.seeds import BOOTSTRAP, EXAMPLES, PIPELINE
from tests.cli.test_protocol import validate
from tests.codegen.test_probes import probed
from tests.engines.children import command
from tests.engines.probe_bytes import Lane, Ring, file_of

ADD = (EXAMPLES / "add.co").read_text(encoding="utf-8")
LARGE = {"M": 512, "N": 512, "K": 512}
Records = Callable[..., None]


def probes_of(text: str) -> ir.Probes:
    found = probed(check_text(text), sizes=LARGE).kernels[0].probes
    assert found is not None
    return found


COURSE = probes_of(PIPELINE)


@pytest.fixture
def child(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., None]:
    """Chooses the child that stands in for the card's, on a machine with a driver."""
    monkeypatch.setattr(machine, "has_driver", lambda: True)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "runtime"))

    def choose(manner: str, *words: object) -> None:
        monkeypatch.setattr(parents, "child_command", lambda cache: command(manner, *words))

    return choose


@pytest.fixture
def records(child: Callable[..., None], tmp_path: Path) -> Records:
    """A child whose kernel takes 100 us, 108 with probes, and leaves these lanes; also the kernel's file."""

    def choose(lanes: Sequence[Lane], text: str = PIPELINE) -> None:
        (tmp_path / "left").write_bytes(file_of(lanes))
        (tmp_path / "k.co").write_text(text, encoding="utf-8")
        child("profile", 100e-6, 108e-6, tmp_path / "left")

    return choose


def ring(block: int, **times: int) -> list[Lane]:
    return Ring(COURSE, **{"stages": 2, "turns": 4, "issue": 50, "flight": 800, "work": 300, **times}).lanes(block)


# Two blocks in which nothing is known but one wait of each path.
BARE = [
    Lane([(1_010, 1_020, 1, 0, 0), (1_030, 1_060, 1, 1, 1)], 1_000, 2_000, 9_000, 10_000, 0, 3),
    Lane([(1_000, 1_300, 6, 0, 0)], 1_000, 1_900, 9_000, 9_900, 0, 3),
    Lane([(7_000, 7_700, 1, 0, 5)], 7_000, 8_000, 9_500, 10_500, 63, 4),
    Lane([(7_000, 7_100, 6, 1, 9)], 7_000, 8_000, 9_500, 10_500, 63, 4, 2),
]


def test_what_the_compiler_says_of_the_files_own_code_is_told_at_its_line(
    croq: Croq, child: Callable[..., None], tmp_path: Path
) -> None:
    text = f"__device__ int bad() {{ return nowhere; }}\n{PIPELINE}"
    (tmp_path / "k.co").write_text(text, encoding="utf-8")
    report = check_text(text)
    function = report.functions[0]
    assert function.analysis is not None
    unit = program_for(report, function, function.analysis.model, LARGE).unit
    number = next(at for at, line in enumerate(unit.lines, 1) if "nowhere" in line.text)
    child("fails", "compiler", f'kernel.cu({number}): error: identifier "nowhere" is undefined')
    outcome = croq("profile", str(tmp_path / "k.co"))
    assert outcome.status == 1
    assert 'line 1: the C++ compiler does not take this: identifier "nowhere" is undefined' in outcome.out + outcome.err


def test_the_report(croq: Croq, records: Records) -> None:
    """Waits of the loader: 10, 10, 1,055, 260, 805, 260, 805, 260; of the consumer: 870, 10 and three times 555, 10."""
    records([*ring(0, turns=8), *ring(63, turns=8)])
    outcome = croq("profile", "k.co")
    assert outcome.status == 0
    lines = outcome.out.splitlines()
    assert lines[:2] == [
        "k.co: matmul M=512 K=512 N=512: 100.0 us on Fake (median of 3)",
        "  measured with probes in every block: 1.08 x the plain time",
    ]
    assert lines[2].startswith("  ring full/empty, 2 slots: both sides stand")
    assert lines[3] == "    try 3 stages: shared memory then takes 90,144 of 232,448 bytes"
    assert lines[5].startswith("  block 0 on SM 7: ")
    waits = next(line for line in lines if "line 24: wait empty" in line)
    assert waits.split()[4:] == ["8", "3.46", "68", "%", "260", "1055"]
    waits = next(line for line in lines if "line 40: wait full" in line)
    assert waits.split()[4:] == ["8", "2.58", "51", "%", "282", "870"]
    assert [line.split()[0:2] for line in lines if "path p1" in line and "visits" in line] == [["path", "p1"]] * 4
    assert sum(line.startswith("  block 63 on SM 7") for line in lines) == 1


def test_the_json(croq: Croq, records: Records) -> None:
    records(BARE)
    outcome = croq("profile", "--json", "k.co")
    assert outcome.status == 0
    result = json.loads(outcome.out)
    validate("profile", result)
    broken = json.loads(outcome.out)
    broken["profiles"][0]["kernels"][0]["slow"] = "nobody"
    with pytest.raises(jsonschema.ValidationError):
        validate("profile", broken)
    (entry,) = result["profiles"]
    assert (entry["path"], entry["function"], entry["card"], entry["rounds"]) == ("k.co", "matmul", "Fake", 3)
    assert (entry["plain"], entry["probed"], entry["sizes"]) == (100e-6, 108e-6, LARGE)
    (kernel,) = entry["kernels"]
    first, last = kernel["blocks"]
    assert [(one["block"], one["multiprocessor"], one["start"], one["length"]) for one in (first, last)] == [
        (0, 3, 0, 1_000),
        (63, 4, 500, 1_000),
    ]
    assert first["paths"] == [
        {"name": "path p1 == 0", "start": 0, "end": 1_000, "kept": 1_000, "dropped": 0},
        {"name": "path p1 == 1", "start": 0, "end": 900, "kept": 900, "dropped": 0},
    ]
    wait = first["places"][0]
    assert wait.pop("range")["start"] == {"line": 23, "character": 10}
    where = {"path": "path p1 == 0", "op": "wait", "event": "empty", "buffer": "", "leaves": False, "loop": "iv_k"}
    assert wait == where | {
        "count": 2,
        "total": 40,
        "median": 20,
        "longest": 30,
        "first": 10,
        "share": 0.04,
        "isWait": True,
    }
    assert [(one["op"], one["isWait"]) for one in first["places"]] == [("wait", True), ("wait", True)]
    assert first["visits"] == [
        {"place": 1, "slot": 0, "turn": 0, "begin": 0, "end": 300},
        {"place": 0, "slot": 0, "turn": 0, "begin": 10, "end": 20},
        {"place": 0, "slot": 1, "turn": 1, "begin": 30, "end": 60},
    ]
    # Of the path that dropped something only the part is known that was kept.
    assert last["paths"][1] == {"name": "path p1 == 1", "start": 0, "end": 1_000, "kept": 100, "dropped": 2}
    assert last["places"][1]["share"] == 1.0
    (found,) = kernel["rings"]
    assert found["fullShare"] == (300 + 100) / (900 + 100)
    assert found["emptyShare"] == (40 + 700) / 2_000
    assert (kernel["slow"], kernel["ring"]) == ("fill", 0)


def test_the_json_says_which_places_are_waits(croq: Croq, records: Records) -> None:
    records([*ring(0), *ring(63)])
    (entry,) = json.loads(croq("profile", "--json", "k.co").out)["profiles"]
    places = entry["kernels"][0]["blocks"][0]["places"]
    assert {(one["op"], one["isWait"]) for one in places} == {
        ("wait", True),
        ("copy", False),
        ("trigger", False),
        ("multiply", False),
        ("commit", False),
    }


def test_the_trace(croq: Croq, records: Records) -> None:
    """A process a block, a thread a path, a complete event a visit, in microseconds since the first block's start."""
    records(BARE)
    assert croq("profile", "k.co", "--trace", "trace.json").status == 0
    trace = json.loads(Path("trace.json").read_text(encoding="utf-8"))
    assert set(trace) == {"displayTimeUnit", "traceEvents"} and trace["displayTimeUnit"] == "ns"
    events = trace["traceEvents"]
    named = {(event["pid"], event.get("tid")): event["args"].get("name") for event in events if event["ph"] == "M"}
    told = {key: name for key, name in named.items() if key[1]}
    assert {event["name"] for event in events if event["ph"] == "M"} == {
        *("process_name", "process_sort_index", "thread_name", "thread_sort_index")
    }
    assert set(told) == {(1, 1), (1, 2), (2, 1), (2, 2)}
    done = [event for event in events if event["ph"] == "X"]
    assert len(done) == 5 and len(events) == 5 + 2 * (2 + 2 * 2)
    where = {"ph": "X", "name": "wait empty[0]", "cat": "wait", "pid": 1, "tid": 1, "ts": 0.01, "dur": 0.01}
    assert done[1] == where | {"args": {"line": 24, "iv_k": 0, "slot": 0}}
    assert {(event["pid"], event["ts"], event["dur"]) for event in done if event["pid"] == 2} == {
        *((2, 0.5, 0.7), (2, 0.5, 0.1)),
    }


def test_the_page(croq: Croq, records: Records) -> None:
    records([*ring(0), *ring(63)])
    assert croq("profile", "k.co", "--html", "p.html").status == 0
    data = page_data(Path("p.html"))
    (flow,) = data["flows"]
    assert [run["name"] for run in flow["recorded"]] == ["Measured: block 0", "Measured: block 63"]
    run = flow["recorded"][0]
    assert run["about"].startswith("Block 0 on SM 7 of Fake, ")
    assert "the kernel takes 1.08 × the plain time" in run["about"]
    lines = {line["line"] for line in flow["lines"]}
    assert {step["range"]["start"]["line"] for step in run["steps"]} <= lines


def page_data(file: Path) -> dict[str, Any]:
    text = file.read_text(encoding="utf-8")
    data = re.search(r'id="data"[^>]*>(.*?)</script>', text, re.DOTALL)
    assert data is not None
    found: dict[str, Any] = json.loads(data.group(1))
    return found


def test_steps_of_the_page_are_in_the_order_of_their_time(croq: Croq, records: Records) -> None:
    """A landing is told where the first path has passed its wait; generations count up; credits lead to their waits."""
    records([*ring(0), *ring(63)])
    croq("profile", "k.co", "--html", "p.html")
    run = page_data(Path("p.html"))["flows"][0]["recorded"][0]
    steps, picture = run["steps"], run["picture"]
    times = [moment["time"] for moment in picture["moments"]]
    assert times == sorted(times)
    full = [(step["op"], step["slot"], step["generation"]) for step in steps if step["event"] == "full"]
    waits = [(slot, generation) for op, slot, generation in full if op == "wait"]
    assert waits == [(0, 0), (1, 0), (0, 1), (1, 1)]
    for slot, generation in waits:
        order = [op for op, at, of in full if (at, of) == (slot, generation)]
        assert order == ["trigger", "land", "wait"]
    assert [step["bytes"] for step in steps if step["op"] == "trigger" and step["event"] == "full"] == [32_768] * 4
    assert [step["op"] for step in steps if step["event"] == "empty"][:2] == ["bootstrap", "bootstrap"]
    arrows = {(steps[one["source"]]["op"], steps[one["target"]]["event"]) for one in picture["arrows"]}
    assert arrows == {("trigger", "full"), ("trigger", "empty"), ("bootstrap", "empty")}
    last = {(cell["event"], cell["slot"]): cell["completed"] for one in picture["moments"] for cell in one["cells"]}
    assert last == {("full", 0): 2, ("full", 1): 2, ("empty", 0): 3, ("empty", 1): 3}


def test_the_largest_run_is_profiled_unless_sizes_are_given(croq: Croq, records: Records) -> None:
    records(BARE[:2] + [Lane(**{**lane_fields(lane), "block": 15}) for lane in BARE[2:]])
    outcome = croq("profile", "k.co", "-D", "M=256", "-D", "N=256")
    assert outcome.out.startswith("k.co: matmul M=256 K=512 N=256: ")
    assert "block 15 on SM 4" in outcome.out


def lane_fields(lane: Lane) -> dict[str, Any]:
    return {name: getattr(lane, name) for name in Lane.__dataclass_fields__}


def test_chosen_blocks(croq: Croq, records: Records) -> None:
    records([Lane(**{**lane_fields(lane), "block": 17}) for lane in BARE[:2]])
    outcome = croq("profile", "k.co", "--block", 17)
    assert [line for line in outcome.out.splitlines() if "on SM" in line] == ["  block 17 on SM 3: 1.00 us"]


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (("--block", 64), 1, "  there is no block 64: the blocks are 0 to 63"),
        (("--block", -1), 2, "must be at least 0, not -1"),
        (tuple(word for block in range(5) for word in ("--block", block)), 2, "at most 4 blocks record at a time"),
        (("--entry", "matmull"), 2, "there is no function 'matmull'; did you mean 'matmul'?"),
        (("-D", "Q=3"), 2, "'-D Q' is neither a macro nor a size here"),
        (("-D", "K=0"), 1, "dimension 'K' must be an integer of at least 1"),
        (("--repeat", 0), 2, "must be at least 1"),
    ],
)
def test_what_cannot_be_asked(croq: Croq, records: Records, words: tuple[object, ...], status: int, said: str) -> None:
    records(BARE)
    outcome = croq("profile", "k.co", *words)
    assert outcome.status == status
    assert said in outcome.out + outcome.err


def test_records_that_are_of_no_use(croq: Croq, records: Records, tmp_path: Path) -> None:
    records(BARE)
    (tmp_path / "left").write_bytes(b"short")
    outcome = croq("profile", "k.co")
    assert outcome.status == 1
    assert "k.co: matmul M=512 K=512 N=512: not profiled" in outcome.out
    assert "the records of the probes are of no use: they are 5 bytes long instead of" in outcome.out
    result = json.loads(croq("profile", "--json", "k.co").out)
    validate("profile", result)
    assert result["profiles"][0]["kernels"] == []


def test_records_that_do_not_come_back(croq: Croq, records: Records, child: Callable[..., None]) -> None:
    records(BARE)
    child("profile", 1e-4, 1e-4)
    assert "the records of the probes are of no use: they did not come back" in croq("profile", "k.co").out


def test_visits_that_were_dropped_are_counted(croq: Croq, records: Records) -> None:
    records(BARE)
    assert "    path p1 == 1: the 2 visits behind the first 1 were not kept" in croq("profile", "k.co").out


def test_a_kernel_without_events(croq: Croq, records: Records) -> None:
    block = [Lane((), 1_000, 3_000, 9_000, 11_000, 0, 5)]
    records(block, ADD)
    outcome = croq("profile", "k.co", "--block", 0, "--html", "p.html", "--trace", "t.json")
    assert outcome.status == 0
    assert "nothing was recorded: the kernel has no wait, arrival, copy or multiply" in outcome.out
    assert page_data(Path("p.html"))["flows"][0]["recorded"][0]["steps"] == []


def test_a_kernel_that_hangs(croq: Croq, child: Callable[..., None]) -> None:
    child("hangs")
    Path("k.co").write_text(PIPELINE.replace(BOOTSTRAP, ""), encoding="utf-8")
    outcome = croq("profile", "k.co")
    assert outcome.status == 1
    assert "its credit flow has an error, and it may hang" in outcome.out
    assert "\n  --force profiles it all the same\n" in outcome.out
    result = json.loads(croq("profile", "k.co", "--json").out)
    validate("profile", result)
    (told,) = result["profiles"]
    assert told["offer"] == "force"
    assert "force" not in told["message"]  # which editors show
    forced = croq("profile", "--force", "--timeout", 0.2, "k.co")
    assert forced.status == 1
    assert "still running when its time was up" in forced.out


def test_a_kernel_that_hangs_tells_where(croq: Croq, child: Callable[..., None]) -> None:
    """Sites 1 and 3 of a kernel whose waits report are those of the loader and the consumer."""
    child("records", "1,0,0,0,2,0,0", "2,0,0,0,2,0,128")
    Path("k.co").write_text(PIPELINE.replace(BOOTSTRAP, ""), encoding="utf-8")
    outcome = croq("profile", "--force", "--timeout", 0.3, "k.co")
    told = [f"path p1 == {path} waits in line {line}" for path, line in ((0, 24), (1, 37))]
    assert (
        f"the kernel hangs: {told[0]} for empty, generation 0; {told[1]} for full, generation 0;"
        " 'croq verify' tells who owes it"
    ) in outcome.out


def test_a_kernel_that_crashes(croq: Croq, child: Callable[..., None]) -> None:
    child("fails", "crashed", "an access to an illegal address")
    Path("k.co").write_text(ADD, encoding="utf-8")
    outcome = croq("profile", "k.co")
    assert (outcome.status, "kernel 'add' crashed on the card" in outcome.out) == (1, True)


def test_a_kernel_with_mistakes(croq: Croq, records: Records) -> None:
    records(BARE, PIPELINE.replace("wait full[stage];", "wait fulll[stage];"))
    outcome = croq("profile", "k.co")
    assert outcome.status == 1
    assert "  k.co:40:16: it has errors; the first: 'fulll' is not declared here" in outcome.out


def test_a_file_that_is_not_there(croq: Croq, records: Records) -> None:
    records(BARE)
    assert croq("profile", "nowhere.co").status == 2


def test_without_a_card_it_says_so_in_one_line(croq: Croq, child: Callable[..., None]) -> None:
    child("import", "cupy", "x")
    Path("k.co").write_text(PIPELINE, encoding="utf-8")
    outcome = croq("profile", "k.co")
    assert (outcome.status, outcome.out, len(outcome.err.splitlines())) == (1, "", 1)
    assert outcome.err.startswith(f"croq: CuPy is not installed; {install('gpu')}")
    assert outcome.err.endswith("; 'croq flow' shows the pipeline without times\n")
    result = json.loads(croq("profile", "--json", "k.co").out)
    validate("profile", result)
    assert "CuPy is not installed" in result["profiles"][0]["message"]
