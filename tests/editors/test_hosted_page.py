"""The credit-flow page inside an editor's panel: what it is told, what it says, what it keeps over new data."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from croqc.service.check import check_text
from croqc.service.check_result import Place
from croqc.service.flow import FlowResult, flow_result
from croqc.service.flow_page import flow_page
from croqc.service.json_text import to_data
from croqls.ide.flow_at import flow_at
from tests.cli.seeds import BOOTSTRAP, PIPELINE
from tests.editors.browser import Browser

pytestmark = pytest.mark.slow
RIGHT, END, ENTER, TAB = ("ArrowRight", 39), ("End", 35), ("Enter", 13), ("Tab", 9)
# What VS Code puts into a webview: a way to it, a theme as a class of the body and variables of the document.
HOST = """
globalThis.said = [];
globalThis.kept = globalThis.kept ?? %s;
globalThis.acquireVsCodeApi = () => ({
  postMessage: message => said.push(message), getState: () => kept, setState: state => { kept = state; },
});
document.addEventListener("DOMContentLoaded", () => document.body.classList.add("vscode-%s"));
"""
COLOURS = {"light": ("#fdf6e3", "#002b36"), "dark": ("#002b36", "#fdf6e3")}
FAILS = PIPELINE.replace(BOOTSTRAP, "")
OTHER = PIPELINE[PIPELINE.index("__co__") :].replace("matmul", "other")
Data = dict[str, Any]
URI = "file:///k.co"


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Browser]:
    started = Browser(tmp_path / "profile")
    yield started
    started.close()


def flow_of(text: str) -> FlowResult:
    return flow_result(check_text(text, path="k.co"))


def opened(browser: Browser, folder: Path, text: str, theme: str = "dark", width: int = 1280) -> str:
    """The address of the page of a text, open in an editor of a theme that the system has not."""
    address = made(browser, folder, text, theme, width=width)
    tell(browser, type="document", uri=URI)
    return address


def made(browser: Browser, folder: Path, text: str, theme: str = "dark", state: Data | None = None, **size: int) -> str:
    """The same before the editor has answered."""
    ground, ink = COLOURS[theme]
    colours = "".join(
        f"document.documentElement.style.setProperty('--vscode-editor-{name}', '{colour}');"
        for name, colour in (("background", ground), ("foreground", ink))
    )
    host = HOST % (json.dumps(state), theme)
    browser.before_pages(host + f"document.addEventListener('DOMContentLoaded', () => {{ {colours} }});")
    path = folder / "flow.html"
    path.write_text(flow_page(flow_of(text), "n" * 20), encoding="utf-8")
    browser.open(path.as_uri(), dark=theme == "light", **size)
    return path.as_uri()


def tell(browser: Browser, **message: Any) -> None:
    """Post a message as the editor does, and wait until it was heard."""
    heard = "new Promise(done => addEventListener('message', () => setTimeout(done), {once: true}))"
    browser.js(f"(() => {{ const heard = {heard}; postMessage({json.dumps(message)}); return heard; }})()")


def cursor(browser: Browser, text: str, word: str, after: int = 0) -> Data:
    """Puts the cursor on a word of the text; answers what the page is told of it."""
    offset = text.index(word) + after
    line = text.count("\n", 0, offset)
    told = to_data(flow_at(flow_of(text), Place(line, offset - text.rfind("\n", 0, offset) - 1)))
    tell(browser, type="at", told=told)
    found: Data = told
    return found


def inner(browser: Browser, name: str) -> str:
    found: str = browser.js(f"document.getElementById('{name}').innerText")
    return found


def line_of(text: str, word: str) -> int:
    return text.count("\n", 0, text.index(word))


# --- the cursor ---


def test_at_a_wait_it_tells_where_each_path_can_stand(browser: Browser, tmp_path: Path) -> None:
    """In the second turn of the consumer the producer has filled slot 1 once, and is at most two rounds ahead."""
    opened(browser, tmp_path, PIPELINE)
    assert browser.js("document.getElementById('cursor').hidden")
    cursor(browser, PIPELINE, "wait full[stage]", 6)
    visits = "[...document.querySelectorAll('#cursor .tabs button')]"
    assert browser.js(f"{visits}.map(x => x.innerText)")[:3] == ["iv_k = 0", "iv_k = 1", "iv_k = 2"]
    browser.js(f"{visits}[1].click()")
    assert browser.js(f"{visits}.map(x => x.getAttribute('aria-pressed'))")[:3] == ["false", "true", "false"]
    assert "path p1 == 1 waits on full[1] for generation 0, parity 0." in inner(browser, "cursor")
    rows = browser.js("[...document.querySelectorAll('.stands tbody tr')].map(r => [...r.cells].map(c => c.innerText))")
    line = line_of(PIPELINE, "wait empty[stage]") + 1
    waits = [
        f"line {line} iv_k = {turn}: waits on empty[1] for generation {turn // 2}, parity {turn // 2}"
        for turn in (1, 3)
    ]
    assert rows == [["p1 == 0", *waits], ["p1 == 1", "stands here"]]
    credits = browser.js(
        "[...document.querySelectorAll('.credits tbody tr')].map(r => [...r.cells].map(c => c.innerText))"
    )
    assert [row for row in credits if row[0].startswith("full")] == [["full for p1 == 1", "0", "1"]]
    barrier = browser.js(
        "[...document.querySelectorAll('#cursor .cell .row')].map(r => r.innerText.split('\\n').at(-1).trim())"
    )
    assert barrier[:3] == ["1", "1 of 1 pending", "0 bytes"]
    assert browser.js("document.querySelector('#cursor .flip .on').innerText") == "1"


def test_paths_that_share_a_statement_have_a_row_each(browser: Browser, tmp_path: Path) -> None:
    """Two consumers wait at one place; what does not vary is left out of a button's name."""
    text = Path("examples/gemm_f16.co").read_text(encoding="utf-8")
    opened(browser, tmp_path, text)
    told = cursor(browser, text, "wait full[stage]")
    rows = browser.js(
        "[...document.querySelectorAll('#cursor .visits .tabs')].map(r => r.innerText.split('\\n').slice(0, 3))"
    )
    assert rows == [["p = 1", "k = 0", "k = 1"], ["p = 2", "k = 0", "k = 1"]]
    assert {visit["iteration"]["ti"] for visit in told["visits"]} == {0}
    browser.js("document.querySelectorAll('#cursor .visits .tabs')[1].querySelectorAll('button')[1].click()")
    assert inner(browser, "say").startswith("path p = 2 waits on full[1] for generation 0, parity 0")
    assert browser.js("document.activeElement.ariaLabel") == "k = 1, path p = 2"


