"""What C++ or PTX may write into a variable is run-time data from there on: nothing is proved or accused with it."""

from __future__ import annotations

import pytest

from croqc.flow.islands import functions_by_value, parameters_by_reference
from croqc.flow.report import Strength
from tests.flow.test_counters import PIPE
from tests.flow.test_no_false_proof import flow_of

LOAD = (
    "foreach k in [C] { wait empty[k % S]; dma.copy src.subspan(4, 32).at(b, k) => ring[k % S]; trigger full[k % S]; }"
)
USE = "wait full[k % S]; dma.copy ring[k % S] => dst.subspan(4, 32).at(b, k);"
FUNCTIONS = """#define ONE q
#define STEP(n) ONE = n
__device__ void set(int& a) { a = 1; }
__device__ void point(int* a) { *a = 1; }
__device__ void look(int a, const int& c) { }
__device__ int both(int a) { return a; }
__device__ int both(float a, int &b) { return b; }
"""


def flow(step: str, test: str = "q == 0") -> tuple[Strength, list[str]]:
    step = f"mutable int q = 0; mutable int r = 0; {step} if ({test}) {{ trigger empty[k % S]; }}"
    use = f"foreach k in [C] {{ {USE} {step} }}"
    found = flow_of(FUNCTIONS + PIPE.format(load=LOAD, use=use))
    return found.strength, [finding.rule for finding in found.findings]


@pytest.mark.parametrize(
    "step",
    [
        "call set(q);",
        "call point(&q);",
        "call point((&q));",
        "call both(1.0f, q);",
        "call somewhere::unknown(q);",
        "int s = call both(q);",
        "if (call both(q)) { int r = 1; }",
        "call set(k == 1 ? q : r);",
        "call point(k == 1 ? &r : &q);",
        "call set(++q);",
        '__cpp__("q = 1;");',
        '__cpp__("STEP(1);");',
        'asm volatile("mov.u32 %0, 1;" : "=r"(q));',
        'asm volatile("st.s32 [%0], 1;" :: "l"(&q) : "memory");',
        'asm volatile("st.s32 [%0], 1;" :: "l"((&q)) : "memory");',
    ],
)
@pytest.mark.parametrize("test", ["q == 0", "q == 1"])
def test_a_variable_that_may_be_written_is_data(step: str, test: str) -> None:
    assert flow(step, test) == (Strength.UNKNOWN, [])


@pytest.mark.parametrize(
    "step",
    [
        "call look(q, q);",
        "call point(&k);",  # another variable
        '__cpp__("int other = 1;");',
        'asm volatile("mov.u32 %0, %1;" : "=r"(r) : "r"(q));',
        "call set(q); q = 0;",  # known again
    ],
)
def test_a_variable_that_is_read_or_assigned_since_is_known(step: str) -> None:
    assert flow(step) == (Strength.PROVED, [])


@pytest.mark.parametrize("write", ["call set(k);", '__cpp__("k = 4;");', 'asm("" : "+r"(k));'])
@pytest.mark.parametrize("place", ["in front", "inside"])
def test_a_loop_whose_variable_may_be_written_is_not_taken_to_count(write: str, place: str) -> None:
    def loop(step: str, written: str = "") -> str:
        before, inside = (written, "") if place == "in front" else ("", written)
        return f"mutable int k = 0; {before} while (k < C) {{ {step} k += 1; {inside} }}"

    load = LOAD.partition("{")[2].removesuffix("}")
    use = loop(f"{USE} trigger empty[k % S];")
    assert flow_of(FUNCTIONS + PIPE.format(load=loop(load), use=use)).strength is Strength.PROVED
    assert flow_of(FUNCTIONS + PIPE.format(load=loop(load, write), use=use)).strength is Strength.UNKNOWN


NO_MACROS: frozenset[str] = frozenset()


