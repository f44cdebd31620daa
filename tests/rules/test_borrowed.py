"""What people bring from CUDA C++ is told in the words of the language, with a safe fix where it can mean one thing."""

from __future__ import annotations

import pytest

from croqc.service.check import FileReport, check_text
from croqc.service.fix import fix_text
from croqc.service.flow_failure import with_verdicts
from croqc.text.diagnostics import Diagnostic
from croqc.text.edits import apply_edits

KERNEL = """__co__ void k(global f32 [N] x, global f32 [N] y, global s32 [N] z) {
  parallel b by cdiv(N, 128) : block {
    parallel t by 128 : thread {
      int i = b * 128 + t;
      %s
    }
  }
}
"""


def fixed(text: str, unsafe: bool = False) -> str:
    def again(changed: str, _: FileReport) -> FileReport:
        return check_text(changed)

    return fix_text(check_text(text), again, unsafe=unsafe).text


def finding(statement: str, front: str = "") -> Diagnostic:
    """The only one but for notes: the index has no guard."""
    notes = ("dialect-note", "assumed-size")
    (item,) = [one for one in check_text(front + KERNEL % statement).diagnostics if one.code not in notes]
    return item


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("__syncthreads;", "sync.shared;"),
        ("__syncthreads();", "sync.shared;"),
        ("__syncwarp();", "sync.barrier : group;"),
        ("__threadfence();", "sync.fence : device;"),
        ("__threadfence_block();", "sync.fence : group;"),
        ("z.at(i) = ceildiv(N, 128);", "z.at(i) = cdiv(N, 128);"),
        ("z.at(i) = CEIL_DIV(N, 128);", "z.at(i) = cdiv(N, 128);"),
        ("z.at(i) = divUp(N, 128);", "z.at(i) = cdiv(N, 128);"),
        ("y.at(i) = __expf(x.at(i));", "y.at(i) = __exp(x.at(i));"),
        ("y.at(i) = __half2float(x.at(i));", "y.at(i) = __to<f32>(x.at(i));"),
        ("atomicAdd(&y[i], 1.0f);", "__atomic_add(y.at(i), 1.0f);"),
        ("o = atomicMax(&z.at(i), 3);", "o = __atomic_max(z.at(i), 3);"),
        ('printf("i = %d, x = %f\\n", i, x.at(i));', 'println("i = ", i, ", x = ", x.at(i));'),
        ('printf("100%% of %d", i);', 'print("100% of ", i);'),
        ('printf("\\n");', 'println("");'),
        ("z.at(i) = threadIdx.x;", "z.at(i) = t;"),
        ("z.at(blockIdx.x * blockDim.x + threadIdx.x) = 1;", "z.at(b * #t + t) = 1;"),
        ("z.at(i) = gridDim.x;", "z.at(i) = #b;"),
        ("y.at(i) = (float)z.at(i) * 2.0f;", "y.at(i) = __to<f32>(z.at(i)) * 2.0f;"),
        ("y.at(i) = (float)(int)x.at(i) * 2.0f;", "y.at(i) = __to<f32>(__to<s32>(x.at(i))) * 2.0f;"),
        ("y.at(i) = (float)(z.at(i) + 1);", "y.at(i) = __to<f32>(z.at(i) + 1);"),
        ("z.at(i) = static_cast<int32_t>(x.at(i));", "z.at(i) = __to<s32>(x.at(i));"),
        ("y.at(i) = float(z.at(i)) + half(x.at(i));", "y.at(i) = __to<f32>(z.at(i)) + __to<f16>(x.at(i));"),
        ("z.at(i) = (size_t)(i) / 2u;", "z.at(i) = __to<s32>(__to<u64>(i) / 2u);"),
        ("z.at(i) = (unsigned)i / 2u;", "z.at(i) = __to<s32>(__to<u32>(i) / 2u);"),
        ("constexpr int S = 3; z.at(i) = S;", "int S = 3; z.at(i) = S;"),
        ("static constexpr int S = 3; z.at(i) = S;", "int S = 3; z.at(i) = S;"),
        ("y.at(i) = -INFINITY;", "y.at(i) = -inf;"),
        ("y.at(i) = -FLT_MAX;", "y.at(i) = -340282346638528859811704183484516925440.0f;"),
        ("y.at(i) = x.at(i) * 2.0;", "y.at(i) = x.at(i) * 2.0f;"),
        ("y.at(i) = x.at(i) > 0.0f ? x.at(i) : -1.0;", "y.at(i) = x.at(i) > 0.0f ? x.at(i) : -1.0f;"),
        ("uint32_t u = 3u; z.at(i) = __to<s32>(u);", "u32 u = 3u; z.at(i) = __to<s32>(u);"),
        ("y.at(i) = -0.5 * x.at(i);", "y.at(i) = -0.5f * x.at(i);"),
    ],
)
def test_a_word_of_cuda_is_mended_safely(typed: str, meant: str) -> None:
    assert fixed(KERNEL % typed) == KERNEL % meant
    assert [item.message for item in check_text(KERNEL % meant).diagnostics if item.severity.value == "error"] == []


