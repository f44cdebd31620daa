"""Every request gets exactly one answer, whatever it holds and whenever it comes (LSP 3.17, base protocol)."""

from __future__ import annotations

import os
import select
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.lsp.bare import FailedError, Server

PLACE = {"textDocument": {"uri": "file:///a.co"}}
KERNEL = "__co__ void f(global s32 [8] x) {\n  parallel p by 8 : thread { x.at(p) = zz; }\n}\n"
HOVER = (
    b'{"jsonrpc":"2.0","id":1100,"method":"textDocument/hover","params":'
    b'{"textDocument":{"uri":"file:///a.co"},"position":{"line":%b,"character":1}}}'
)


def body(data: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n%b" % (len(data), data)


@pytest.mark.parametrize(
    "method", ["textDocument/hover", "textDocument/documentSymbol", "textDocument/semanticTokens/full"]
)
@pytest.mark.parametrize("params", [None, {}, {"textDocument": {}}, {"textDocument": 3}, []])
def test_params_that_do_not_fit_are_answered(shared: Server, method: str, params: Any) -> None:
    with pytest.raises(FailedError) as failed:
        shared.ask(method, params)
    assert failed.value.code == -32602
    assert shared.ask("textDocument/hover", PLACE | {"position": {"line": 0, "character": 0}}) is None


def test_what_does_not_fit_is_named(shared: Server) -> None:
    with pytest.raises(FailedError, match=r"expected int @ message\.params\.position\.line"):
        shared.ask("textDocument/hover", PLACE | {"position": {"line": "x", "character": 0}})


def test_a_request_without_params_is_answered(shared: Server) -> None:
    shared.send("textDocument/hover", 1002)
    assert shared.answer(1002)["error"]["code"] == -32602


@pytest.mark.parametrize("line", [-1, 2**31])
def test_impossible_positions_are_answered(shared: Server, line: int) -> None:
    with pytest.raises(FailedError) as failed:
        shared.ask("textDocument/hover", PLACE | {"position": {"line": line, "character": 0}})
    assert failed.value.code == -32602


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ([], -32600),
        (3, -32600),
        ({"id": 1003, "method": "textDocument/hover"}, -32600),  # JSON-RPC 2.0 says so in each message
        ({"jsonrpc": "2.0", "id": 1003, "method": 3}, -32600),
        ({"jsonrpc": "2.0", "id": [], "method": "textDocument/hover"}, -32600),
        ({"jsonrpc": "2.0", "id": 1003, "method": "textDocument/didSave", "params": PLACE}, -32601),
        ({"jsonrpc": "2.0", "id": 1003, "method": "$/cancelRequest", "params": {"id": 1}}, -32601),
        ({"jsonrpc": "2.0", "id": 1003, "method": "no/such"}, -32601),
    ],
)
def test_what_is_no_message_is_answered_as_that(shared: Server, message: Any, code: int) -> None:
    """With the number where it has one that can be one."""
    shared.write(message)
    number = message["id"] if isinstance(message, dict) and message["id"] == 1003 else None
    while "error" not in (answer := shared.read()):
        pass
    assert (answer["id"], answer["error"]["code"]) == (number, code)


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("textDocument/didOpen", {"textDocument": {"uri": 3}}),
        ("textDocument/didChange", PLACE | {"contentChanges": [{"text": "x"}]}),
        (
            "textDocument/didChange",
            {"textDocument": {"uri": "untitled:never.co", "version": 3}, "contentChanges": [{"text": "x"}]},
        ),
        ("textDocument/didClose", {"textDocument": {"uri": "untitled:never.co"}}),
        ("textDocument/hover", {}),
        ("$/setTrace", {"value": "verbse"}),
        ("$/cancelRequest", {}),
        ("$/cancelRequest", {"id": 10**6}),
        ("no/such", [1]),
    ],
)
def test_notifications_that_do_not_fit_are_a_line_of_the_log_at_most(shared: Server, method: str, params: Any) -> None:
    """No message to the person, who did nothing; no traceback, for nothing failed here."""
    before = len(shared.log())
    shared.send(method, params=params)
    assert shared.ask("textDocument/hover", PLACE | {"position": {"line": 0, "character": 0}}) is None
    assert shared.messages() == []
    assert shared.log()[before:].count("\n") <= 1


