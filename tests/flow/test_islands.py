"""Islands of foreign code: what may leave, stay or meet others is not analysed; what only computes does nothing."""

from __future__ import annotations

import re

import pytest

from croqc.flow.analysis import CHECK_BUDGET
from croqc.flow.report import Strength
from croqc.service.check import check_text
from croqc.service.flow_check import with_flow
from tests.flow.test_no_false_proof import KERNEL, flow_of


def with_island(text: str) -> str:
    quoted = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return KERNEL.format(guard=f'__cpp__("{quoted}");')


@pytest.mark.parametrize(
    "text",
    [
        *("return;", "break;", "goto out;", "throw 1;", "exit(0);", "::_Exit (1);", "__trap();", "abort();"),
        *("while(1);", "do { x = y; } while (x);", "for(;;);", "for (;true;) {}", "for (; *flag == 0;) {}"),
        *("__syncthreads();", "cg::this_thread_block().sync();", "cg::sync(tile);", "grid->sync();"),
        *("__barrier_sync(0);", "cutlass::arch::NamedBarrier::sync(128, 1);", "b.arrive_and_wait();"),
        *('asm("exit;");', 'asm volatile("bar.sync 1;");', 'asm("barrier.cluster.arrive;");', 'asm("@p bra L;");'),
        *(
            'asm("mbarrier.arrive.shared.b64 _, [%0];");',
            'asm("trap;");',
            'asm("bra.uni L;");',
            'asm("ret;");',
            'asm("@p ret;");',
            "cute::cluster_sync();",
        ),
    ],
)
def test_control_and_synchronisation_are_not_analysed(text: str) -> None:
    flow = flow_of(with_island(text))
    assert (flow.strength, flow.reason, flow.findings) == (Strength.UNKNOWN, "foreign code", ())


@pytest.mark.parametrize(
    "text",
    [
        *("x = y + 1;", "for (int i = 0; i < 4; ++i) { s += v[i]; }", "int ret = 3; ret += format(ret);"),
        *('printf("exit %d", 1);', "s += __shfl_down_sync(~0u, s, 1);", "__syncwarp();", "__threadfence();"),
        *('asm volatile("fence.proxy.async;");', "warpgroup_arrive();", 'asm("wgmma.fence.sync.aligned;");'),
        'asm("cp.async.wait_group 0;");',
        *("x = y;  // no __syncthreads() here", "/* { */ x = y;", 'printf("{");'),
        'asm("setmaxnreg.dec.sync.aligned.u32 40;"); x = y;',  # a hint and more
        "int setmaxnreg = 40;",
    ],
)
def test_what_only_computes_is_taken_to_do_nothing(text: str) -> None:
    flow = flow_of(with_island(text))
    assert flow.strength is Strength.PROVED
    assert [note.function for note in flow.notes] == [""]


@pytest.mark.parametrize(
    "text",
    [
        *("if (x) {", "}", "} {", "f(x", "if (k > 3)", "else", "else { x = 1; }", "for (int i = 0; i < 4; ++i)", "do"),
        *("if (x) { y = 1; } else", "x = y", "again: x = 1;", "x = 1; again: y = 1;", "case 3:", "M(x)"),
        *("#define k 7", "x = 1;\n  #undef N\nx = 2;", "#if 0", "switch (x)", "x = 1; // ;\nif (x) // ;"),
    ],
)
def test_text_that_reaches_into_what_stands_around_it_is_not_analysed(text: str) -> None:
    flow = flow_of(with_island(text))
    told = "this C++ is no whole statement, and changes what stands around it"
    assert (flow.strength, flow.reason, flow.findings) == (Strength.UNKNOWN, told, ())


@pytest.mark.parametrize(
    "text",
    [
        *("", ";", "{ x = 1; }", "if (x) { y = 1; } else { y = 2; }", "x = a ? b : c;", "x = a::b;", "v[i] = f(g(x));"),
        *("switch (x) { case 1: y = 2; default: y = 3; }", "struct S { int a : 3; };", "x = 1; // done", "x = ')';"),
        *("#pragma unroll", "#pragma unroll 4\nx = 1;", '_Pragma("unroll")'),
    ],
)
def test_whole_statements_do_nothing_to_what_stands_around_them(text: str) -> None:
    assert flow_of(with_island(text)).strength is Strength.PROVED


