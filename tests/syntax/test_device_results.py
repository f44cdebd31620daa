"""What device functions of a file give, from the heads of their definitions."""

from __future__ import annotations

import pytest

from croqc.syntax.device_results import device_results


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("__device__ int f(int x) { return x; }", "s32"),
        ("static __device__ __forceinline__ float f(float x) { return g(x); }", "f32"),
        ("float __device__ f();", "f32"),
        ("template <int N, class T>\n__device__ unsigned f(T x) { return N; }", "u32"),
        ("__device__ unsigned long long f(int x) { return x; }", "u64"),
        ("__device__ choreo::bf16 f(int x) { return x; }", "bf16"),
        ("__device__ half f(int x) { return x; }", "f16"),
        ("namespace lib { __co_device__ bool f(int x) { return x; } }", "bool"),
        ("__device__ int f(int x); __device__ int f(float x) { return 1; }", "s32"),
        ("__device__ int f(int x); __device__ float f(float x) { return 1; }", None),
        ("template <class T> __device__ T f(T x) { return x; }", None),
        ("__device__ int* f(int* x) { return x; }", None),
        ("__device__ auto f(int x) { return x; }", None),
        ("__device__ void f(int* x) { *x = 1; }", None),
        ("__device__ float2 f(int x) { return {}; }", None),
        ("int f(int x) { return x; }", None),
        ("// __device__ int f(int x);\n", None),
        ("__device__ void g(int x) { int f(x); }", None),
    ],
)
def test_the_result_of_f(text: str, found: str | None) -> None:
    assert dict(device_results(text)).get("f") == found
