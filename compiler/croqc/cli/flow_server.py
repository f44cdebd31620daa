"""Serves the page of `croq flow --serve` on this machine alone. Must not analyse.

The page asks for newer data by itself: the file may be written while it is looked at.
"""

from __future__ import annotations

import re
import secrets
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from croqc.cli.failure import UsageError
from croqc.cli.flow_latest import Latest, State
from croqc.service.flow_page import served_page

HOST = "127.0.0.1"
_OWN_NAMES = re.compile(r"(?:127\.0\.0\.1|localhost|\[::1\])(?::[0-9]{1,5})?", re.ASCII | re.IGNORECASE)


def serve(latest: Latest, port: int) -> int:
    """Print the address and serve until Ctrl-C. Raises UsageError for a port that cannot be had."""
    try:
        server = _Server((HOST, port), _handler(latest))
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


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: object, client_address: object) -> None:
        """A client that goes away while it is answered is nothing to tell of."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    kind: str
    text: str
    tag: str = ""


def _answer(latest: Latest, hosts: Sequence[str], address: str) -> _Answer:
    """What is sent for an address; `hosts`: whom the client believes to ask, which is one."""
    if len(hosts) > 1:
        return _Answer(400, "text/plain", "a request names one host\n")
    if not hosts or not _OWN_NAMES.fullmatch(hosts[0].strip()):  # a foreign name may point here
        return _Answer(403, "text/plain", "only this machine may ask\n")
    try:
        parts = urlsplit(address)
    except ValueError:
        return _Answer(400, "text/plain", "this is no address\n")
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
            answer = _answer(latest, self.headers.get_all("Host", []), self.path)
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
