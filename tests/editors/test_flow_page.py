"""The credit-flow page in a real browser: what it shows at each step, keys, meanings, failing kernels, no network."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from croqc.service.check import check_text
from croqc.service.flow import FlowResult, flow_entry, flow_result
from croqc.service.flow_page import flow_page
from croqc.service.json_text import to_data
from tests.cli.seeds import BOOTSTRAP, EXAMPLES, PIPELINE, SWAP
from tests.editors.browser import Browser
from tests.flow.rings import placed, ring

pytestmark = pytest.mark.slow
OVERLAPPING = (EXAMPLES / "swap_f16.co").read_text(encoding="utf-8")
ROTATING = (EXAMPLES / "rotate_triple.co").read_text(encoding="utf-8")
LEFT, RIGHT, HOME, END, ENTER = ("ArrowLeft", 37), ("ArrowRight", 39), ("Home", 36), ("End", 35), ("Enter", 13)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    started = Browser(tmp_path_factory.mktemp("profile"))
    yield started
    started.close()


def ring_page(folder: Path) -> str:
    """The address of a page of the course's ring, two stages, five tiles."""
    report = check_text(PIPELINE, path="k.co")
    (function,) = report.functions
    assert function.analysis is not None
    flow = placed(ring(function.analysis.model, 2, 5), function.parsed.source.text)
    path = folder / "flow.html"
    path.write_text(flow_page(FlowResult(1, (flow_entry(report.source, function, flow),))), encoding="utf-8")
    return path.as_uri()


def cell(browser: Browser, name: str) -> list[str]:
    """What a card says: phase, arrivals, tx-count, who waits, and its parity."""
    found: list[str] = browser.js(
        f"[...document.querySelectorAll('[data-cell=\"{name}\"] .row')].map(r => r.innerText)"
    )
    parity = browser.js(f"document.querySelector('[data-cell=\"{name}\"] .flip .on').innerText")
    return [row.split("\n")[-1].strip() for row in found] + [parity]


def test_the_slider_shows_the_inside_of_each_mbarrier(browser: Browser, tmp_path: Path) -> None:
    browser.open(ring_page(tmp_path))
    assert browser.js("document.getElementById('badge').innerText") == "credit flow proved for every K"
    assert cell(browser, "full[0]") == ["0", "1 of 1 pending", "0 bytes", "nobody", "0"]
    said = "document.getElementById('say').innerText"
    told = []
    for _ in range(14):
        browser.press(*RIGHT)
        told.append((browser.js(said), cell(browser, "full[0]")))
    arrive = next(at for at, (text, _) in enumerate(told) if "p1 == 0 arrives on full[0]" in text)
    assert told[arrive][0] == "path p1 == 0 arrives on full[0] and 32,768 bytes are to land."
    assert told[arrive][1] == ["0", "0 of 1 pending", "32,768 bytes", "p1 == 1 (needs 0)", "0"]
    landed = [cells for text, cells in told[arrive + 1 :] if "has landed" in text][:2]
    assert landed == [
        ["0", "0 of 1 pending", "16,384 bytes", "p1 == 1 (needs 0)", "0"],
        ["1", "1 of 1 pending", "0 bytes", "p1 == 1 (needs 0)", "1"],
    ]
    assert browser.js("document.getElementById('src').innerText").split() != []


def test_keys_move_and_the_moment_is_announced(browser: Browser, tmp_path: Path) -> None:
    browser.open(ring_page(tmp_path))
    count = "Number(document.getElementById('time').value)"
    most = browser.js("Number(document.getElementById('time').max)")
    browser.press(*END)
    assert browser.js(count) == most > 40
    browser.press(*LEFT)
    assert browser.js(count) == most - 1
    browser.press(*HOME)
    assert browser.js(count) == 0
    browser.press(*RIGHT)
    assert browser.js(count) == 1
    assert browser.js("document.getElementById('say').getAttribute('aria-live')") == "polite"
    assert browser.js("document.getElementById('time').getAttribute('aria-valuetext')").startswith("path p1")


