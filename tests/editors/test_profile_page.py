"""The page of a profile in a real browser: real time on its axis, verdict and tries, the run of the proof beside it."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from croqc.service.check import FileReport, check_text
from croqc.service.check_result import Place
from croqc.service.flow import flow_result
from croqc.service.json_text import to_data
from croqc.service.profile import ProfileRequest, profile_file
from croqc.service.profile_page import measured_flows, profile_page
from croqc.service.run_plan import CardRequest, Request
from croqls.ide.flow_at import flow_at
from tests.cli.seeds import PIPELINE
from tests.codegen.test_probes import probed
from tests.editors.browser import Browser
from tests.engines.children import parent
from tests.engines.probe_bytes import Ring, file_of

pytestmark = pytest.mark.slow
LARGE = {"M": 512, "N": 512, "K": 512}
RIGHT, END = ("ArrowRight", 39), ("End", 35)


def recheck(arch: str) -> FileReport:
    raise AssertionError("no file here asks for another architecture")


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    started = Browser(tmp_path_factory.mktemp("profile"))
    yield started
    started.close()


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a page of the course's ring: eight turns, of which each waits for copies of 800 ns."""
    folder = tmp_path_factory.mktemp("page")
    probes = probed(check_text(PIPELINE), sizes=LARGE).kernels[0].probes
    assert probes is not None
    lanes = [lane for block in (0, 63) for lane in Ring(probes, 2, 8, 50, 800, 300).lanes(block)]
    (folder / "left").write_bytes(file_of(lanes))
    report = check_text(PIPELINE, path="k.co")
    with parent("profile", 100e-6, 108e-6, folder / "left") as card:
        wanted = ProfileRequest(Request(card=CardRequest()))
        done = list(profile_file(report, wanted, recheck, card))
    file = folder / "profile.html"
    file.write_text(profile_page(done), encoding="utf-8")
    return file.as_uri()


def test_each_of_two_functions_of_a_name_is_in_the_page_once() -> None:
    """The card does not answer, which is one message each; their flows are shown all the same."""
    one = PIPELINE[PIPELINE.index("__co__") :].replace("global f16", "global f16 [4] z, global f16", 1)
    report = check_text(PIPELINE + one, path="k.co")
    with parent("dies") as card:
        done = list(profile_file(report, ProfileRequest(Request("matmul", LARGE, card=CardRequest())), recheck, card))
    assert [item.function.base for item in done] == [item.base for item in report.functions]
    assert [(flow["function"], flow["overload"]) for flow in measured_flows(done)["flows"]] == [
        ("matmul", 0),
        ("matmul", 1),
    ]


def text(browser: Browser, name: str) -> str:
    found: str = browser.js(f"document.getElementById('{name}').innerText")
    return found


def test_it_opens_on_the_first_recorded_block(browser: Browser, page: str) -> None:
    browser.open(page)
    tabs = browser.js("[...document.querySelectorAll('#runs button')].map(x => x.innerText)")
    assert [tab.split(" (")[0] for tab in tabs] == ["Measured: block 0", "Measured: block 63", "A run"]
    assert browser.js("document.querySelector('#runs [aria-selected=true]').innerText").startswith("Measured: block 0")
    said = text(browser, "recorded")
    assert said.startswith("ring full/empty: both sides stand")
    assert "Try 3 stages: shared memory then takes 90,144 of 232,448 bytes" in said
    assert "Block 0 on SM 7 of Fake, 5.07 µs; with probes in every block the kernel takes 1.08 × the plain time" in said
    assert text(browser, "badge") == "credit flow proved for every K"


def test_the_axis_has_the_time_of_the_card(browser: Browser, page: str) -> None:
    """The loader's first wait ends 10 ns after the start, its third 1,185 ns; boxes and ticks lie on one scale."""
    browser.open(page)
    ticks = browser.js(
        "[...document.querySelectorAll('#scroll text.lane-more')].map(x => [x.textContent, +x.getAttribute('x')])"
    )
    assert ticks[0] == ["0 µs", 14]
    (name, at), *_ = ticks[1:]
    pixels = (at - 14) / (float(name.split()[0]) * 1000)
    third = "[...boxes].filter(([g, b]) => b.path === 'path p1 == 0' && b.op === 'wait')[2]"
    assert browser.js(f"{third}[1].end") == 1185
    right = browser.js(f"(r => +r.getAttribute('x') + +r.getAttribute('width'))({third}[0].querySelector('.shape'))")
    assert right == pytest.approx(10 + 1185 * pixels, abs=1.5)
    stands = browser.js(f"+{third}[0].querySelector('.stand').getAttribute('width')")
    assert stands == pytest.approx((1055 - 20) * pixels, abs=0.5)