@pytest.mark.parametrize("token", [[1], {}, True, 1.5])
@pytest.mark.parametrize("method", ["croqtile/ir", "croqtile/run", "croqtile/flowPage"])
def test_a_token_that_can_be_none_is_answered(shared: Server, method: str, token: Any) -> None:
    shared.open("untitled:token.co", KERNEL)
    more = {"workDoneToken": token, "engine": "sim", "nonce": "A" * 24}
    with pytest.raises(FailedError, match="'workDoneToken' must be a text or a whole number") as failed:
        shared.ask(method, {"textDocument": {"uri": "untitled:token.co"}} | more)
    assert failed.value.code == -32602
    assert "Traceback" not in shared.log()


@pytest.mark.parametrize(
    ("method", "more"),
    [
        ("flowAt", {"position": {"line": 10**30, "character": 0}}),
        ("flowAt", {"position": {"line": 0, "character": 2**31}}),
        ("run", {"seed": 10**30}),
        ("run", {"timeout": float("inf")}),
        ("run", {"timeout": float("nan")}),
    ],
)
def test_a_number_out_of_range_is_answered(shared: Server, method: str, more: Any) -> None:
    shared.open("untitled:range.co", KERNEL)
    with pytest.raises(FailedError) as failed:
        shared.ask(f"croqtile/{method}", {"textDocument": {"uri": "untitled:range.co"}} | more)
    assert failed.value.code == -32602
    assert "Traceback" not in shared.log()


@pytest.mark.parametrize(
    ("data", "number", "code"),
    [
        (body(b"hello"), None, -32700),
        (body(b""), None, -32700),
        (body(b'{"jsonrpc":"2.0","id":1100,"method":"x/\xff","params":{}}'), None, -32700),
        (body(b"[" * 100_000), None, -32700),
        (b"Content-Length: -5\r\n\r\n", None, -32700),
        (b"Content-Length: abc\r\n\r\n", None, -32700),
        (b"Content-Length: 99999999999999999999\r\n\r\n", None, -32700),
        (b"GET / HTTP/1.1\r\n\r\n", None, -32700),
        (body(HOVER % (b"9" * 5000)), 1100, -32602),
        (body(HOVER % b"NaN"), 1100, -32602),
        (body(HOVER % b"1e999"), 1100, -32602),
        (body(HOVER % b"-1"), 1100, -32602),
        (body(b'{"jsonrpc":"2.0","id":1100,"method":"no/such"}').lower(), 1100, -32601),
        (b"\r\n" + body(b'{"jsonrpc":"2.0","id":1100,"method":"no/such"}'), 1100, -32601),
    ],
)
def test_bytes_that_are_no_message_are_answered_as_that(shared: Server, data: bytes, number: Any, code: int) -> None:
    """And the next message is read; nothing is shown to the person, and no traceback written."""
    assert shared.process.stdin is not None
    shared.process.stdin.write(data)
    shared.process.stdin.flush()
    while "error" not in (answer := shared.read()):
        pass
    assert (answer["id"], answer["error"]["code"]) == (number, code)
    assert shared.ask("textDocument/hover", PLACE | {"position": {"line": 0, "character": 0}}) is None
    assert shared.messages() == []
    assert "Traceback" not in shared.log()


def test_a_stopped_process_ends_with_the_server(server: Server) -> None:
    """Killed while it is stopped: what was waiting for it is woken by nothing."""
    server.start()
    server.open("untitled:k.co", KERNEL)
    assert server.ask("croqtile/ir", {"textDocument": {"uri": "untitled:k.co"}})["text"]
    working = [one for one in server.children() if b"spawn_main" in Path(f"/proc/{one}/cmdline").read_bytes()]
    assert len(working) == 2
    watched = [os.pidfd_open(one) for one in working]
    for one in working:
        os.kill(one, signal.SIGSTOP)
    server.process.kill()
    for one in watched:
        assert select.select([one], [], [], 30)[0]  # it is readable once the process has ended
        os.close(one)


def test_an_object_inside_the_params_is_no_message(shared: Server) -> None:
    """Whatever its keys: the request that holds it is answered, once."""
    inside = {"jsonrpc": "2.0", "id": 1005, "method": "textDocument/hover"}
    with pytest.raises(FailedError) as failed:
        shared.ask("croqtile/flow", PLACE | {"defines": inside})
    assert failed.value.message == "file:///a.co is not open"
    shared.open("untitled:inside.co", KERNEL)
    with pytest.raises(FailedError, match=r"'defines\.id' must be a text or null"):
        shared.ask("croqtile/flow", {"textDocument": {"uri": "untitled:inside.co"}, "defines": inside})


