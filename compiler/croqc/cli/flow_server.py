"""Serves the page of `croq flow --serve` on this machine alone. Must not analyse.

The page asks for newer data by itself: the file may be written while it is looked at.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from croqc.cli.failure import UsageError
from croqc.cli.flow_latest import Latest, State
from croqc.service.flow_page import served_page

HOST = "127.0.0.1"


def serve(latest: Latest, port: int) -> int:
    """Print the address and serve until Ctrl-C. Raises UsageError for a port that cannot be had."""
    try:
        server = ThreadingHTTPServer((HOST, port), _handler(latest))
    except (OSError, OverflowError) as error:
        reason = error.strerror if isinstance(error, OSError) else "ports go up to 65535"
        raise UsageError(f"port {port} of {HOST} cannot be used ({reason}); leave --port out for a free one") from None
    with server:
        print(f"http://{HOST}:{server.server_port}/ (Ctrl-C ends it)", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            return 0
    return 0


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    kind: str
    text: str
    tag: str = ""


def _answer(latest: Latest, host: str, address: str) -> _Answer:
    """What is sent for an address; `host` is whom the client believes to ask."""
    parts = urlsplit(address)
    if host.rsplit(":", 1)[0] not in (HOST, "localhost"):  # a foreign name that points here must not read the source
        return _Answer(403, "text/plain", "only this machine may ask\n")
    if parts.path == "/":
        return _page(latest.now())
    if parts.path == "/flow":
        return _news(latest.now(), parse_qs(parts.query).get("have", [""])[0])
    return _Answer(404, "text/plain", "there is only one page, /\n")


def _page(state: State) -> _Answer:
    if state.error:  # asked for again by itself, until there is something to show
        head = '<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="1"><title>croq flow</title>'
        return _Answer(500, "text/html", f"{head}<p>{escape(state.error)}</p>\n")
    return _Answer(200, "text/html", served_page(state.data, secrets.token_urlsafe(18), state.tag))


def _news(state: State, have: str) -> _Answer:
    """The data of the state as it is now, or 204 where the page has them."""
    if have == state.tag:
        return _Answer(204, "text/plain", "", state.tag)
    if state.error:
        return _Answer(500, "text/plain", state.error, state.tag)
    return _Answer(200, "application/json", state.data, state.tag)


def _handler(latest: Latest) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        server_version = "croq"
        sys_version = ""

        def do_GET(self) -> None:
            answer = _answer(latest, self.headers.get("Host", ""), self.path)
            data = answer.text.encode("utf-8", "replace")
            self.send_response(answer.status)
            self.send_header("Content-Type", f"{answer.kind}; charset=utf-8")
            self.send_header("Content-Length", str(len(data)))
            self.send_header("Cache-Control", "no-store")
            self.send_header("Content-Security-Policy", "frame-ancestors 'none'")
            self.send_header("X-Content-Type-Options", "nosniff")
            if answer.tag:
                self.send_header("ETag", answer.tag)
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:
            """Requests are not worth a line each."""

    return Handler