@pytest.mark.parametrize(
    ("text", "name"),
    [("k = 5;", "k"), ("++k;", "k"), ("k += 2;", "k"), ("int& r = k; r = 1;", "k"), ("g--;", "g"), ("int k = 7;", "k")],
)
def test_an_index_that_an_island_may_write_ends_the_analysis(text: str, name: str) -> None:
    flow = flow_of(with_island(text))
    told = f"this C++ may give '{name}' another value; hand on a variable of its own"
    assert (flow.strength, flow.reason, flow.findings) == (Strength.UNKNOWN, told, ())


@pytest.mark.parametrize("text", ["x = k;", "x = k == 5;", "x = v[k];", "x = g & k;", "x.k = 1;"])
def test_an_index_that_an_island_reads_does_no_harm(text: str) -> None:
    assert flow_of(with_island(text)).strength is Strength.PROVED


@pytest.mark.parametrize(
    "text",
    ['asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");', 'asm("setmaxnreg.dec.sync.aligned.u32 %0;" :: "n"(40));'],
)
def test_a_hint_to_the_hardware_needs_no_note(text: str) -> None:
    flow = flow_of(with_island(text))
    assert (flow.strength, flow.notes) == (Strength.PROVED, ())


# --- device functions ------------------------------------------------------------------------------


def with_call(functions: str, call: str) -> str:
    return functions + "\n" + KERNEL.format(guard=f"call {call};")


@pytest.mark.parametrize(
    ("functions", "call"),
    [
        ("__device__ void meet() { __syncthreads(); }", "meet()"),
        ("__device__ void in() { __syncthreads(); }\n__device__ void meet(int n) { if (n) { in(); } }", "meet(k)"),
        ("__device__ void stop() { if (threadIdx.x) { __trap(); } }", "stop()"),
        ('__device__ void meet() { asm volatile("bar.sync 1;"); }', "meet()"),
        ("__device__ void spin(int* flag) { while (*flag == 0) {} }", "spin(nullptr)"),
        ("", "__syncthreads()"),
        ('__device__ void meet() { printf("}"); __syncthreads(); }', "meet()"),
        ("__device__ void meet() { /* } */ char c = '}'; __syncthreads(); }", "meet()"),
    ],
)
def test_a_function_that_may_wait_is_not_analysed(functions: str, call: str) -> None:
    flow = flow_of(with_call(functions, call))
    name = call.partition("(")[0]
    assert (flow.strength, flow.findings) == (Strength.UNKNOWN, ())
    assert flow.reason == f"'{name}' may wait for other threads, or end this one"


def test_a_function_that_computes_is_followed() -> None:
    functions = """__device__ void meet() { __syncthreads(); }
__device__ float half_of(float x) { if (x < 0) { return 0; } return x / 2; }"""
    assert flow_of(with_call(functions, "half_of(1.0f)")).strength is Strength.PROVED


@pytest.mark.parametrize(
    ("front", "island"),
    [
        ("__device__ void meet() { __syncthreads(); }", "meet();"),
        ("#define LEAVE if (threadIdx.x) return", "LEAVE;"),
        ("#define ALL __syncthreads()\n#define MEET(n) ALL", "MEET(1);"),
        ("__device__ void meet() { __syncthreads(); }\n#define MEET meet()", "MEET;"),
    ],
)
def test_an_island_that_waits_behind_another_name_is_not_analysed(front: str, island: str) -> None:
    flow = flow_of(front + "\n" + with_island(island))
    assert (flow.strength, flow.reason, flow.findings) == (Strength.UNKNOWN, "foreign code", ())


def test_an_island_whose_macros_compute_is_taken_to_do_nothing() -> None:
    front = "__device__ int twice(int a) { return 2 * a; }\n#define TILE 4\n#define SELF SELF + TILE\n"
    assert flow_of(front + with_island("int z = twice(TILE + SELF);")).strength is Strength.PROVED