@pytest.mark.parametrize("name", ["persistent_1p2c", "swap_f16", "reduce"])
def test_each_visit_leads_to_its_step(browser: Browser, tmp_path: Path, name: str) -> None:
    text = Path(f"examples/{name}.co").read_text(encoding="utf-8")
    opened(browser, tmp_path, text)
    result = flow_of(text)
    led = """[...document.querySelectorAll('#cursor .visits button')].map((_, i) => {
      document.querySelectorAll('#cursor .visits button')[i].click();
      return run.steps.indexOf(run.steps[run.picture.moments[at - 1].step]);
    })"""
    for line in sorted({step.range.start.line for step in result.flows[0].steps}):
        told = flow_at(result, Place(line, 200))
        tell(browser, type="at", told=to_data(told))
        assert sorted(browser.js(led)) == [visit.step for visit in told.visits]
    assert browser.problems == []


def test_visits_that_nothing_tells_apart_are_counted(browser: Browser, tmp_path: Path) -> None:
    opened(browser, tmp_path, PIPELINE)
    told = cursor(browser, PIPELINE, "wait full[stage]")
    same = [visit | {"iteration": {}} for visit in told["visits"][:2]]
    tell(browser, type="at", told=told | {"visits": same})
    buttons = "[...document.querySelectorAll('#cursor .visits button')].map(x => x.innerText)"
    assert browser.js(buttons) == ["time 1", "time 2"]
    tell(browser, type="at", told=told | {"visits": same[:1]})
    assert browser.js(buttons) == ["once"]