@pytest.mark.parametrize(
    ("typed", "message", "hint"),
    [
        ("__syncthreads;", "there is no function '__syncthreads'", "the barrier of the block is 'sync.shared'"),
        ('printf("%5d", i);', "there is no function 'printf'",
         "'print' takes the values themselves, as in 'print(\"n = \", n)'"),
        ('printf("%d %d", i);', "there is no function 'printf'",
         "'print' takes the values themselves, as in 'print(\"n = \", n)'"),
        ("z.at(i) = threadIdx.y;", "there is no 'threadIdx.y'",
         "'parallel t by n : thread' names the index 't'"),
        ("z.at(i) = blockIdx.y;", "there is no 'blockIdx.y'", "'parallel b by n : block' names the index 'b'"),
        ("y.at(i) = (float)z.at(i);", "there are no casts as in C", "write '__to<f32>(…)'"),
        ("foo(x.at(i));", "'foo' is not callable here", "use 'call foo(x.at(i))'"),
    ],
)  # fmt: skip
def test_the_message_names_the_way_out(typed: str, message: str, hint: str) -> None:
    item = finding(typed)
    assert (item.message, item.hint) == (message, hint)


def test_a_constant_of_c_in_a_macro_is_not_written_over_the_macro() -> None:
    item = finding("y.at(i) = LOW;", "#define LOW -INFINITY\n")
    assert (item.hint, item.fixes) == ("did you mean 'inf'?", ())


def test_a_constant_of_c_is_mended_in_all_its_uses() -> None:
    assert fixed(KERNEL % "y.at(i) = INFINITY + INFINITY;") == KERNEL % "y.at(i) = inf + inf;"


IN_MACROS = """#define LOW (float)z.at(i) * 2.0f
#define BAR __syncthreads()
#define TID (threadIdx.x + 1)
#define DIVUP(a, b) ceildiv(a, b)
#define ADD(p) atomicAdd(p, 1.0f)
#define SAY(v) printf("%d", v)
"""


@pytest.mark.parametrize(
    ("typed", "message", "hint"),
    [
        ("y.at(i) = LOW;", "there are no casts as in C", "write '__to<f32>(…)'"),
        ("BAR;", "there is no function '__syncthreads'", "the barrier of the block is 'sync.shared'"),
        ("z.at(i) = TID;", "there is no 'threadIdx.x'", "the index of the thread is 't' here"),
        ("z.at(i) = DIVUP(N, 128);", "there is no function 'ceildiv'", "did you mean 'cdiv'?"),
        ("ADD(y.at(i));", "there is no function 'atomicAdd'", "use '__atomic_add'"),
        ("SAY(i);", "there is no function 'printf'",
         "'print' takes the values themselves, as in 'print(\"n = \", n)'"),
    ],
)  # fmt: skip
def test_words_that_a_macro_makes_are_told_and_not_written_over(typed: str, message: str, hint: str) -> None:
    text = IN_MACROS + KERNEL % typed
    (item,) = check_text(text).diagnostics
    assert (item.message, item.hint, item.fixes) == (message, hint, ())


def test_several_indices_of_a_thread_are_named() -> None:
    text = (KERNEL % "z.at(i) = threadIdx.x;").replace(
        "parallel t by 128 : thread", "parallel {r, t} by [4, 32] : thread"
    )
    (item,) = check_text(text).diagnostics
    assert (item.hint, item.fixes) == ("the indices of a thread are 'r' and 't' here", ())


GROUPS = """__co__ void k(global f32 [N] x, global f32 [N] y) {
  parallel %s {
    y.at(%s) = 1.0f;
  }
}
"""


