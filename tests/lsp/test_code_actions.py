"""`textDocument/codeAction` over real stdio: quick fixes, `source.fixAll`, refactorings, and edits that fit."""

from __future__ import annotations

import asyncio
from pathlib import Path

from lsprotocol import types as lsp
from pytest_lsp import LanguageClient

from croqc.text.diagnostics import Fix
from croqc.text.edits import Edit
from croqc.text.source import Source
from croqc.text.span import Span
from croqls.lsp.requests.code_action import title_of
from tests.cli.seeds import BOOTSTRAP, PIPELINE
from tests.lsp.conftest import Editor

EXAMPLES = Path(__file__).parents[2] / "examples"
BROKEN = """// an emoji 😀 stands before the code
__co__ void f(global f16 [M, 64] src, global f16 [M, 64] out) {
  parallel b by 4 : block {
    /* 😀 */ swap(alpha, beta, gamma) ;
    shared f16 [16, 64] tile_s;
    /* é */ dma.copy srk.subspan(16, 64).at(b, 0) => tile_s
    dma.copy tile_s => out.subspan(16, 64).at(b, 0);
  }
}
"""


async def ask(client: LanguageClient, editor: Editor, word: str, only: list[str] | None = None) -> list[lsp.CodeAction]:
    place = editor.position(word)
    context = lsp.CodeActionContext(diagnostics=[], only=only)
    params = lsp.CodeActionParams(editor.document, lsp.Range(place, place), context)
    answer = await client.text_document_code_action_async(params)
    return [item for item in answer or [] if isinstance(item, lsp.CodeAction)]


def edits_of(action: lsp.CodeAction, editor: Editor) -> list[lsp.TextEdit]:
    assert action.edit is not None
    if action.edit.document_changes:
        (change,) = action.edit.document_changes
        assert isinstance(change, lsp.TextDocumentEdit)
        assert change.text_document.version == editor.version
        return list(change.edits)  # type: ignore[arg-type]
    assert action.edit.changes is not None
    return list(action.edit.changes[editor.uri])


def applied(editor: Editor, action: lsp.CodeAction) -> str:
    """The document after an action."""
    return editor.applied(edits_of(action, editor))


async def test_a_quick_fix_mends_its_finding(client: LanguageClient) -> None:
    editor = Editor(client, "fix.co", BROKEN)
    actions = await ask(client, editor, "srk", ["quickfix"])
    fix = next(item for item in actions if item.diagnostics and item.diagnostics[0].code == "undeclared-name")
    assert fix.kind == "quickfix"
    assert applied(editor, fix) == BROKEN.replace("srk", "src")


async def test_the_architecture_is_set_where_that_mends(client: LanguageClient) -> None:
    """Clusters came with sm_90 (PTX ISA)."""
    text = "// croq: arch sm_80\n__co__ void f(global s32 [64] x) { parallel c by 2 : cluster { x.at(c) = 1; } }\n"
    editor = Editor(client, "arch.co", text)
    actions = await ask(client, editor, "cluster", ["quickfix"])
    found = {item.title: item for item in actions if item.title.startswith("Set the architecture")}
    assert list(found) == ["Set the architecture to sm_90a", "Set the architecture to sm_100a"]
    first = found["Set the architecture to sm_90a"]
    assert first.diagnostics is not None and first.diagnostics[0].code == "level-unavailable"
    assert applied(editor, first) == text.replace("sm_80", "sm_90a")


async def test_a_word_after_which_the_flow_fails_is_not_preferred(client: LanguageClient) -> None:
    """`inthreads` and `inthreads.async` may both have been meant; with the first one the roles wait for each other."""
    right = (EXAMPLES / "pipeline_course.co").read_text(encoding="utf-8")
    typed = right.replace("inthreads.async (p1 == 0)", "inthread (p1 == 0)", 1)
    editor = Editor(client, "guess.co", typed)
    for _ in range(500):  # the second list of a version comes with its verdicts
        if sum(item.version == editor.version and item.uri == editor.uri for item in client.published) >= 2:
            break
        await asyncio.sleep(0.02)
    actions = [item for item in await ask(client, editor, "inthread (p1") if "inthreads" in item.title]
    assert [(item.title, item.is_preferred) for item in actions] == [("Write 'inthreads'", None)]
    assert await ask(client, editor, "inthread (p1", ["source.fixAll"]) == []
    editor.replace("__co__", "\n__co__")  # until its own verdict comes, that of the version before holds
    moved = [item for item in await ask(client, editor, "inthread (p1") if "inthreads" in item.title]
    assert [item.is_preferred for item in moved] == [None]


async def test_a_word_after_which_the_flow_is_right_is_preferred(client: LanguageClient) -> None:
    right = (EXAMPLES / "pipeline_course.co").read_text(encoding="utf-8")
    editor = Editor(client, "slip.co", right.replace("wait full", "wiat full", 1))
    for _ in range(500):
        if sum(item.version == editor.version and item.uri == editor.uri for item in client.published) >= 2:
            break
        await asyncio.sleep(0.02)
    actions = await ask(client, editor, "wiat full", ["quickfix"])
    assert [(item.title, item.is_preferred) for item in actions] == [("Write 'wait'", True)]