@pytest.mark.parametrize("width", [680, 1280])
def test_what_was_moved_last_comes_first(browser: Browser, tmp_path: Path, width: int) -> None:
    """At the cursor, until slider, keys or a box of the picture are used; the cursor brings its card back up."""
    opened(browser, tmp_path, PIPELINE, width=width)
    first = """(() => {
      const top = name => document.querySelector(`.card.${name}`).getBoundingClientRect();
      const [step, cursor] = [top("step"), top("cursor")];
      return step.bottom <= cursor.top ? "step" : cursor.bottom <= step.top ? "cursor" : "neither";
    })()"""
    cursor(browser, PIPELINE, "wait full[stage]")
    assert browser.js(first) == "cursor"
    browser.press(*RIGHT)
    assert browser.js(first) == "step"
    cursor(browser, PIPELINE, "trigger full[stage]")
    assert browser.js(first) == "cursor"
    browser.js("$('time').value = 3; $('time').dispatchEvent(new Event('input'))")
    assert browser.js(first) == "step"
    cursor(browser, PIPELINE, "wait full[stage]")
    browser.js("document.querySelector('.box').dispatchEvent(new MouseEvent('click', {bubbles: true}))")
    assert browser.js(first) == "step"


def test_the_moment_follows_the_cursor_and_keeps_the_turn(browser: Browser, tmp_path: Path) -> None:
    opened(browser, tmp_path, PIPELINE)
    now = "(s => [s.op, s.event, s.path, s.iteration.iv_k ?? null])(run.steps[run.picture.moments[at - 1].step])"
    cursor(browser, PIPELINE, "wait full[stage]")
    assert browser.js(now) == ["wait", "full", "path p1 == 1", 0]
    browser.js("document.querySelectorAll('#cursor .tabs button')[2].click()")
    assert browser.js(now) == ["wait", "full", "path p1 == 1", 2]
    assert browser.js("document.activeElement.innerText") == "iv_k = 2"
    cursor(browser, PIPELINE, "trigger full[stage]")
    assert browser.js(now) == ["trigger", "full", "path p1 == 0", 2]
    browser.js("go(at + 1)")
    moved = browser.js("at")
    cursor(browser, PIPELINE, "shared event")
    assert browser.js("at") == moved
    assert "Put the cursor on a wait, trigger, copy or multiply" in inner(browser, "cursor")
    cursor(browser, PIPELINE, "#define")
    assert "outside of the kernels" in inner(browser, "cursor")


def test_a_moment_at_the_statement_already_is_kept(browser: Browser, tmp_path: Path) -> None:
    """A click on a line moves the cursor there, which must not lead back to the first turn."""
    opened(browser, tmp_path, PIPELINE)
    browser.js("go(momentOf(run.picture.boxes.filter(b => b.op === 'trigger').at(-1)))")
    before, turn = browser.js("[at, run.steps[run.picture.moments[at - 1].step].iteration.iv_k]")
    browser.js("document.getElementById('src').click()")
    word = "trigger empty[stage]" if "empty" in inner(browser, "src") else "trigger full[stage]"
    cursor(browser, PIPELINE, word)
    assert browser.js("at") == before
    assert browser.js("document.querySelector('#cursor [aria-pressed=true]').innerText") == f"iv_k = {turn}"


def test_copies_in_the_air_are_listed_with_their_line(browser: Browser, tmp_path: Path) -> None:
    opened(browser, tmp_path, PIPELINE)
    told = cursor(browser, PIPELINE, "trigger full[stage]")
    flying = told["visits"][0]["buffers"]
    listed = browser.js("[...document.querySelectorAll('#cursor .holds li')].map(x => x.innerText)")
    assert listed == [
        f"{one['buffer']}[{one['slot']}] by p1 == 0, line {one['range']['start']['line'] + 1}" for one in flying
    ]
    assert len(listed) == 2
    browser.js("document.querySelector('#cursor .holds li button').click()")
    assert browser.js("said.at(-1)") == {"type": "reveal", "range": flying[0]["range"]}


def test_the_cursor_chooses_the_kernel(browser: Browser, tmp_path: Path) -> None:
    opened(browser, tmp_path, PIPELINE + OTHER)
    assert inner(browser, "title") == "matmul"
    both = PIPELINE + OTHER
    cursor(browser, both, "wait full[stage]", len(PIPELINE) + OTHER.index("wait full") - PIPELINE.index("wait full"))
    assert inner(browser, "title") == "other"


