"""`croq flow`: what it prints, writes and serves, and how it takes what it cannot use."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
import xml.dom.minidom
from importlib.resources import files
from pathlib import Path

import pytest

from croqc.cli.flow_report import flow_lines
from croqc.flow.analysis import TYPING_BUDGET
from croqc.flow.report import FlowFinding
from croqc.rules.page import parse_page
from croqc.service.check import check_text
from croqc.service.check_result import full_message
from croqc.service.flow import FlowEntry, FlowResult, flow_entry, flow_result
from croqc.service.flow_check import with_flow
from croqc.service.flow_run import LIMIT
from croqc.service.flow_svg import flow_svg
from croqc.text.record import replace
from tests.cli.conftest import Croq
from tests.cli.seeds import BOOTSTRAP, PIPELINE
from tests.flow.rings import placed, ring
from tests.interrupts import heed

TWO = "__co__ void {0}(global f32 [N] x) {{ parallel p by N : thread x.at(p) = x.at(p) + 1.0f; }}\n"


def entry() -> FlowEntry:
    """The course's ring by hand."""
    report = check_text(PIPELINE, path="k.co")
    (function,) = report.functions
    assert function.analysis is not None
    flow = placed(ring(function.analysis.model, 2, 5), function.parsed.source.text)
    return flow_entry(report.source, function, flow)


def test_a_finding_has_the_words_of_check() -> None:
    """The sizes that show it among them: unequal turns say "(K = 65)"."""
    page = parse_page(files("croqc.rules").joinpath("pages/trip-count-mismatch.md").read_text(encoding="utf-8"))
    report = with_flow(check_text(page.examples[0].text), TYPING_BUDGET)
    (flow,) = flow_result(report).flows
    told = [full_message(item) for item in report.flow_found or ()]
    assert "(K = 65)" in told[0]
    assert [item.message for item in flow.findings] == told


def line_of(text: str, word: str) -> int:
    return text[: text.index(word)].count("\n") + 1


def test_the_summary_tells_verdict_paths_events_and_buffers() -> None:
    empty, full = line_of(PIPELINE, "trigger empty[stage]"), line_of(PIPELINE, "trigger full[stage]")
    start = line_of(PIPELINE, "trigger empty[s]")
    assert flow_lines(FlowResult(1, (entry(),))) == [
        f"k.co:{line_of(PIPELINE, '__co__')}: matmul: credit flow proved for every K; of the order alone, for indices "
        "see 'assumed-divisible'",
        "  path p1 == 0  128 threads, may be 2 rounds ahead (credits of empty)",
        "  path p1 == 1  128 threads",
        "  full          2 slots, 1 arrival a generation, no credits at start; "
        f"given by path p1 == 0 (line {full}); awaited by path p1 == 1 (line {line_of(PIPELINE, 'wait full')})",
        f"  empty         2 slots, 1 arrival a generation, 2 credits at start (line {start}); "
        f"given by path p1 == 1 (lines {start}, {empty}); "
        f"awaited by path p1 == 0 (line {line_of(PIPELINE, 'wait empty')})",
        "  lhs_load_s    2 slots of 16,384 bytes",
        "  rhs_load_s    2 slots of 16,384 bytes",
        "  proved: the order of paths, events and copies; not races between threads inside one path",
    ]


def test_the_picture_is_well_formed_and_always_the_same() -> None:
    picture = flow_svg(entry())
    assert picture == flow_svg(entry())
    svg = xml.dom.minidom.parseString(picture).documentElement
    assert svg is not None
    kinds = [group.getAttribute("class").split()[:3] for group in svg.getElementsByTagName("g")]
    assert kinds.count(["box", "sync", "bootstrap"]) == 2
    assert kinds.count(["box", "work", "multiply"]) == 5
    assert kinds.count(["box", "copy", "copy"]) == 5
    arrows = [one for one in svg.getElementsByTagName("path") if one.getAttribute("class") == "arrow"]
    assert len(arrows) == 10  # each of the ten waits is paid by one trigger
    assert "script" not in picture and "http" not in picture.replace("http://www.w3.org/2000/svg", "")


