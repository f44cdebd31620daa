"""Generated text declares what it names: no constant that nothing reads, no header that nothing of is used."""

from __future__ import annotations

import pytest

from croqc.codegen.unused import without_unused
from croqc.codegen.writer import Line
from croqc.service.check import check_text
from croqc.service.cuda import cuda_of


def left(*texts: str) -> list[str]:
    return [line.text for line in without_unused([Line(text) for text in texts], ())]


def test_a_constant_that_nothing_reads_is_left_out_with_what_it_alone_read() -> None:
    found = left(
        "  const int p = __shfl_sync(0xffffffff, threadIdx.x / 128, 0);", "  const int s = p % 3;  // s", "use(t);"
    )
    assert found == ["use(t);"]


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param(("const int s = k % 3;", "wait(full + s);"), id="read"),
        pytest.param(("const int s = next(k);",), id="a call may do something"),
        pytest.param(("const int s = next<3>(k);",), id="a template too"),
        pytest.param(("const float v = atomicAdd(&y[0], 1.0f);",), id="an atomic"),
        pytest.param(("const int s = 3;", "// island", "asm(\"\" :: \"r\"(s));"), id="an island"),
        pytest.param(("int s = 3;",), id="a variable"),
        pytest.param(("const f16* a = b;",), id="a pointer"),
    ],
)  # fmt: skip
def test_what_is_read_or_may_do_something_stays(lines: tuple[str, ...]) -> None:
    assert left(*lines) == list(lines)


def test_code_of_the_file_stays_as_it_is() -> None:
    line = Line("const int s = 3;", passed=True)
    assert without_unused([line], ()) == [line]


def test_what_a_macro_of_the_file_reads_in_an_island_stays() -> None:
    body = 'int twice = n * 2; __cpp__("PUT;");'
    kernel = f"__co__ void f(global f32 [64] x, int n) {{ parallel t by 64 : thread {{ {body} }} }}\n"
    text = cuda_of(check_text("#define VALUE twice\n#define PUT x[t] = VALUE\n" + kernel), None, {}).result.text
    assert "const int twice = n * 2;" in text


COPY = """__co__ void f(global {elem} [N] x, global {elem} [N] y) {{
  parallel b by N / 128 : block, t by 128 : thread {{ {body} }}
}}
"""


@pytest.mark.parametrize(
    ("elem", "body", "headers"),
    [
        ("f32", "y.at(b * 128 + t) = x.at(b * 128 + t);", set()),
        ("f16", "y.at(b * 128 + t) = x.at(b * 128 + t);", {"Narrow floats"}),
        ("f32", "shared event e; y.at(b * 128 + t) = x.at(b * 128 + t); trigger e;", {"Shared memory"}),
    ],
)
def test_headers_stand_where_something_of_them_is_used(elem: str, body: str, headers: set[str]) -> None:
    text = cuda_of(check_text(COPY.format(elem=elem, body=body)), None, {"N": 256}).result.text
    assert text
    assert {name for name in ("Narrow floats", "Shared memory") if f"// {name}" in text} == headers