def test_in_a_kernel_that_fails_the_counterexample_follows(browser: Browser, tmp_path: Path) -> None:
    opened(browser, tmp_path, FAILS)
    assert "Counterexample" in browser.js("document.querySelector('#runs [aria-selected=true]').innerText")
    browser.js("go(0)")
    cursor(browser, FAILS, "wait full[stage]")
    assert inner(browser, "say").startswith("path p1 == 1 waits on full[0] for generation 0, parity 0. Nobody will")
    assert "told of kernels without a finding" in inner(browser, "cursor")


# --- new data ---


def shown(browser: Browser) -> list[Any]:
    found: list[Any] = browser.js(
        "[flow.function, run === flow, (s => [s.path, s.op, s.event, s.slot, s.generation])"
        "(run.steps[run.picture.moments[at - 1].step])]"
    )
    return found


def test_new_data_keeps_kernel_and_step_though_lines_move(browser: Browser, tmp_path: Path) -> None:
    both = PIPELINE + OTHER
    opened(browser, tmp_path, both)
    browser.js("choose(1); go(23)")
    before, line = shown(browser), browser.js("document.querySelector('#src i').innerText")
    tell(browser, type="note", text="", stale=True)
    assert browser.js("document.body.classList.contains('stale')")
    moved = "// one more line\n" + OTHER.replace("other", "first") + both
    tell(browser, type="flow", result=to_data(flow_of(moved)))
    assert shown(browser) == before and before[0] == "other"
    assert int(browser.js("document.querySelector('#src i').innerText")) == int(line) + 1 + OTHER.count("\n")
    assert not browser.js("document.body.classList.contains('stale')")


def test_a_kernel_that_begins_to_fail_opens_on_its_counterexample_and_back(browser: Browser, tmp_path: Path) -> None:
    opened(browser, tmp_path, PIPELINE)
    browser.js("go(20)")
    tell(browser, type="flow", result=to_data(flow_of(FAILS)))
    assert inner(browser, "badge") == "credit flow fails: 1 finding"
    assert "Nobody will complete it" in inner(browser, "say")
    tell(browser, type="flow", result=to_data(flow_of(PIPELINE)))
    assert (inner(browser, "badge"), browser.js("run === flow")) == ("credit flow proved for every K", True)


@pytest.mark.parametrize("broken", ["wait full[", "wait fulll[stage];", "wait"])
def test_a_mistake_keeps_the_last_picture_with_a_note(browser: Browser, tmp_path: Path, broken: str) -> None:
    opened(browser, tmp_path, PIPELINE)
    browser.js("go(20)")
    before = shown(browser)
    text = PIPELINE.replace("wait full[stage];", broken)
    for _ in range(2):
        tell(browser, type="flow", result=to_data(flow_of(text)))
        assert shown(browser) == before
        assert inner(browser, "note").startswith("This is the flow of the text before: the function has errors: ")
        assert browser.js("document.body.classList.contains('stale')")
    tell(browser, type="flow", result=to_data(flow_of(PIPELINE)))
    assert (shown(browser), inner(browser, "note")) == (before, "")


def test_a_document_without_a_kernel_and_one_that_opens_anew(browser: Browser, tmp_path: Path) -> None:
    opened(browser, tmp_path, "// nothing\n")
    assert inner(browser, "badge") == "no kernel here"
    browser.press(*RIGHT)
    tell(browser, type="flow", result=to_data(flow_of(PIPELINE + OTHER)), open="other")
    assert inner(browser, "title") == "other"
    tell(browser, type="flow", result=to_data(flow_of(PIPELINE + OTHER.replace(BOOTSTRAP, ""))), open=None)
    assert (inner(browser, "title"), "Nobody" in inner(browser, "say")) == ("other", True)
    tell(browser, type="flow", result=to_data(flow_of("// nothing\n")), open=None)
    assert inner(browser, "badge") == "no kernel here"
    tell(browser, type="nonsense")
    tell(browser, type="at", told=to_data(flow_at(flow_of("// nothing\n"), Place(0, 0))))
    assert browser.problems == []


# --- the editor ---