@pytest.mark.parametrize(
    ("axes", "word", "hint"),
    [
        ("b by 2 : block, p by 2 : group-4", "threadIdx.x",
         "'p' counts groups of threads here; 'parallel t by n : thread' names the thread"),
        ("b by 2 : block, p by 2 : group", "blockDim.x",
         "'p' counts groups of threads here; 'parallel t by n : thread' names the thread"),
        ("b by 2 : block, p by 2 : group, t by 32 : thread", "blockDim.x", "the number of threads is '#p * #t' here"),
        ("c by 2 : cluster, b by 4 : block, t by 32 : thread", "blockIdx.x",
         "the indices of a block are 'c' and 'b' here"),
        ("c by 2 : cluster, b by 4 : block, t by 32 : thread", "gridDim.x", "the number of blocks is '#c * #b' here"),
    ],
)  # fmt: skip
def test_an_index_that_is_not_the_whole_word_is_no_fix(axes: str, word: str, hint: str) -> None:
    text = GROUPS % (axes, word)
    (item,) = [one for one in check_text(text).diagnostics if word in one.message]
    assert (item.hint, item.fixes, fixed(text)) == (hint, (), text)


@pytest.mark.parametrize(
    ("typed", "hint"),
    [
        ("atomicAdd(z + i, 1);", "use '__atomic_add' with an element, as in 'x.at(i)'"),
        ("atomicAdd(&z, 1);", "use '__atomic_add' with an element, as in 'x.at(i)'"),
        ("__syncwarp(0x3);", "the barrier of a warp is 'sync.barrier : group', of all its threads: there are no masks"),
    ],
)
def test_what_would_mean_something_else_is_told_without_a_fix(typed: str, hint: str) -> None:
    item = finding(typed)
    assert (item.hint, item.fixes) == (hint, ())


def test_levels_that_are_not_written_are_the_usual_ones() -> None:
    text = KERNEL.replace(" : block", "").replace(" : thread", "")
    assert fixed(text % "z.at(i) = blockIdx.x + threadIdx.x;") == text % "z.at(i) = b + t;"


@pytest.mark.parametrize(
    ("expression", "safe"),
    [
        ("x.at(i) * 0.1", False),
        ("x.at(i) * 2.0 + 1.0", False),
        ("x.at(i) * 2.0", True),
        ("(x.at(i) * 2.0)", True),
        ("(x.at(i) + 0.5) * x.at(t)", False),
        ("-(x.at(i) + 0.5) * x.at(t)", False),
        ("(t > 3 ? x.at(i) + 0.5 : 0.25) * x.at(t)", False),
        ("__exp(x.at(i) * 2.0)", False),
    ],
)
def test_a_double_that_rounds_apart_is_not_made_single_unasked(expression: str, safe: bool) -> None:
    item = finding(f"y.at(i) = {expression};")
    assert item.code == "lossy-conversion"
    assert [fix.safe for fix in item.fixes] == [safe, True]


def test_a_variable_of_f64_is_no_slip() -> None:
    item = finding("f64 d = 2.0; y.at(i) = x.at(i) * d * 2.0;")
    assert item.hint == "write '__to<f32>(...)' if that is meant"


def test_a_very_large_double_raises_nothing() -> None:
    item = finding(f"y.at(i) = x.at(i) * 1{'0' * 400}.0;")
    assert [fix.safe for fix in item.fixes] == [False, True]


@pytest.mark.parametrize("count", [400, 5_000])
def test_many_casts_end(count: int) -> None:
    report = check_text(KERNEL % f"z.at(i) = {'(int)' * count}x.at(i);")
    assert {item.code for item in report.diagnostics} == {"syntax-error"}


EVENT = """__co__ void k(global f32 [64] x) {
  parallel b by 4 : block {
    event full[2];
    parallel t by 64 : thread {
    }
  }
}
"""


def test_an_event_of_a_block_is_made_shared() -> None:
    assert fixed(EVENT) == EVENT.replace("event full", "shared event full")


@pytest.mark.parametrize(
    ("declared", "message", "hint"),
    [
        ("shared full[2];", "'full' has no type",
         "write 'event full[…]', or the type of its elements and their shape in front of it"),
        ("shared event [2] full;", "an array of events has its size behind the name", "write 'event full[2]'"),
    ],
)  # fmt: skip
def test_an_event_that_is_declared_otherwise_is_told_its_form(declared: str, message: str, hint: str) -> None:
    item = check_text(EVENT.replace("event full[2];", declared)).diagnostics[0]
    assert (item.message, item.hint) == (message, hint)


def test_an_event_in_front_of_the_kernel_is_told_where_it_belongs() -> None:
    text = """__co__ void k(global f32 [64] x) {
  event full;
  parallel b by 1 : block {
    parallel p by 2 : group-4 {
      inthreads.async (p == 0) { trigger full; }
      inthreads.async (p == 1) { wait full; }
    }
  }
}
"""
    (item,) = [one for one in with_verdicts(check_text(text)).diagnostics if one.code == "not-analysed"]
    assert item.hint == "declare it inside 'parallel' as 'shared event', if one block uses it"


