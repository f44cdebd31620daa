"""Serves the page of `croq flow --serve` on this machine alone. Must not analyse.

Every request reads the file anew, so that reloading shows the text as it is now.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from croqc.cli.failure import UsageError
from croqc.service.files import FileError
from croqc.service.flow import FlowResult, RequestError
from croqc.service.flow_page import flow_page

HOST = "127.0.0.1"


def serve(result: Callable[[], FlowResult], port: int) -> int:
    """Print the address and serve until Ctrl-C. Raises UsageError for a port that cannot be had."""
    try:
        server = ThreadingHTTPServer((HOST, port), _handler(result))
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


def _handler(result: Callable[[], FlowResult]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        server_version = "croq"
        sys_version = ""

        def do_GET(self) -> None:
            local = self.headers.get("Host", "").rsplit(":", 1)[0] in (HOST, "localhost")
            if not local:  # a foreign name that points here must not read the source
                self._send(403, "text/plain", "only this machine may ask\n")
            elif self.path.split("?")[0] == "/":
                self._page()
            else:
                self._send(404, "text/plain", "there is only one page, /\n")

        def _page(self) -> None:
            try:
                self._send(200, "text/html", flow_page(result(), secrets.token_urlsafe(18)))
            except (FileError, RequestError) as error:
                self._send(500, "text/html", f"<!doctype html><title>croq flow</title><p>{escape(str(error))}</p>\n")

        def _send(self, status: int, kind: str, text: str) -> None:
            data = text.encode("utf-8", "replace")
            self.send_response(status)
            self.send_header("Content-Type", f"{kind}; charset=utf-8")
            self.send_header("Content-Length", str(len(data)))
            self.send_header("Cache-Control", "no-store")
            self.send_header("X-Content-Type-Options", "nosniff")
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:
            """Requests are not worth a line each."""

    return Handler
