"""The host part of functions: its statements, the values that kernels take of it, kernels that fill and copy."""

from __future__ import annotations

import pytest

from croqc.pipe import ir, ir_host
from croqc.pipe.errors import LoweringError
from croqc.pipe.lower import host_of
from croqc.pipe.printer_host import HOST_FORMS, host_lines
from croqc.sema.model import Model
from croqc.service.check import check_text


def model_of(text: str) -> Model:
    report = check_text(text)
    analysis = report.functions[0].analysis
    assert analysis is not None
    return analysis.model


def lines(text: str) -> list[str]:
    return [line for line, _ in host_lines(host_of(model_of(text)).host)]


def refused(text: str) -> tuple[str, str]:
    """The message, and the text that it stands at."""
    with pytest.raises(LoweringError) as error:
        host_of(model_of(text))
    return error.value.message, check_text(text).source.slice(error.value.span)


BODY = "parallel b by N : block { x.at(b) = 1; }"


def test_one_launch_says_nothing() -> None:
    assert lines(f"__co__ void f(global s32 [N] x) {{ {BODY} }}") == []


def test_control_and_variables_around_launches() -> None:
    text = f"""__co__ s32 [N] f(s32 [N] & x, int n) {{
  mutable int left = n;
  with k in 2 {{ foreach k(1:) {{ {BODY} }} }}
  while (left > 0) {{ if (left == 3) {{ break; }} else {{ continue; }} left = left - 1; }}
  assert(n < N, "too many");
  sync.global;
  return x;
}}"""
    assert lines(text) == [
        "host",
        "  let left: s32 = n  changes",
        "  scope",
        "    let k: s32 = 0",
        "    for k from 1 to 2 step 1",
        "      launch 0  waits",
        "  while left > 0",
        "    if left == 3",
        "      break",
        "    else",
        "      continue",
        "    left = left - 1",
        "  require n < N  'too many'",
        "  join",
        "  return x",
    ]


def test_what_a_kernel_asserts_of_sizes_is_checked_at_entry() -> None:
    """What a condition guards, or hangs on an index or on data, is not."""
    text = """__co__ void f(global s32 [N] x, int n) {
  parallel b by N : block {
    x.at(b) = 1;
    bool few = N < 9;
    assert(n < N && x.at(0) == 1 && few, "sizes");
    assert(b < n, "blocks");
    if (n > 2) { assert(N > 4, "guarded"); }
    parallel p by 2 : group-4 { inthreads.async (p == 0) { assert(n >= 0, "role"); } }
  }
}"""
    assert [line for line in lines(text) if "require" in line] == [
        "  require n < N  'sizes'",
        "  require N < 9  'sizes'",
        "  require n >= 0  'role'",
    ]


def test_host_data_is_zeroed_or_filled_by_a_kernel() -> None:
    text = """__co__ void f(global s32 [N] x, int v) {
  f32 [N] plain, ones {1.5f};
  global s32 [N] undefined;
  foreach i in 3 { s32 [4] again; parallel b by N : block { x.at(b) = again.at(0) + v; } }
}"""
    part = host_of(model_of(text))
    assert [line for line, _ in host_lines(part.host)] == [
        "host",
        "  zero plain",
        "  launch 1  waits",
        "  for i from 0 to 3 step 1",
        "    launch 2  waits",
        "    launch 0  waits",
    ]
    assert [kernel.name for kernel in part.kernels] == ["f_fill", "f_fill_2"]
    ones, again = (kernel.body[1] for kernel in part.kernels)
    assert isinstance(ones, ir.If) and isinstance(again, ir.If)
    (first,), (second,) = ones.then, again.then
    assert isinstance(first, ir.Write) and isinstance(second, ir.Write)
    assert (first.value.elem, second.tile.tensor.name) == ("f32", "again")


def test_streams() -> None:
    text = "__co__ void f(global s32 [N] x, stream s, stream t) {{ {} {} }}"
    bound = text.format("parallel.async<t> b by N : block { x.at(b) = 1; }", BODY)
    assert lines(bound) == ["host", "  launch 0  stream t", "  launch 1  waits"]
    plain = text.format(BODY, BODY)  # nothing is bound: all runs on the first (9.13)
    assert lines(plain) == ["host", "  launch 0  stream s, waits", "  launch 1  stream s, waits"]


def test_equal_names_of_the_host_part_stay_apart() -> None:
    text = f"""__co__ void f(global s32 [N] x) {{
  foreach i in 2 {{ s32 [N] t; parallel b by N : block {{ t.at(b) = i; x.at(b) += t.at(b); }} }}
  foreach i in 3 {{ s32 [N] t; parallel b by N : block {{ t.at(b) = i; x.at(b) += t.at(b); }} }}
  {BODY}
}}"""
    part = host_of(model_of(text))
    assert part.host.arrays == (("x", "x"), ("t", "t"), ("t_2", "t_2"))
    loops = [stmt.name for stmt in part.host.body if isinstance(stmt, ir.Loop)]
    assert loops == ["i", "i_2"]


def test_every_statement_of_the_host_has_a_form() -> None:
    kinds = {
        each
        for each in vars(ir_host).values()
        if isinstance(each, type) and issubclass(each, ir.Stmt) and each is not ir.Stmt
    }
    assert kinds <= set(HOST_FORMS)


@pytest.mark.parametrize(
    ("stmt", "message", "place"),
    [
        ("if (x.at(0) > 3) { BODY }", "the host part cannot look at elements of data: do it in a parallel", "x.at(0)"),
        ("global event e; BODY", "events of the host part are not lowered", "global event e;"),
        ("y = dma.pad<{1},{1},{0},0> x => global; BODY", "padding outside a parallel is not lowered", "y = dma.pad"),
    ],
)
def test_what_is_not_lowered_is_named_at_its_place(stmt: str, message: str, place: str) -> None:
    text = "__co__ void f(global s32 [N] x) { " + stmt.replace("BODY", BODY) + " }"
    said, at = refused(text)
    assert said.startswith(message)
    assert at.startswith(place)