def test_steps_say_how_long_they_took(browser: Browser, page: str) -> None:
    browser.open(page)
    told = []
    for _ in range(40):
        browser.press(*RIGHT)
        told.append(text(browser, "say"))
    assert "path p1 == 1 waits on full[0] for generation 0, parity 0, 870 ns. It is complete: the path goes on." in told
    assert "path p1 == 0 starts a copy into lhs_load_s[0], 50 ns." in told
    assert "The copies have landed, for the first path has passed its wait." in told
    browser.press(*END)
    assert "at 5.01 µs" in text(browser, "facts").replace("\n", " ")
    meanings = browser.js("Object.keys(MEANINGS)")
    used = set(browser.js("[...new Set(run.steps.map(s => s.op))]")) | {"time"}
    assert used <= set(meanings)


def test_the_other_runs_are_a_click_away(browser: Browser, page: str) -> None:
    browser.open(page)
    browser.js("document.querySelectorAll('#runs button')[2].click()")
    assert text(browser, "recorded") == ""
    assert "overlaps copies" in text(browser, "overlap") or "staircase" in text(browser, "overlap")
    assert browser.js("document.querySelectorAll('#scroll text.lane-more').length") == 0
    browser.js("document.querySelectorAll('#runs button')[1].click()")
    assert "Block 63 on SM 7" in text(browser, "recorded")
    assert text(browser, "overlap") == ""


def test_a_table_tells_where_the_time_goes(browser: Browser, page: str) -> None:
    """Waits of the loader in block 0: 10, 10, 1,055, 260, 805, 260, 805, 260 ns of its 5.07 us."""
    browser.open(page)
    cells = "[...t.rows].map(r => [...r.cells].map(c => c.innerText))"
    loader, consumer = browser.js(f"[...document.querySelectorAll('#tables table')].map(t => {cells})")
    assert loader[0][1:5] == ["place", "visits", "µs in all", "of the path's time"]
    assert loader[1] == ["line 24", "wait empty", "8", "3.46", "68 %", "260", "1,055"]
    assert consumer[1][1] == "wait full"
    assert browser.js("document.querySelector('#tables caption').innerText") == "Where the time of path p1 == 0 goes"
    browser.js("document.querySelector('#tables td button').click()")
    assert "wait empty[stage];" in text(browser, "src")
    browser.js("document.querySelectorAll('#runs button')[2].click()")
    assert browser.js("document.querySelector('#tables caption').innerText").startswith("wait full")


def test_the_cursor_finds_its_visit_among_the_measured_ones(browser: Browser, page: str) -> None:
    """A step of the proof stands at the operand of a wait, a visit at the statement."""
    browser.open(page)
    line = PIPELINE[: PIPELINE.index("wait full")].count("\n")
    told = to_data(flow_at(flow_result(check_text(PIPELINE, path="k.co")), Place(line, 16)))
    now = "(s => [s.op, s.event, s.path, s.iteration.iv_k])(run.steps[run.picture.moments[at - 1].step])"
    browser.js(f"showCursor({json.dumps(told)})")
    assert browser.js(now) == ["wait", "full", "path p1 == 1", 0]
    browser.js("document.querySelectorAll('#cursor .tabs button')[3].click()")
    assert browser.js(now) == ["wait", "full", "path p1 == 1", 3]
    moved = browser.js("at")
    browser.js(f"showCursor({json.dumps(told)})")
    assert browser.js("at") == moved


def test_a_measurement_is_gone_with_the_next_text_and_that_is_said(browser: Browser, page: str) -> None:
    browser.open(page)
    browser.js("take({version: 1, flows: result.flows.map(({recorded, ...f}) => f)})")
    assert text(browser, "note") == "The measured times were those of the text before the edit."
    assert browser.js("[...document.querySelectorAll('#runs button')].map(x => x.innerText.split(' (')[0])") == [
        "A run"
    ]


def test_zooming_keeps_the_scale_of_the_axis(browser: Browser, page: str) -> None:
    browser.open(page)
    before = browser.js("unit")
    browser.js("document.getElementById('more').click()")
    assert browser.js("unit") == pytest.approx(before * 1.25)
    for _ in range(60):
        browser.js("document.getElementById('less').click()")
    assert browser.js("unit") == pytest.approx(before / 40)
    assert browser.js("document.querySelectorAll('.box').length") > 40


@pytest.mark.parametrize("width", [1000, 1400])
def test_it_is_readable_needs_no_network_and_breaks_no_policy(browser: Browser, page: str, width: int) -> None:
    browser.open(page, width=width)
    assert browser.js("document.documentElement.scrollWidth <= innerWidth")
    browser.js("play(); play(); true")
    assert browser.requests == [page]
    assert browser.problems == []