def test_the_picture_of_a_failing_kernel_is_its_counterexample() -> None:
    (flow,) = flow_result(check_text(PIPELINE.replace(BOOTSTRAP, ""))).flows
    picture = flow_svg(flow)
    assert picture.count(" stuck") == 2
    assert "credit-deadlock: " in picture


def test_the_exit_status_and_one_entry_a_kernel(croq: Croq) -> None:
    Path("k.co").write_text(TWO.format("one") + TWO.format("two"), encoding="utf-8")
    outcome = croq("flow", "--json", "k.co")
    assert outcome.status == 0
    assert [flow["function"] for flow in json.loads(outcome.out)["flows"]] == ["one", "two"]
    only = json.loads(croq("flow", "--json", "--entry", "two", "k.co").out)["flows"]
    assert [(flow["function"], flow["range"]["start"]["line"]) for flow in only] == [("two", 1)]


def test_functions_with_errors_say_so_and_the_others_are_analysed(croq: Croq) -> None:
    broken = TWO.format("one").replace("x.at(p) + 1.0f", "y.at(p)")
    Path("k.co").write_text(broken + "__co__ void\n" + TWO.format("two"), encoding="utf-8")
    flows = json.loads(croq("flow", "--json", "k.co").out)["flows"]
    first, last = flows[0], flows[-1]
    assert (first["verdict"], last["function"]) == ("unknown", "two")
    assert first["reason"].startswith("the function has errors: ") and "'y'" in first["reason"]
    assert first["place"]["start"]["line"] == 0
    assert "has errors" not in last["reason"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("k.co", "--entry", "tow"), "there is no function 'tow'; did you mean 'two'?"),
        (("none.co",), "none.co: there is no such file"),
        (("k.co", "--svg", "no/such/folder.svg"), "cannot be written"),
        (("k.co", "-D", "Q=1", "--entry", "two"), "'-D Q' is neither a macro nor a size here"),
        (("empty.co", "--svg", "out.svg"), "empty.co: has no kernel to draw"),
        (("k.co", "--serve", "--port", "70000"), "port 70000"),
        (("k.co", "--json", "--svg", "out.svg"), "not allowed with"),
    ],
)
def test_what_cannot_be_done_is_a_usage_error(croq: Croq, words: tuple[str, ...], said: str) -> None:
    Path("k.co").write_text(TWO.format("one") + TWO.format("two"), encoding="utf-8")
    Path("empty.co").write_text("// nothing\n", encoding="utf-8")
    outcome = croq("flow", *words)
    assert outcome.status == 2
    assert said in outcome.err


def test_files_are_written_whole(croq: Croq) -> None:
    Path("k.co").write_text(PIPELINE, encoding="utf-8")
    croq("flow", "k.co", "--html", "flow.html")
    croq("flow", "k.co", "--svg", "flow.svg")
    page = Path("flow.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>") and page.endswith("</html>\n")
    assert "@DATA@" not in page and "@NONCE@" not in page
    assert "//" not in page.split('id="data"')[0]
    assert "src=" not in page and "import" not in page
    assert Path("flow.svg").read_text(encoding="utf-8").startswith("<svg ")
    before = page
    croq("flow", "k.co", "--html", "flow.html")
    assert Path("flow.html").read_text(encoding="utf-8") == before