CONSTANTS = """const int STAGES = 3;
static constexpr unsigned TM = 64, TN = TM / 2;
int plain = 4;
__co__ void k(global f32 [N] x, global f32 [N] y) {
  parallel b by N / TM : block, t by TN : thread {
    shared f32 [TM] s[STAGES];
    s[0].at(t) = x.at(b * TM + t);
    y.at(b * TM + t) = s[0].at(t);
  }
}
"""


def test_constants_of_the_host_become_macros_of_their_value() -> None:
    """Not unasked: the macro would stand in the way of host code below it that declares the name, too."""
    found = {item.message: item.hint for item in check_text(CONSTANTS).diagnostics if item.code == "undeclared-name"}
    assert found["'STAGES' is not declared here"].endswith("write '#define STAGES 3'")
    defined = "#define TM 64\n#define TN (TM / 2)\n#define STAGES 3\n"
    assert fixed(CONSTANTS) == CONSTANTS
    assert fixed(CONSTANTS, unsafe=True) == CONSTANTS.replace("__co__", defined + "__co__")


@pytest.mark.parametrize("value", ["atoi(argv[1])", "sizeof(float)", "3 * count", "'a'", "2 + {1}", "f()"])
def test_what_only_the_host_can_work_out_is_no_macro(value: str) -> None:
    text = CONSTANTS.replace("STAGES = 3", f"STAGES = {value}")
    (item,) = [one for one in check_text(text).diagnostics if "'STAGES'" in one.message]
    assert (item.hint, [fix.safe for fix in item.fixes]) == (
        "define it as a macro, or pass -D on the command line",
        [False],
    )


def test_a_variable_of_the_host_is_no_constant() -> None:
    text = CONSTANTS.replace("STAGES]", "plain]")
    (item,) = [one for one in check_text(text).diagnostics if "plain" in one.message]
    assert "#define" not in item.hint


@pytest.mark.parametrize(
    ("parameter", "marked", "message", "hint"),
    [
        ("const float* src", "float", "there is no 'const' here",
         "leave it out: 'float [N] src', with its extents"),
        ("const int n", "const", "there is no 'const' here", "leave it out"),
        ("global half *src", "*", "there are no pointers here", "write 'half [N] src', with the extents of the data"),
        ("f32* src", "*", "there are no pointers here", "write 'f32 [N] src', with the extents of the data"),
    ],
)  # fmt: skip
def test_parameters_of_c_are_told_as_data_with_extents(parameter: str, marked: str, message: str, hint: str) -> None:
    text = f"__co__ void k({parameter}, global f32 [N] y) {{ parallel t by 32 : thread {{ y.at(t) = 1.0f; }} }}\n"
    item = check_text(text).diagnostics[0]
    assert (item.message, item.hint, item.fixes) == (message, hint, ())
    assert item.span.start == text.index(marked, text.index("("))


TILES = """__co__ void k(global f32 [32, N] x, global f32 [32] y) {
  parallel t by 32 : thread {
    y.at(t) = %s;
  }
}
"""


def test_elements_in_brackets_have_one_index_a_dimension() -> None:
    (item,) = check_text(TILES % "x[t][t / 2]").diagnostics
    assert item.hint == "an element is '.at(i, j)', one index a dimension"
    assert [apply_edits(TILES % "x[t][t / 2]", fix.edits) for fix in item.fixes] == [TILES % "x.at(t, t / 2)"]
    (flat,) = check_text(TILES % "x[t * N + 1]").diagnostics
    assert (flat.hint, flat.fixes) == ("an element is '.at(i, j)', one index a dimension", ())
    (mixed,) = check_text(TILES % "x[t].at(1)").diagnostics[:1]
    assert mixed.fixes == ()


def test_a_kernel_of_cuda_s_word_is_named_at_its_place_and_cuda_itself_is_not() -> None:
    (item,) = check_text((KERNEL % "y.at(i) = 1.0f;").replace("__co__", "__global__")).diagnostics
    assert (item.span.start, item.span.end, item.hint) == (0, 10, "write '__co__' for '__global__'")
    (cuda,) = check_text("__global__ void k(float* y) { y[threadIdx.x] = 1.0f; }\n").diagnostics
    way = "a kernel is '__co__ void f(…) { parallel b by n : block, t by 128 : thread { … } }'"
    assert (cuda.message, cuda.hint) == ("no '__co__' function in this file", way)
    (none,) = check_text("int main() { return 0; }\n").diagnostics
    assert none.hint == ""
