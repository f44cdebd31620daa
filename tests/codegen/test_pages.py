"""The valid kernels of the rules' pages: each compiles for its target, or stands in the table of what is not lowered.

The table makes coverage visible: a kernel that starts to lower must leave it, one that stops must enter it.
"""

from __future__ import annotations

from importlib.resources import files

import pytest

from croqc.rules.page import Example, parse_page
from croqc.service.check import check_text
from croqc.service.settings import Settings
from tests.codegen.compiling import complaints, log_of, lowered

pytestmark = pytest.mark.slow

NO_FUNCTION = "this file does not define a device function"
NOT_LOWERED = {
    "call-at-host:twice": NO_FUNCTION,
    "call-gaps:halves": NO_FUNCTION,
    "data-extents:add": "this is no data: name a buffer",
    "launch-attribute:fill": "CUDA takes no 'maxnreg' beside the blocks that 'launch_bounds' names",
    "template-argument:twice": NO_FUNCTION,
    "unsupported-type:scales": "the type f8_ue8m0 is not lowered to CUDA yet",
}


def kernels() -> list[tuple[str, Example]]:
    found = []
    for entry in sorted(files("croqc.rules").joinpath("pages").iterdir(), key=lambda each: each.name):
        if entry.name.endswith(".md"):
            page = parse_page(entry.read_text(encoding="utf-8"))
            found += [(entry.name.removesuffix(".md"), each) for each in page.examples if "valid" in each.words]
    return found


def outcomes() -> dict[str, str]:
    """Why each kernel that is not lowered is not, by page and function; the others were compiled."""
    found: dict[str, str] = {}
    for page, each in kernels():
        defines = dict(item.split(":", 1) for item in (each.option("defines") or "").split(",") if item)
        report = check_text(each.text, Settings(each.option("arch"), each.option("dialect"), defines))
        for function in report.functions:
            item = lowered(report, function)
            if item.program is None:
                assert item.problem is not None
                assert report.source.slice(item.problem.span).strip()
                found[f"{page}:{function.name}"] = item.problem.message
            else:
                assert complaints(log_of(item.program.unit.text, report.target.name)) == [], page
    return found


def test_each_valid_kernel_compiles_or_is_listed() -> None:
    found = outcomes()
    assert sorted(set(found) ^ set(NOT_LOWERED)) == []
    wrong = {key: text for key, text in found.items() if NOT_LOWERED[key] not in text}
    assert wrong == {}


def test_most_kernels_are_lowered() -> None:
    total = len(kernels())
    assert total > 130
    assert len(NOT_LOWERED) < total / 5