def test_the_place_comes_back_when_the_page_is_made_again(browser: Browser, tmp_path: Path) -> None:
    both = PIPELINE + OTHER
    made(browser, tmp_path, both)
    browser.js("choose(1); go(23)")
    assert browser.js("kept") is None
    tell(browser, type="document", uri=URI)
    before, state = shown(browser), browser.js("kept")
    assert state["uri"] == URI
    made(browser, tmp_path, both, state=state)
    assert shown(browser) == before
    assert browser.js("kept") == state


def test_the_place_waits_for_data_that_is_newer_than_the_page(browser: Browser, tmp_path: Path) -> None:
    """A page that was hidden begins with the data that it was made of; what it showed comes behind that."""
    opened(browser, tmp_path, PIPELINE)
    tell(browser, type="flow", result=to_data(flow_of(FAILS)))
    browser.press(*END)
    before, state = shown(browser), browser.js("kept")
    made(browser, tmp_path, PIPELINE, state=state)
    assert browser.js("run === flow")
    tell(browser, type="flow", result=to_data(flow_of(FAILS)))
    tell(browser, type="document", uri=URI)
    assert shown(browser) == before
    assert browser.js("run.code") == "credit-deadlock"


def test_it_says_that_it_is_ready_which_step_it_shows_and_which_line_is_meant(browser: Browser, tmp_path: Path) -> None:
    made(browser, tmp_path, FAILS)
    wait = line_of(FAILS, "wait empty[stage]")
    step, ready = browser.js("said")
    assert (step["type"], step["range"]["start"]["line"], ready) == ("step", wait, {"type": "ready"})
    browser.js("document.getElementById('src').focus()")
    browser.press(*ENTER, text="\r")
    revealed = browser.js("said.at(-1)")
    assert (revealed["type"], revealed["range"]["start"]["line"]) == ("reveal", wait)
    browser.press("Home", 36)
    assert browser.js("said.at(-1)") == {"type": "step", "range": None}
    browser.js("document.querySelector('.finding .line').click()")
    assert browser.js("said.at(-1).type") == "reveal"


def test_a_function_is_opened_by_its_name(browser: Browser, tmp_path: Path) -> None:
    opened(browser, tmp_path, PIPELINE + OTHER)
    tell(browser, type="open", function="other")
    assert inner(browser, "title") == "other"


@pytest.mark.parametrize("width", [420, 600, 1100])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_has_the_theme_of_the_editor_and_fits(browser: Browser, tmp_path: Path, theme: str, width: int) -> None:
    address = opened(browser, tmp_path, PIPELINE, theme, width=width)
    cursor(browser, PIPELINE, "wait full[stage]")
    assert browser.js("document.documentElement.scrollWidth <= innerWidth")
    channels = "getComputedStyle(document.body).{0}.match(/[0-9.]+/g).slice(0, 3).map(Number)"
    ground, ink = browser.js(channels.format("backgroundColor")), browser.js(channels.format("color"))
    assert [tuple(ground), tuple(ink)] == [tuple(bytes.fromhex(colour[1:])) for colour in COLOURS[theme]]
    tone = "getComputedStyle(document.documentElement).getPropertyValue('--tone')"
    assert browser.js(tone) == {"light": "0.6", "dark": "0.74"}[theme]
    other = {"light": "vscode-high-contrast", "dark": "vscode-high-contrast vscode-high-contrast-light"}[theme]
    browser.js(f"document.body.className = '{other}'; new Promise(done => setTimeout(done))")
    assert browser.js(tone) == {"light": "0.74", "dark": "0.6"}[theme]
    assert (browser.requests, browser.problems) == ([address], [])


def test_the_cursors_card_is_reached_by_keys(browser: Browser, tmp_path: Path) -> None:
    opened(browser, tmp_path, PIPELINE)
    cursor(browser, PIPELINE, "wait full[stage]")
    browser.js("document.querySelector('#src').focus()")
    reached = []
    for _ in range(14):
        browser.press(*TAB)
        reached.append(browser.js("document.activeElement.innerText"))
    assert "iv_k = 1" in reached
    browser.js("document.querySelectorAll('#cursor .tabs button')[1].focus()")
    browser.press(*ENTER, text="\r")
    assert browser.js("document.querySelector('#cursor [aria-pressed=true]').innerText") == "iv_k = 1"
    labels = "[...document.querySelectorAll('#cursor button')].filter(b => !(b.innerText || b.ariaLabel).trim()).length"
    assert browser.js(labels) == 0
