"""A function's analysis is taken over from the version before only where all that it depends on is the same."""

from __future__ import annotations

from croqc.sema.types import Scalar, Type
from croqc.service.check import FileReport, check_text

TEXT = """__device__ {} half_of(int a) {{ return a / 2; }}
__co__ void f(global s32 [8] y) {{
  parallel t by 8 {{
    r = call half_of(7);
    y.at(t) = r;
  }}
}}
"""


def type_of_r(report: FileReport) -> Type:
    (function,) = report.functions
    assert function.analysis is not None
    return next(symbol.type for symbol in function.analysis.model.symbols if symbol.name == "r")


def test_the_type_that_a_device_function_gives() -> None:
    before = check_text(TEXT.format("int"))
    assert type_of_r(before) == Scalar("s32", mutable=False)
    assert type_of_r(check_text(TEXT.format("float"), previous=before)) == Scalar("f32", mutable=False)


def test_what_did_not_change_is_taken_over() -> None:
    before = check_text(TEXT.format("int"))
    assert check_text(TEXT.format("int") + "\n", previous=before).functions[0].analysis is before.functions[0].analysis