def test_tab_and_enter_tell_what_a_field_means(browser: Browser, tmp_path: Path) -> None:
    browser.open(ring_page(tmp_path))
    browser.press(*END)
    meaning = "document.getElementById('meaning').innerText"
    for field, word in [
        ("pending", "arrival count"),
        ("bytes", "expect_tx"),
        ("parity", "modulo 2"),
        ("phase", "round"),
    ]:
        browser.js(f"document.querySelector('[data-field=\"full[0] {field}\"]').focus()")
        browser.press(*ENTER, text="\r")
        assert word in browser.js(meaning), field
    assert "full[0] is in phase 3: 3 completed so far." in browser.js(meaning)
    reached = []
    browser.js("document.getElementById('first').focus()")
    for _ in range(40):
        browser.press("Tab", 9)
        reached.append(browser.js("document.activeElement.dataset.field ?? document.activeElement.id"))
    assert {"time", "full[0] pending", "empty[1] waiting"} <= set(reached)


def test_every_field_of_the_page_has_a_meaning(browser: Browser, tmp_path: Path) -> None:
    browser.open(ring_page(tmp_path))
    used = browser.js(
        "[...new Set([...flow.steps.map(s => s.op), 'event', 'phase', 'parity', 'pending', 'bytes', 'waiting', 'slot',"
        " 'generation', 'iteration', 'path', 'phaseBit', 'after', 'credit', 'wait-future', 'swap', 'join', 'overlap'])]"
    )
    meanings = browser.js("Object.fromEntries(Object.entries(MEANINGS).map(([k, v]) => [k, v[1].length]))")
    assert {word for word in used if meanings.get(word, 0) < 40} == set()


def test_boxes_select_their_step_and_show_its_line(browser: Browser, tmp_path: Path) -> None:
    browser.open(ring_page(tmp_path))
    browser.js("document.querySelector('.box.trigger').dispatchEvent(new MouseEvent('click', {bubbles: true}))")
    assert browser.js("document.querySelectorAll('.box.now').length") == 1
    assert "trigger full[stage];" in browser.js("document.getElementById('src').innerText")
    assert browser.js("document.querySelector('.box.now').getAttribute('aria-label')").startswith(
        "path p1 == 0 arrives"
    )
    assert browser.js("document.querySelectorAll('tr.now').length") == 0
    browser.js("go(momentOf(run.picture.boxes.find(b => b.op === 'wait')))")
    assert browser.js("document.querySelectorAll('tr.now').length") == 1


def test_a_failing_kernel_opens_on_its_counterexample(browser: Browser, tmp_path: Path) -> None:
    browser.open(real_page(tmp_path, PIPELINE.replace(BOOTSTRAP, "")))
    assert browser.js("document.getElementById('badge').className") == "badge fails"
    tab = "document.querySelector('#runs [aria-selected=true]').innerText"
    assert browser.js(tab).startswith("Counterexample: credit-deadlock (K = ")
    said = browser.js("document.getElementById('say').innerText")
    assert said.startswith("path p1 == 0 waits on empty[0] for generation 0, parity 0. Nobody will complete it")
    assert "wait empty[stage];" in browser.js("document.getElementById('src').innerText")
    assert browser.js("document.querySelectorAll('.box.stuck').length") == 2
    browser.press(*END)
    assert cell(browser, "full[0]") == ["0", "1 of 1 pending", "0 bytes", "p1 == 1 (needs 0)", "0"]


