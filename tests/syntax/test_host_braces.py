"""A brace too many ends a function early; braces of C++ that pair are nobody's concern."""

import pytest

from croqc.service.check import check_text
from croqc.syntax.parser import parse_file

KERNEL = "__co__ void f(global s32 [N] a) {{\n  parallel b by N : block {{\n    a.at(b) = 1;\n  }}\n{}}}\n"


def told(text: str) -> list[tuple[str, int]]:
    return [(item.message, item.span.start) for item in parse_file(text).findings if item.code == "syntax-error"]


def test_a_brace_too_many_in_a_kernel() -> None:
    text = KERNEL.format("  }\n  x = zz;\n")
    stray = text.rindex("}")
    assert told(text) == [("this '}' ends the function", text.index("  }\n  }") + 6)]
    [finding] = parse_file(text).findings
    assert [(item.message, item.span.start) for item in finding.related] == [("so that this '}' closes nothing", stray)]


def test_check_tells_it() -> None:
    assert [item.code for item in check_text(KERNEL.format("  }\n")).diagnostics] == ["syntax-error"]


def test_a_brace_too_many_behind_a_kernel() -> None:
    text = KERNEL.format("") + "}\n"
    assert told(text) == [("'}' closes nothing", len(text) - 2)]


@pytest.mark.parametrize(
    "between", ["", "int main() { return 0; }\n", "#define M(x) { x }\n", "// }\n/* } */ char q = '}';\n"]
)
def test_it_is_found_behind_good_text(between: str) -> None:
    text = between + KERNEL.format("  }\n  foreach i in 4 { x = i; }\n")
    assert [message for message, _ in told(text)] == ["this '}' ends the function"]


@pytest.mark.parametrize(
    "text",
    [
        "namespace a {\n" + KERNEL.format("") + "}\n",
        'extern "C" {\n' + KERNEL.format("") + "int main() { f(); }\n}\n",
        KERNEL.format("") + 'const char* s = "}";  // }\n/* } */\n',
        "#define OPEN namespace a {\nOPEN\n" + KERNEL.format("") + "}\n",
        KERNEL.format("") + "#if 0\n}\n#endif\n",
        KERNEL.format("") + "__device__ int g() { return 1; }\n",
    ],
)
def test_braces_that_pair(text: str) -> None:
    assert told(text) == []
