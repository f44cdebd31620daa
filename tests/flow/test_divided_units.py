"""A statement of a warp or warpgroup, which is done once (reference, 4.3), where regions of single threads inside it
are paths of their own: none of the paths is the one to do it, and nobody follows that."""

from __future__ import annotations

import pytest

from croqc.flow.joins import not_followed
from croqc.pipe.errors import LoweringError
from croqc.pipe.lower import lowered_kernels
from croqc.targets.sm_90a import TARGET
from tests.flow.kernels import body, paths
from tests.flow.pipes import check

ROLES = """parallel t by {threads} : thread {{
  inthreads.async (t == 7) {{ s.at(w) = 1; trigger e[w]; }}
  inthreads.async (t == 3) {{ wait e[w]; v.at(w) = s.at(w); }}
}}"""
DECLARED = "shared s32 [2] s, v; shared event e[2]; "
DIVIDED = {
    ("group-4", "v.at(w) = 5;"): "path of thread 3 and path of thread 7",
    ("group-4", "inthreads (w == 1) { __atomic_add(v.at(0), 2); }"): "path of thread 131 and path of thread 135",
    ("group-4", "foreach i in 3 { sync.barrier : group-4; }"): "path of thread 3 and path of thread 7",
    ("group", 'if (n > 3) { println("once"); }'): "path of thread 3 and path of thread 7",
}


def _block(level: str, statement: str, roles: str = ROLES) -> str:
    threads = 128 if level == "group-4" else 32
    return f"{DECLARED} parallel w by 2 : {level} {{ {statement} {roles.format(threads=threads)} }}"


@pytest.mark.parametrize(("level", "statement"), DIVIDED)
def test_what_a_divided_unit_does_once_is_followed_by_nobody(level: str, statement: str) -> None:
    model = body(text := _block(level, statement))
    found = not_followed(model, model.kernels[-1], paths(model))
    assert found is not None
    names = DIVIDED[level, statement]
    assert found[1] == f"{names} divide the unit that does this once: let one of them do it"
    flow = check(f"__co__ void f(int n) {{ parallel b by 8 : block {{ {text} }} }}").flow
    assert (flow.strength.value, flow.reason) == ("unknown", found[1])
    with pytest.raises(LoweringError, match=f"^{names} divide") as raised:
        lowered_kernels(model, TARGET, {"M": 16, "K": 64})
    assert raised.value.span == found[0]


@pytest.mark.parametrize(
    "text",
    [
        _block("group-4", "sync.shared;"),  # all threads of the block meet
        _block("group-4", "m = w + 1; local s32 [2] own; own.at(0) = m;"),  # all threads have it
        DECLARED
        + "parallel w by 2 : group-4, t by 128 : thread { v.at(w) = 5; "  # done by threads
        + "inthreads.async (t == 7) { trigger e[w]; } inthreads.async (t == 3) { wait e[w]; } }",
        _block("group-4", "v.at(w) = 5;", "parallel t by 128 : thread {{ s.at(w) = v.at(w); }}"),  # no roles
        DECLARED + "v.at(0) = 5; parallel w by 2 : group-4 { " + ROLES.format(threads=128) + " }",  # done by the block
        DECLARED  # one warpgroup does it, the other one is divided
        + "parallel w by 2 : group-4 { inthreads.async (w == 0) { v.at(0) = 5; } "
        + "parallel t by 128 : thread { inthreads.async (w == 1 && t == 7) { trigger e[1]; } "
        + "inthreads.async (w == 1 && t == 3) { wait e[1]; } } }",
    ],
)
def test_what_nobody_or_an_undivided_unit_does_is(text: str) -> None:
    model = body(text)
    assert not_followed(model, model.kernels[-1], paths(model)) is None
