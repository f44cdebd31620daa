// Element types by the names of the language. No header of CUDA or of the host is needed.
namespace croq {

using s8 = signed char;
using u8 = unsigned char;
using s16 = short;
using u16 = unsigned short;
using s32 = int;
using u32 = unsigned int;
using s64 = long long;
using u64 = unsigned long long;
using f32 = float;
using f64 = double;
using tf32 = float;  // multiplies take ten fraction bits of it

struct alignas(2) f16 {
  u16 bits;
  f16() = default;
  __device__ __forceinline__ explicit f16(float value) { asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value)); }
  __device__ __forceinline__ explicit operator float() const {
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
    return value;
  }
};

struct alignas(2) bf16 {
  u16 bits;
  bf16() = default;
  __device__ __forceinline__ explicit bf16(float value) { asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(value)); }
  __device__ __forceinline__ explicit operator float() const { return __uint_as_float(u32(bits) << 16); }
};

struct f8_e4m3 {
  u8 bits;
  f8_e4m3() = default;
  __device__ __forceinline__ explicit f8_e4m3(float value) {
    u16 pair;
    asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(0.0f), "f"(value));
    bits = u8(pair);
  }
  __device__ __forceinline__ explicit operator float() const {
    u32 pair;
    asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(pair) : "h"(u16(bits)));
    f16 half;
    half.bits = u16(pair);
    return float(half);
  }
};

struct f8_e5m2 {
  u8 bits;
  f8_e5m2() = default;
  __device__ __forceinline__ explicit f8_e5m2(float value) {
    u16 pair;
    asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(0.0f), "f"(value));
    bits = u8(pair);
  }
  __device__ __forceinline__ explicit operator float() const {
    u32 pair;
    asm("cvt.rn.f16x2.e5m2x2 %0, %1;" : "=r"(pair) : "h"(u16(bits)));
    f16 half;
    half.bits = u16(pair);
    return float(half);
  }
};

// Rounded up whatever the signs; no step passes `a`, which may be the largest value of its type.
template <class A, class B>
__host__ __device__ constexpr auto cdiv(A a, B b) {
  const auto quotient = a / b;
  return quotient + (b > 0 ? quotient * b < a : quotient * b > a);
}

}  // namespace croq