def test_functions_by_value_take_no_variable_by_reference() -> None:
    assert functions_by_value(FUNCTIONS, NO_MACROS) == {"point", "look"}
    text = "void a(int const &x, float (*f)(int)) {} void b(T&& x) {}"
    assert functions_by_value(text, NO_MACROS) == {"a"}


@pytest.mark.parametrize(
    "parameter",
    [
        *("", "void", "int", "int a", "const int& c", "unsigned long long a", "uint32_t a", "std::uint64_t* p"),
        *(
            "float4 v",
            "T* a",
            "const half* const __restrict__ p",
            "int a[4]",
            "const unsigned n = 2 * 3",
            "bool (*f)(int)",
        ),
    ],
)
def test_a_value_a_pointer_and_a_constant_reference_are_by_value(parameter: str) -> None:
    assert functions_by_value(f"__device__ void g({parameter}) {{ }}", NO_MACROS) == {"g"}


@pytest.mark.parametrize(
    "parameter",
    [
        *("int& a", "R a", "const R a", "const R& a", "T a", "auto a", "auto&& a", "int REF a", "int REF(a)", "..."),
        *("volatile int& a", "int (&a)[4]", "T... a", "const int*& a", "typename X::R a", "decltype(x)& a", "int OUT"),
    ],
)
def test_what_may_be_a_reference_is_not_by_value(parameter: str) -> None:
    assert functions_by_value(f"__device__ void g({parameter}) {{ }}", frozenset(("OUT",))) == NO_MACROS


def test_a_function_that_a_macro_means_is_not_by_value() -> None:
    assert functions_by_value("void g(int a) { }", frozenset(("g",))) == NO_MACROS


@pytest.mark.parametrize(
    "front",
    [
        "typedef int& Ref; __device__ void h(Ref a) { a = 1; }",
        "using Ref = int&; __device__ void h(const Ref a) { a = 1; }",
        "template <class T> __device__ void h(T a) { a = 1; }",
        "#define REF int&\n__device__ void h(REF a) { a = 1; }",
        "#define OUT &\n__device__ void h(int OUT) { }",
    ],
)
def test_a_reference_behind_a_name_is_one(front: str) -> None:
    use = f"foreach k in [C] {{ {USE} mutable int q = 0; call h(q); if (q == 0) {{ trigger empty[k % S]; }} }}"
    assert flow_of(f"{front}\n{PIPE.format(load=LOAD, use=use)}").strength is Strength.UNKNOWN


@pytest.mark.parametrize(
    ("first", "later"),
    [
        ('__cpp__("int& z = q;");', '__cpp__("z = clock();");'),
        ('__cpp__("int* z = &q;");', '__cpp__("*z = clock();");'),
        ('__cpp__("auto bump = [&]() { q = clock(); };");', '__cpp__("bump();");'),
        ('__cpp__("struct End { int& z; ~End() { z = 1; } } end{q};");', ""),
        ("call keep(&q);", "call unkeep();"),
        ("call keep(q);", '__cpp__("*kept = 1;");'),
        ('asm volatile("mov.b64 kept, %0;" :: "l"(&q));', 'asm volatile("st.s32 [kept], 1;");'),
    ],
)
@pytest.mark.parametrize("test", ["q == 0", "q == 1"])
def test_a_place_that_is_kept_may_be_written_behind_an_assignment(first: str, later: str, test: str) -> None:
    step = f"q = 0; {later} if ({test}) {{ trigger empty[k % S]; }}"
    use = f"mutable int q = 0; {first} foreach k in [C] {{ {USE} {step} }}"
    found = flow_of(FUNCTIONS + PIPE.format(load=LOAD, use=use))
    assert (found.strength, found.findings) == (Strength.UNKNOWN, ())


def test_what_an_assignment_gives_is_known_while_no_foreign_text_follows() -> None:
    step = "q = 0; if (q == 0) { trigger empty[k % S]; }"
    use = f"mutable int q = 0; call keep(&q); foreach k in [C] {{ {USE} {step} }}"
    assert flow_of(FUNCTIONS + PIPE.format(load=LOAD, use=use)).strength is Strength.PROVED


