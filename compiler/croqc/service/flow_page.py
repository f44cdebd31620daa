"""The page that shows a credit flow: the package's parts put together, with its data in them. Must not draw or analyse.

The parts stand in `pages/flow`: the document, its style, and the script in pieces that share one scope.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from importlib.resources import files
from typing import Final

from croqc.service.flow import FlowResult
from croqc.service.json_text import to_compact_json

_ALONE: Final = "default-src 'none'"  # of the content security policy
SCRIPTS: Final = ("meanings", "dom", "timeline", "inside", "measured", "cursor", "host", "state", "main")
"""The order of the script's pieces: `main` runs at once and needs all others."""


def page_template(scripts: Sequence[str] = SCRIPTS) -> str:
    """The page with `@DATA@` and `@NONCE@` in it."""
    folder = files("croqc.service") / "pages" / "flow"
    texts = {name: (folder / name).read_text(encoding="utf-8") for name in ("page.html", "style.css")}
    script = "".join((folder / f"{name}.js").read_text(encoding="utf-8") for name in scripts)
    return texts["page.html"].replace("@STYLE@", texts["style.css"]).replace("@SCRIPT@", '"use strict";\n' + script)


def flow_page(result: FlowResult, nonce: str = "") -> str:
    """One self-contained HTML text. Same result, same bytes.

    The nonce lets the page's own style and script through its content security policy; by default it is drawn
    from the data, which is enough for a page that nobody else writes into.
    """
    return page_of(to_compact_json(result), nonce)


def page_of(data: str, nonce: str = "") -> str:
    """The page of a result that is JSON already; see `flow_page`."""
    nonce = nonce or hashlib.sha256(data.encode("utf-8", "surrogatepass")).hexdigest()[:24]
    return _filled(page_template(), data, nonce)


def served_page(data: str, nonce: str, tag: str) -> str:
    """A page that asks where it came from, and nobody else, for data newer than those of the tag (`live.js`)."""
    template = page_template((*SCRIPTS, "live")).replace("@TAG@", tag)
    return _filled(template.replace(_ALONE, f"{_ALONE}; connect-src 'self'"), data, nonce)


def _filled(template: str, data: str, nonce: str) -> str:
    safe = data.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    head, tail = template.replace("@NONCE@", nonce).split("@DATA@")
    return head + safe + tail