async def test_diagnostics_that_the_client_names_have_their_fixes(client: LanguageClient) -> None:
    """Vim and Emacs name those of the cursor's line, wherever the cursor stands in it."""
    editor = Editor(client, "line.co", BROKEN)
    shown = await editor.until("undeclared-name")
    named = [item for item in shown if item.code == "undeclared-name"]
    beginning = lsp.Position(named[0].range.start.line, 0)

    async def offered(diagnostics: list[lsp.Diagnostic]) -> set[object]:
        context = lsp.CodeActionContext(diagnostics, only=["quickfix"])
        params = lsp.CodeActionParams(editor.document, lsp.Range(beginning, beginning), context)
        actions = await client.text_document_code_action_async(params)
        return {one.diagnostics[0].code for one in actions or [] if isinstance(one, lsp.CodeAction) and one.diagnostics}

    assert await offered(named) == {"undeclared-name"}
    assert await offered([]) == set()
    named[0].code = "early-reuse"  # of an older version, say
    assert await offered(named[:1]) == set()


async def test_a_quick_fix_mends_a_verdict(client: LanguageClient) -> None:
    editor = Editor(client, "hangs.co", PIPELINE.replace(BOOTSTRAP, ""))
    await editor.until("credit-deadlock")
    actions = await ask(client, editor, "empty[stage]", ["quickfix"])
    fix = next(item for item in actions if item.diagnostics and item.diagnostics[0].code == "credit-deadlock")
    assert applied(editor, fix) == PIPELINE


async def test_the_first_safe_fix_is_preferred(client: LanguageClient) -> None:
    editor = Editor(client, "prefer.co", BROKEN)
    found = [item for item in await ask(client, editor, "dma.copy tile_s", ["quickfix"]) if item.is_preferred]
    assert [applied(editor, item) for item in found] == [BROKEN.replace("=> tile_s\n", "=> tile_s;\n")]


async def test_fix_all_takes_the_safe_ones(client: LanguageClient) -> None:
    editor = Editor(client, "all.co", BROKEN)
    (action,) = await ask(client, editor, "parallel", ["source.fixAll"])
    assert action.kind == "source.fixAll"
    assert "=> tile_s;\n" in applied(editor, action)


async def test_refactorings_of_a_place(client: LanguageClient) -> None:
    text = (EXAMPLES / "pipeline_course.co").read_text(encoding="utf-8")
    editor = Editor(client, "course.co", text)
    actions = await ask(client, editor, "empty[MATMUL_STAGES]", ["refactor"])
    assert "Declare 'empty' as ready" in [item.title for item in actions]
    ready = next(item for item in actions if item.title == "Declare 'empty' as ready")
    after = applied(editor, ready)
    assert "empty[MATMUL_STAGES] = ready;" in after
    assert "foreach {s}" not in after


async def test_migrating_the_whole_file(client: LanguageClient) -> None:
    text = (EXAMPLES / "pipeline_classic.co").read_text(encoding="utf-8")
    editor = Editor(client, "classic.co", text)
    actions = await ask(client, editor, "matmul", ["source"])
    migrate = next(item for item in actions if item.title == "Migrate this file to the current dialect")
    if migrate.edit is None:
        migrate = await client.code_action_resolve_async(migrate)
    assert "trigger full.at(k) after lhs_f, rhs_f;" in applied(editor, migrate)


async def test_where_nothing_is_wrong_nothing_is_offered(client: LanguageClient) -> None:
    text = (EXAMPLES / "add_tiled.co").read_text(encoding="utf-8")
    editor = Editor(client, "fine.co", text)
    assert await ask(client, editor, "parallel") == []


async def test_a_moving_cursor_is_offered_fixes_only(client: LanguageClient) -> None:
    text = (EXAMPLES / "pipeline_course.co").read_text(encoding="utf-8").replace("rhs.chunkat", "rsh.chunkat")
    editor = Editor(client, "moving.co", text)
    for word, kinds in (("empty[MATMUL_STAGES]", set()), ("rsh.chunkat", {"quickfix"})):
        place = editor.position(word)
        context = lsp.CodeActionContext(diagnostics=[], trigger_kind=lsp.CodeActionTriggerKind.Automatic)
        params = lsp.CodeActionParams(editor.document, lsp.Range(place, place), context)
        answer = await client.text_document_code_action_async(params)
        assert {item.kind for item in answer or [] if isinstance(item, lsp.CodeAction)} == kinds


async def test_the_answer_is_of_the_present_version(client: LanguageClient) -> None:
    """Asked right behind an edit, with the list of diagnostics of the version before."""
    editor = Editor(client, "late.co", BROKEN)
    await editor.diagnostics()
    editor.replace("// an emoji 😀 stands before the code\n", "// one\n// two\n")
    fix = next(item for item in await ask(client, editor, "srk", ["quickfix"]) if item.diagnostics)
    assert applied(editor, fix) == editor.text.replace("srk", "src")


async def test_an_unknown_document_has_no_actions(client: LanguageClient) -> None:
    place = lsp.Position(3, 7)
    document = lsp.TextDocumentIdentifier("file:///nowhere/k.co")
    params = lsp.CodeActionParams(document, lsp.Range(place, place), lsp.CodeActionContext(diagnostics=[]))
    assert not await client.text_document_code_action_async(params)


def test_a_title_counts_the_lines_where_they_are_several() -> None:
    source = Source("one two\nthree\n", "k.co")
    edits = tuple(Edit(Span(at, at), ";") for at in (3, 7, 13))
    assert title_of(source, Fix("End them", edits)) == "End them (2 lines)"  # two edits are of one line
    assert title_of(source, Fix("End them", edits[:2])) == "End them"