@pytest.mark.parametrize(
    ("functions", "call"),
    [
        ("#define SYNC __syncthreads()\n__device__ void meet() { SYNC; }", "meet()"),
        (
            "#define SYNC __syncthreads()\n#define TWICE(x) x; SYNC\n__device__ void meet(int k) { TWICE(k); }",
            "meet(k)",
        ),
        ("#define DEF(n) __device__ void n(int k) { __syncthreads(); }\nDEF(other) DEF(meet)", "meet(k)"),
        ("#define DEF(n, b) __device__ void n##_all() { b }\nDEF(meet, __syncthreads();)", "meet_all()"),
        ("#define D(n) __device__ void n() { __syncthreads(); }\n#define E(n) D(n)\nE(meet)", "meet()"),
        ("#define DEV __device__\nDEV void meet() { __syncthreads(); }", "meet()"),
        ("__device__ volatile int f;\n__device__ void spin() { again: if (f == 0) goto again; }", "spin()"),
        ('__device__ void spin(int* f) { asm("L: ld.u32 t, [%0];\\n@p bra L;" :: "l"(f)); }', "spin(nullptr)"),
        ('__device__ void meet() { asm volatile("bar" ".sync 0;"); }', "meet()"),
        (
            "__device__ void in(int k) { __syncthreads(); }\n__device__ void meet(int k) { auto p = in; p(k); }",
            "meet(k)",
        ),
        ("struct Guard { __device__ Guard() { __syncthreads(); } };\n__device__ void meet() { Guard g; }", "meet()"),
        (
            "struct All { __device__ void operator()(int k) { __syncthreads(); } };\n"
            "__device__ void meet(int k) { All a; a(k); }",
            "meet(k)",
        ),
        ("__device__ void meet() { auto all = [&] (int k) { __syncthreads(); }; all(1); }", "meet()"),
        (
            "struct All { __device__ All() { __syncthreads(); } };\ntemplate <class T> __device__ void use() { T t; }",
            "use<All>()",
        ),
    ],
)
def test_what_hides_that_a_function_may_wait_is_looked_through(functions: str, call: str) -> None:
    flow = flow_of(with_call(functions, call))
    name = re.split("[(<]", call)[0]
    assert (flow.strength, flow.reason) == (
        Strength.UNKNOWN,
        f"'{name}' may wait for other threads, or end this one",
    )


@pytest.mark.parametrize(
    "functions",
    [
        "__device__ int some(int k);",
        '#include "some.cuh"\n',
        "__device__ int far(int k);\n__device__ int some(int k) { return far(k); }",
        "__device__ int far(int k);\n__device__ int near(int k) { auto p = far; return p(k); }\n"
        "__device__ int some(int k) { return near(k); }",
        '#include "far.cuh"\n__device__ int some(int k) { return far(k); }',
    ],
)
def test_a_function_that_is_not_in_sight_is_told_of(functions: str) -> None:
    flow = flow_of(with_call(functions, "some(k)"))
    assert (flow.strength, [note.function for note in flow.notes]) == (Strength.PROVED, ["some"])


@pytest.mark.parametrize(
    ("functions", "call"),
    [
        (
            "#define CHECK(x) do { if (x) { return; } } while (0)\n__device__ void check(int k) { CHECK(k); }",
            "check(k)",
        ),
        ("#define DEF(n) __device__ int n(int k) { return k; }\nDEF(same)", "same(k)"),
        ("__device__ int same(int k);\n__device__ int same(int k) { return k; }", "same(k)"),
        ("#include <cuda_fp16.h>\n__device__ float root(float x) { return sqrtf(x); }", "root(1.0f)"),
        (
            '#include "some.cuh"\n__device__ float half_of(float x) { if (x < 0) { return 0; } return x / 2; }',
            "half_of(1.0f)",
        ),
        ("__device__ void skip(int k) { if (k) goto done; k = 1; done: return; }", "skip(k)"),
        (
            "__device__ void meet() { __syncthreads(); }\n__device__ int same(int k) { return k; /* no meet() */ }",
            "same(k)",
        ),
        ("__device__ int same(int k) { // while (1); __syncthreads();\n  return k; }", "same(k)"),
        ("", "__nanosleep(20)"),
    ],
)
def test_a_function_that_is_in_sight_needs_no_note(functions: str, call: str) -> None:
    flow = flow_of(with_call(functions, call))
    assert (flow.strength, flow.notes) == (Strength.PROVED, ())


def test_a_function_that_is_not_in_sight_has_its_note_where_others_could_wait() -> None:
    text = "__device__ void some(int k);\n__co__ void f(global s32 [4] x) {{ parallel p by 4 : block {{ {} }} }}"
    words = "credit flow: not all of 'some' is in sight, it is taken not to wait for others, nor to change sizes"
    for body, notes in (("call some(p);", []), ("parallel w by 2 : group-4 { call some(w); }", [words])):
        report = with_flow(check_text(text.format(body)), CHECK_BUDGET)
        assert [item.message for item in report.flow_found if item.code == "not-analysed"] == notes