@pytest.mark.parametrize("width", [1000, 1400])
@pytest.mark.parametrize("dark", [False, True])
def test_it_is_readable_and_steady(browser: Browser, tmp_path: Path, width: int, dark: bool) -> None:
    browser.open(ring_page(tmp_path), width=width, dark=dark)
    assert browser.js("document.documentElement.scrollWidth <= innerWidth")
    channels = "getComputedStyle(document.body).{0}.match(/[0-9.]+/g).slice(0, 3).map(Number).reduce((a, b) => a + b)"
    ground, ink = browser.js(channels.format("backgroundColor")), browser.js(channels.format("color"))
    assert (ground < 150 and ink > 550) if dark else (ground > 700 and ink < 150)
    places = "JSON.stringify([...document.querySelectorAll('.cell, #src, #meaning, #tables')].map(x => x.offsetTop))"
    before = browser.js(places)
    for _ in range(12):
        browser.press(*RIGHT)
        assert browser.js(places) == before


def test_it_needs_no_network_and_breaks_no_policy_of_its_own(browser: Browser, tmp_path: Path) -> None:
    address = ring_page(tmp_path)
    browser.open(address)
    browser.js("play(); play(); zoom(1.25); zoom(0.5); true")
    assert browser.requests == [address]
    assert browser.problems == []


def test_text_of_the_source_cannot_become_script(browser: Browser, tmp_path: Path) -> None:
    text = PIPELINE.replace("trigger full[stage];", "trigger full[stage]; // </script><script>evil=1</script><b>é😀")
    report = check_text(text, path="</script><script>evil=1</script>.co")
    (function,) = report.functions
    assert function.analysis is not None
    flow = placed(ring(function.analysis.model, 2, 3), function.parsed.source.text)
    path = tmp_path / "flow.html"
    path.write_text(flow_page(FlowResult(1, (flow_entry(report.source, function, flow),))), encoding="utf-8")
    browser.open(path.as_uri())
    browser.js("document.querySelector('.box.trigger').dispatchEvent(new MouseEvent('click', {bubbles: true}))")
    assert "</script><script>evil=1</script><b>é😀" in browser.js("document.getElementById('src').innerText")
    assert browser.js("typeof evil") == "undefined"
    assert browser.problems == []


def real_page(folder: Path, text: str) -> str:
    """The address of the page that `croq flow` writes of a text."""
    path = folder / "flow.html"
    path.write_text(flow_page(flow_result(check_text(text, path="k.co"))), encoding="utf-8")
    return path.as_uri()


def test_double_buffering_overlaps_and_a_single_buffer_is_a_staircase(browser: Browser, tmp_path: Path) -> None:
    overlap = "document.getElementById('overlap').innerText"
    browser.open(real_page(tmp_path, OVERLAPPING))
    share = int(browser.js(overlap).split()[0])
    assert share >= 50
    assert browser.js("document.getElementById('inside').textContent") == "The buffers at this moment"
    browser.press(*END)
    states = "[...document.querySelectorAll('[data-cell=lf0] .row span')].map(x => x.innerText)"
    assert browser.js(states)[0] in ("full", "being read")
    browser.open(real_page(tmp_path, SWAP))  # its copies are synchronous: swap alone overlaps nothing
    assert browser.js(overlap) == "staircase: 0 % overlap"
    assert browser.problems == []


def test_a_file_with_several_kernels_has_a_choice(browser: Browser, tmp_path: Path) -> None:
    two = PIPELINE + PIPELINE[PIPELINE.index("__co__") :].replace("matmul", "other").replace(BOOTSTRAP, "")
    browser.open(real_page(tmp_path, two))
    assert browser.js("document.getElementById('title').innerText") == "other"  # the one that fails
    browser.js("const s = document.getElementById('kernel'); s.value = '0'; s.dispatchEvent(new Event('change')); true")
    assert browser.js("document.getElementById('title').innerText") == "matmul"
    assert browser.js("document.getElementById('badge').innerText") == "credit flow proved for every K"


def test_an_address_names_the_function_to_open_at(browser: Browser, tmp_path: Path) -> None:
    """As an editor without panels opens it; a name that is not there is none."""
    one = PIPELINE[PIPELINE.index("__co__") :]
    address = real_page(tmp_path, PIPELINE + one.replace("matmul", "other") + one)
    title = "document.getElementById('title').innerText"
    for part, shown in (
        ("", "matmul (1)"),
        ("#function=other", "other"),
        ("#function=matmul&overload=1", "matmul (2)"),
        ("#function=matmul", "matmul (1)"),
        ("#function=none&overload=x", "matmul (1)"),
    ):
        browser.open("about:blank")  # else nothing but the part changes
        browser.open(address + part)
        assert browser.js(title) == shown
    assert browser.problems == []