@pytest.mark.slow
def test_the_server_reads_the_file_anew_and_ends_on_ctrl_c(tmp_path: Path) -> None:
    file = tmp_path / "k.co"
    file.write_text(TWO.format("one"), encoding="utf-8")
    server = subprocess.Popen(
        [sys.executable, "-m", "croqc.cli.main", "flow", "--serve", str(file)],
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=heed,
    )
    try:
        assert server.stdout is not None
        address = server.stdout.readline().split()[0]
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", address)

        def get(path: str = "", host: str | None = None) -> str:
            request = urllib.request.Request(address + path, headers={"Host": host} if host else {})
            with urllib.request.urlopen(request, timeout=20) as answer:
                text: str = answer.read().decode("utf-8")
                return text

        first, again = get(), get()
        nonces = [re.findall(r'script nonce="([^"]+)"', page)[0] for page in (first, again)]
        assert nonces[0] != nonces[1]
        assert '"function":"one"' in first
        file.write_text(TWO.format("other"), encoding="utf-8")
        assert '"function":"other"' in get()
        tag = re.findall(r'let have = "(\w+)"', get())[0]
        with urllib.request.urlopen(f"{address}flow?have={tag}", timeout=20) as answer:
            assert (answer.status, answer.read()) == (204, b"")
        with urllib.request.urlopen(f"{address}flow?have=another", timeout=20) as answer:
            assert answer.headers["ETag"] == tag
            assert json.load(answer)["flows"][0]["function"] == "other"
        for path, host, status in [("x", None, 404), ("", "evil.example:80", 403), ("flow", "evil.example:80", 403)]:
            with pytest.raises(urllib.error.HTTPError) as refused:
                get(path, host)
            assert refused.value.code == status
        (tmp_path / "croq.toml").write_text("arch = 'sm_12'", encoding="utf-8")
        with pytest.raises(urllib.error.HTTPError) as wrong:
            get("flow?have=" + tag)
        assert wrong.value.code == 500
        assert "unknown architecture 'sm_12'" in wrong.value.read().decode("utf-8")
        file.unlink()
        (tmp_path / "croq.toml").unlink()
        with pytest.raises(urllib.error.HTTPError) as gone:
            get()
        assert "there is no such file" in gone.value.read().decode("utf-8")
        server.send_signal(signal.SIGINT)
        assert server.wait(20) in (0, 130)
    finally:
        server.kill()
        server.wait()


def test_of_a_long_run_the_end_is_drawn() -> None:
    report = check_text(PIPELINE, path="k.co")
    (function,) = report.functions
    assert function.analysis is not None
    flow = placed(ring(function.analysis.model, 2, 300), function.parsed.source.text)
    unused = {"event": "full", "triggered": False}
    finding = FlowFinding("unused-event", flow.steps[0].span, unused, steps=flow.steps)
    told = flow_entry(report.source, function, replace(flow, findings=(finding,)))
    for steps, picture in [(told.steps, told.picture), (told.findings[0].steps, told.findings[0].picture)]:
        assert len(steps) >= LIMIT > max(number for box in picture.boxes for number in box.steps)
        for box in picture.boxes:
            assert {steps[number].path for number in box.steps} == {box.path}
    assert told.findings[0].picture.skipped == len(flow.steps) - LIMIT
    assert told.findings[0].steps[-1].t == len(flow.steps) - 1
    ends = {(cell.event, cell.slot): cell.completed for m in told.findings[0].picture.moments for cell in m.cells}
    assert ends == {("full", 0): 150, ("full", 1): 150, ("empty", 0): 151, ("empty", 1): 151}


def test_a_large_ring_is_cut_to_what_can_be_read() -> None:
    report = check_text(PIPELINE.replace("MATMUL_STAGES 2", "MATMUL_STAGES 100"), path="k.co")
    (function,) = report.functions
    assert function.analysis is not None
    told = flow_entry(report.source, function, ring(function.analysis.model, 100, 201))
    assert [len(table.rows) for event in told.events for table in event.tables] == [32, 32]
    assert len(told.steps) == LIMIT
    assert len(told.picture.start) == 200