def test_a_place_that_another_variable_gave_away_matters_not() -> None:
    step = '__cpp__("z = 1;"); if (q == 0) { trigger empty[k % S]; }'
    use = f'mutable int q = 0; mutable int r = 0; __cpp__("int& z = r;"); foreach k in [C] {{ {USE} {step} }}'
    assert flow_of(FUNCTIONS + PIPE.format(load=LOAD, use=use)).strength is Strength.PROVED


def test_an_order_of_triggers_that_an_island_holds_is_data() -> None:
    def strength(front: str) -> Strength:
        use = f"mutable int q = 0; {front} foreach k in [C] {{ {USE} trigger empty.at(q++); }}"
        return flow_of(FUNCTIONS + PIPE.format(load=LOAD, use=use)).strength

    assert strength("") is Strength.PROVED
    assert strength('__cpp__("int& z = q;"); q = 0;') is Strength.UNKNOWN


SIZE = """__device__ void set(int& a, int b) { a = b; }
__device__ void look(int a, const int& c) { }
__co__ void f(global s32 [R, C] src, global s32 [R, C] dst, int n) {
  parallel b by R : block {
    shared event full, empty = ready; shared s32 [1, 32] x;
    mutable int q = 0;
    parallel p by 2 : group-4 {
      inthreads.async (p == 0) { %s
        foreach k in [n] { wait empty; dma.copy src.subspan(1, 32).at(b, k) => x; trigger full; } }
      inthreads.async (p == 1) {
        foreach k in [n] { wait full; dma.copy x => dst.subspan(1, 32).at(b, k); trigger empty; } }
    } } }"""


@pytest.mark.parametrize(
    "step",
    [
        "call set(n, 1);",
        "call set((n), q);",
        "call set(q > 0 ? q : n, 1);",
        "call look(&n, 1);",
        'asm volatile("mov.u32 %0, 1;" : "=r"(n));',
        '__cpp__("n = 1;");',
        '__cpp__("n <<= 1;");',
        '__cpp__("if (q) ++n;");',
        '__cpp__("n--;");',
        '__cpp__("point(&n);");',
        '__cpp__("int& other = n; other = 2;");',
    ],
)
def test_a_parameter_that_may_be_written_is_no_size_any_more(step: str) -> None:
    found = flow_of(SIZE % step)
    assert (found.strength, [finding.rule for finding in found.findings]) == (Strength.UNKNOWN, [])
    assert "may give 'n' another value" in found.reason


@pytest.mark.parametrize(
    "step",
    [
        "call set(q, n);",
        "call look(n, n);",
        "call unknown(n);",  # its note says that it is read as empty
        "mutable int m = n; call set(m, n);",
        'asm volatile("mov.u32 %0, %1;" : "=r"(q) : "r"(n));',
        '__cpp__("q = n == 1 && n > 2;");',
        '__cpp__("int other = n & 3, more = q & n;");',
    ],
)
def test_a_parameter_that_is_handed_on_as_a_value_stays_a_size(step: str) -> None:
    assert flow_of(SIZE % step).strength is Strength.PROVED


@pytest.mark.parametrize(
    ("parameters", "numbers"),
    [
        ("", []),
        ("int a, const int& b, float* c", []),
        ("int a, int& b", [1]),
        ("R a, int b", [0]),
        ("pair<int, int> a, int b, int& c", [0, 1, 2, 3]),  # commas part no parameters there
        ("int a, int OUT b", [1]),
    ],
)
def test_parameters_by_reference_are_numbered(parameters: str, numbers: list[int]) -> None:
    found = parameters_by_reference(f"__device__ void g({parameters}) {{ }}", NO_MACROS)
    assert found == {("g", number) for number in numbers}


def test_of_a_function_that_a_macro_takes_part_in_all_may_be_references() -> None:
    assert parameters_by_reference("void g(int a, OUT b) { }", frozenset(("OUT",))) == {("g", 0), ("g", 1)}
