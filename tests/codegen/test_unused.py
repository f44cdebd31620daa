"""Generated text declares what it names: what a macro of the file reads stays, no header that nothing of is used."""

from __future__ import annotations

import pytest

from croqc.service.check import check_text
from croqc.service.cuda import cuda_of


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