def test_of_two_functions_of_a_name_the_one_that_is_meant_is_opened(browser: Browser, tmp_path: Path) -> None:
    """Both are counted; the place is kept in the second one over new data, also where the first is gone by then."""
    second = PIPELINE[PIPELINE.index("__co__") :]

    def shown(call: str) -> tuple[str, int]:
        """The title and the line of what is shown behind a call: that of an editor, or of newer data."""
        found: list[tuple[str, int]] = browser.js(f"{call}; [[document.title.split(':')[0], flow.range.start.line]]")
        return tuple(found[0])

    def renewed(text: str) -> str:
        return f"load({json.dumps(to_data(flow_result(check_text(text, path='k.co'))))}, placeNow(), true)"

    browser.open(real_page(tmp_path, PIPELINE + second))
    kernels = "[...document.querySelectorAll('#kernel option')].map(one => one.innerText)"
    assert browser.js(kernels) == ["matmul (1)", "matmul (2)"]
    first, own = PIPELINE.count("\n", 0, PIPELINE.index("__co__")), PIPELINE.count("\n")
    to_second = "hear({type: 'open', function: 'matmul', overload: 1})"
    assert shown(to_second) == ("matmul (2)", own)
    assert shown(renewed("// above\n" + PIPELINE + second)) == ("matmul (2)", own + 1)
    assert shown("hear({type: 'flow', result, open: 'matmul', overload: 0})") == ("matmul (1)", first + 1)
    assert shown(to_second) == ("matmul (2)", own + 1)
    assert shown(renewed(PIPELINE)) == ("matmul", first)
    assert browser.problems == []


def test_a_kernel_that_was_not_analysed_says_why(browser: Browser, tmp_path: Path) -> None:
    browser.open(real_page(tmp_path, PIPELINE.replace("wait full[stage];", "wait fulll[stage];")))
    assert "not analysed: the function has errors" in browser.js("document.getElementById('badge').innerText")
    browser.press(*RIGHT)
    assert browser.problems == []


def test_the_failing_step_is_the_release_before_the_commit(browser: Browser, tmp_path: Path) -> None:
    late = PIPELINE.replace(
        "          mma.commit;\n          trigger empty[stage];", "          trigger empty[stage]; mma.commit;"
    )
    browser.open(real_page(tmp_path, late))
    assert "Counterexample: uncommitted-release" in browser.js(
        "document.querySelector('#runs [aria-selected=true]').innerText"
    )
    assert browser.js("document.getElementById('say').innerText") == "path p1 == 1 arrives on empty[0]."
    assert browser.js("document.getElementById('say').className") == "say wrong"
    assert "iv_k = 0" in browser.js("document.getElementById('facts').innerText").replace("\n", " ")


def test_a_kernel_without_events_is_told_by_its_buffers(browser: Browser, tmp_path: Path) -> None:
    say = "document.getElementById('say').innerText"
    browser.open(real_page(tmp_path, ROTATING))
    assert browser.js(say) == "Before the first step: nothing has been copied yet."
    browser.js("document.querySelector('.box.rotate').dispatchEvent(new MouseEvent('click', {bubbles: true}))")
    assert browser.js(say) == "the block rotates the names of its buffers."
    assert browser.js("document.querySelector('#meaning h3').innerText") == "rotate"
    state = "document.querySelector('[data-cell=out_s] .row span').innerText"
    states = browser.js(f"run.picture.moments.map((_, at) => {{ go(at + 1); return {state}; }})")
    assert set(states) == {"empty", "written", "being read", "full"}  # nothing is copied into it
    assert browser.problems == []