@pytest.mark.parametrize("refused", [{"code": -32601, "message": "no"}, None])
def test_a_client_that_refuses_or_answers_nonsense_is_served_all_the_same(server: Server, refused: Any) -> None:
    """Whatever the server asks: to be told of changed files, for the settings, for hints to be asked anew."""
    offered = {
        "workspace": {
            "configuration": True,
            "didChangeWatchedFiles": {"dynamicRegistration": True},
            "inlayHint": {"refreshSupport": True},
        },
        "window": {"workDoneProgress": True},
    }
    server.error, server.answers["workspace/configuration"] = refused, 7
    server.start(offered, {"inlayHints": {"types": False}})
    server.open("untitled:k.co", KERNEL)
    server.send("workspace/didChangeConfiguration", params={"settings": None})
    shown = server.until("textDocument/publishDiagnostics")
    assert len(shown["diagnostics"]) == 1
    assert server.ask("croqtile/sharedMemory", {"textDocument": {"uri": "untitled:k.co"}})["kernels"] == []
    assert server.messages() == []
    assert server.others == []
    assert "Traceback" not in server.log()


def test_an_answer_to_what_was_cancelled_meanwhile_is_dropped(server: Server) -> None:
    """The run is ended while the client makes room for its progress."""
    server.start({"window": {"workDoneProgress": True}})
    server.open("untitled:k.co", KERNEL.replace("zz", "1"))
    server.respond["window/workDoneProgress/create"] = lambda _: server.send("croqtile/runCancel", 900, params={})
    number = server.ask("croqtile/run", {"textDocument": {"uri": "untitled:k.co"}, "engine": "sim"})["id"]
    assert server.until("croqtile/runResult", lambda one: one["id"] == number)["state"] == "cancelled"
    assert server.ask("textDocument/hover", PLACE | {"position": {"line": 0, "character": 0}}) is None
    assert server.messages() == []
    assert "Traceback" not in server.log()


def test_an_answer_of_the_client_that_does_not_fit_is_none(shared: Server) -> None:
    """Who asked goes on at once."""
    shared.answers["workspace/applyEdit"] = "nonsense"
    text = Path("examples/pipeline_course.co").read_text(encoding="utf-8")
    shared.open("untitled:m.co", text)
    answer = shared.ask("workspace/executeCommand", {"command": "croqtile.migrate", "arguments": ["untitled:m.co"]})
    assert answer["message"] == "the editor did not make the edit"


def test_the_order_of_life(server: Server) -> None:
    server.send("textDocument/hover", 7, params=PLACE | {"position": {"line": 0, "character": 0}})
    assert server.answer(7)["error"]["code"] == -32002
    server.start()
    server.send("shutdown", 2)
    assert server.answer(2)["result"] is None
    server.send("textDocument/hover", 3, params=PLACE | {"position": {"line": 0, "character": 0}})
    assert server.answer(3)["error"]["code"] == -32600
    server.send("exit")
    assert server.process.wait(10) == 0


def test_the_end_without_shutdown_is_no_success(server: Server) -> None:
    server.start()
    server.send("exit")
    assert server.process.wait(10) == 1


def test_a_client_that_is_gone_ends_the_server(server: Server) -> None:
    server.start()
    assert server.process.stdin is not None
    server.process.stdin.close()
    assert server.process.wait(10) == 1


def test_what_is_told_before_the_start_is_dropped(server: Server) -> None:
    """A document that was opened then is not open: its text would be read under no agreed encoding."""
    server.send(
        "textDocument/didOpen",
        params={"textDocument": {"uri": "untitled:early.co", "languageId": "croqtile", "version": 1, "text": KERNEL}},
    )
    server.start()
    assert server.ask("textDocument/documentSymbol", {"textDocument": {"uri": "untitled:early.co"}}) == []
    server.open("untitled:k.co", KERNEL)
    assert server.ask("textDocument/documentSymbol", {"textDocument": {"uri": "untitled:k.co"}})
    assert (server.messages(), server.log()) == ([], "")
