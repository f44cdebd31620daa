// The words of CUDA C++ that generated code uses, for the host's compiler (CUDA C++ Programming Guide,
// language extensions).
//
// Not modelled: textures, cooperative groups, system-wide fences, masks of shuffles, approximate mathematics:
// functions are those of the host, whose last bits may differ.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>

#include "barriers.h"
#include "collectives.h"
#include "conversions.h"
#include "faults.h"
#include "memory.h"
#include "threads.h"

#define __device__
#define __host__
#define __global__
#define __constant__
#define __forceinline__ inline
#define __noinline__
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __cluster_dims__(...)
#define __grid_constant__
#define __align__(bytes) alignas(bytes)

#define threadIdx (emu::current->index)
#define blockIdx (emu::current->block->index)
#define blockDim (emu::Index{unsigned(emu::current->block->threads), 1, 1})
#define gridDim (emu::grid_extent)

struct alignas(8) uint2 {
  unsigned x, y;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};
struct alignas(8) int2 {
  int x, y;
};
struct alignas(16) int4 {
  int x, y, z, w;
};
struct alignas(8) float2 {
  float x, y;
};
struct alignas(16) float4 {
  float x, y, z, w;
};

using std::abs;
using std::isfinite;
using std::isinf;
using std::isnan;

template <class A, class B, class = std::enable_if_t<std::is_arithmetic_v<A> && std::is_arithmetic_v<B>>>
constexpr std::common_type_t<A, B> max(A a, B b) {
  if constexpr (std::is_floating_point_v<std::common_type_t<A, B>>)
    return std::fmax(a, b);
  else
    return std::common_type_t<A, B>(a) < std::common_type_t<A, B>(b) ? b : a;
}
template <class A, class B, class = std::enable_if_t<std::is_arithmetic_v<A> && std::is_arithmetic_v<B>>>
constexpr std::common_type_t<A, B> min(A a, B b) {
  if constexpr (std::is_floating_point_v<std::common_type_t<A, B>>)
    return std::fmin(a, b);
  else
    return std::common_type_t<A, B>(b) < std::common_type_t<A, B>(a) ? b : a;
}
inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
inline float __fdividef(float a, float b) { return a / b; }
inline float __uint_as_float(unsigned bits) { return emu::bits_as<float>(bits); }
inline float __int_as_float(int bits) { return emu::bits_as<float>(bits); }
inline unsigned __float_as_uint(float value) { return emu::bits_as<unsigned>(value); }
inline int __float_as_int(float value) { return emu::bits_as<int>(value); }

inline size_t __cvta_generic_to_shared(const void* pointer) { return emu::shared_address(pointer); }
inline void __syncthreads() { emu::bar_sync_all(); }
inline void __syncwarp(unsigned = ~0u) {
  emu::meet_warp("__syncwarp", nullptr, [](void**) {});
}
inline void __threadfence() {}
inline void __threadfence_block() {}
[[noreturn]] inline void __trap() { emu::fault("the kernel trapped"); }

template <class T>
T __shfl_sync(unsigned, T value, int source) {
  return emu::shuffle("__shfl_sync", value, source);
}
template <class T>
T __shfl_xor_sync(unsigned, T value, int mask) {
  return emu::shuffle("__shfl_xor_sync", value, emu::lane() ^ mask);
}
template <class T>
T __shfl_down_sync(unsigned, T value, int delta) {
  return emu::shuffle("__shfl_down_sync", value,
                      emu::lane() + delta > 31 ? emu::lane() : emu::lane() + delta);
}

// PTX ISA, atom: others may come in between two atomics, never inside one.
template <class T, class Change>
T emu_atomic(T* place, Change change) {
  const T old = *place;
  *place = change(old);
  emu::moved();
  emu::stands("an atomic");
  emu::yield();
  return old;
}
template <class T, class U>
T atomicAdd(T* place, U value) {
  return emu_atomic(place, [=](T old) { return T(old + T(value)); });
}
template <class T, class U>
T atomicSub(T* place, U value) {
  return emu_atomic(place, [=](T old) { return T(old - T(value)); });
}
template <class T, class U>
T atomicExch(T* place, U value) {
  return emu_atomic(place, [=](T) { return T(value); });
}
template <class T, class U>
T atomicMin(T* place, U value) {
  return emu_atomic(place, [=](T old) { return min(old, T(value)); });
}
template <class T, class U>
T atomicMax(T* place, U value) {
  return emu_atomic(place, [=](T old) { return max(old, T(value)); });
}
template <class T, class U>
T atomicAnd(T* place, U value) {
  return emu_atomic(place, [=](T old) { return T(old & T(value)); });
}
template <class T, class U>
T atomicOr(T* place, U value) {
  return emu_atomic(place, [=](T old) { return T(old | T(value)); });
}
template <class T, class U>
T atomicXor(T* place, U value) {
  return emu_atomic(place, [=](T old) { return T(old ^ T(value)); });
}
template <class T, class U, class V>
T atomicCAS(T* place, U wanted, V value) {
  return emu_atomic(place, [=](T old) { return old == T(wanted) ? T(value) : old; });
}