def test_the_courses_kernel_is_proved_and_without_its_bootstrap_it_fails(croq: Croq) -> None:
    Path("k.co").write_text(PIPELINE, encoding="utf-8")
    outcome = croq("flow", "k.co")
    assert outcome.status == 0
    assert "k.co:13: matmul: credit flow proved for every K" in outcome.out
    assert "may be 2 rounds ahead (credits of empty)" in outcome.out
    text = PIPELINE.replace(BOOTSTRAP, "")
    Path("k.co").write_text(text, encoding="utf-8")
    outcome = croq("flow", "k.co", "--svg", "flow.svg")
    assert outcome.status == 1
    flow = json.loads(croq("flow", "k.co", "--json").out)["flows"][0]
    (finding,) = flow["findings"]
    assert (flow["verdict"], finding["code"]) == ("fails", "credit-deadlock")
    step = finding["steps"][finding["step"]]
    assert (step["op"], step["event"], step["generation"]) == ("wait", "empty", 0)
    assert step["range"]["start"]["line"] + 1 == line_of(text, "wait empty")
    assert " stuck" in Path("flow.svg").read_text(encoding="utf-8")


def test_the_small_run_counts_the_bytes_of_its_copies(croq: Croq) -> None:
    Path("k.co").write_text(PIPELINE, encoding="utf-8")
    flow = json.loads(croq("flow", "k.co", "--json").out)["flows"][0]
    arrivals = {step["bytes"] for step in flow["steps"] if step["op"] == "trigger" and step["event"] == "full"}
    assert arrivals == {2 * 64 * 128 * 2}  # two tiles of 64 x 128 halves
    last = {(cell["event"], cell["slot"]): cell for moment in flow["picture"]["moments"] for cell in moment["cells"]}
    assert {cell["bytes"] for cell in last.values()} == {0}
    tables = {event["name"]: event["tables"][0]["rows"] for event in flow["events"]}
    keys = ("slot", "generation", "waited", "after", "phaseBit", "credits")
    assert [tuple(row[key] for key in keys) for row in tables["empty"]][:4] == [
        *((0, 0, 0, 1, 0, 1), (1, 0, 0, 1, 1, 0), (0, 1, 1, 0, 1, 0), (1, 1, 1, 0, 0, 0))
    ]


def test_sizes_choose_the_run_that_is_shown(croq: Croq) -> None:
    Path("k.co").write_text(PIPELINE, encoding="utf-8")
    flow = json.loads(croq("flow", "k.co", "--json", "-D", "K=1000").out)["flows"][0]
    assert (flow["verdict"], flow["sizes"]["K"]) == ("proved", 1000)
    waits = [step["iteration"] for step in flow["steps"] if step["op"] == "wait" and step["event"] == "empty"]
    assert waits == [{"iv_k": turn} for turn in range(8)]  # cdiv(1000, 128)
    three = json.loads(croq("flow", "k.co", "--json", "-D", "MATMUL_STAGES=3").out)["flows"][0]
    assert {event["slots"] for event in three["events"]} == {2}  # a #define in the file wins


def test_a_size_at_which_the_kernel_hangs_shows_the_hang(croq: Croq) -> None:
    Path("k.co").write_text(PIPELINE.replace(BOOTSTRAP, ""), encoding="utf-8")
    flow = json.loads(croq("flow", "k.co", "--json", "-D", "K=512").out)["flows"][0]
    assert [box["stuck"] for box in flow["picture"]["boxes"]] == [True, True]


SHIFTED = PIPELINE[: PIPELINE.rindex("iv_k % MATMUL_STAGES")] + "(iv_k + 1) % MATMUL_STAGES" + PIPELINE[
    PIPELINE.rindex("iv_k % MATMUL_STAGES") + len("iv_k % MATMUL_STAGES") :
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "start"),
    [
        (SHIFTED, "2 credits at start (line {line})"),
        (SHIFTED.replace("trigger full", "if (lhs.at(0, 0) > 0.0f) trigger full"), "credits at start (line {line})"),
    ],
)
def test_credits_at_start_are_told_of_kernels_that_fail_and_of_those_that_depend_on_data(
    croq: Croq, text: str, start: str
) -> None:
    Path("k.co").write_text(text, encoding="utf-8")
    told = croq("flow", "k.co").out
    (empty,) = [line for line in told.splitlines() if line.startswith("  empty ")]
    assert f"1 arrival a generation, {start.format(line=line_of(text, 'trigger empty[s]'))};" in empty
