"""What counts as a test of a file: a kernel whose result a person has said, once for each run line."""

from __future__ import annotations

import pytest

from croqls.ide.kernel_tests import kernel_tests_in

BODY = "(global s32 [M] x, global s32 [M] y) { parallel p by M : thread y.at(p) = x.at(p); }\n"
TEXT = f"""// é 😀
// croq: run M=64 seed=3
// croq: run M=128 name="the large one" arch=sm_80
// croq: run
// croq: expect y == x
// croq: expect sum(y) == sum(x)
__co__ void f{BODY}
// croq: run M=8
__co__ void without{BODY}
// croq: run M=8
// croq: expect auto
__co__ void consistent{BODY}
// croq: expect y == x
__co__ void alone{BODY}"""


def test_a_test_is_a_run_line_of_a_kernel_with_an_expectation() -> None:
    found = kernel_tests_in(TEXT)
    assert [(one.function, one.run_line, one.label, dict(one.sizes)) for one in found] == [
        ("f", 0, "M=64 seed=3", {"M": 64}),
        ("f", 1, "the large one", {"M": 128}),
        ("f", 2, "", {}),
        ("alone", None, "", {}),
    ]
    assert found[0].expects == ("y == x", "sum(y) == sum(x)")
    places = [TEXT[one.span.start : one.span.end] for one in found]
    assert places[0] == "// croq: run M=64 seed=3" and places[3] == "alone"


@pytest.mark.parametrize("text", ["", "expect", "// croq: expect y == x\n", "// croq: expect y ==\n__co__ void f() {}"])
def test_a_text_without(text: str) -> None:
    assert kernel_tests_in(text) == ()


def test_texts_that_are_being_typed() -> None:
    """Each place is that of a whole run line or name of the text so far; a test needs the head of its kernel."""
    most = 0
    for length in range(len(TEXT)):
        found = kernel_tests_in(TEXT[:length])
        for one in found:
            place = TEXT[:length][one.span.start : one.span.end]
            assert place.startswith("// croq: run") if one.run_line is not None else place == one.function
            assert one.expects
        most = max(most, len(found))
    assert kernel_tests_in(TEXT[: TEXT.index("__co__")]) == ()
    assert most == 4


def test_of_functions_of_one_name_each_has_its_own_number() -> None:
    """Also those without a test count, as they do for who asks for one of them."""
    text = TEXT.replace("void without", "void f").replace("void alone", "void f")
    assert [(one.function, one.overload, one.run_line) for one in kernel_tests_in(text)] == [
        ("f", 0, 0),
        ("f", 0, 1),
        ("f", 0, 2),
        ("f", 2, None),
    ]
