// Narrow floats by the names of the language. No header of CUDA is needed.
namespace croq {

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

template <class T>
__device__ __forceinline__ u16 bits_of(T value) {
  return value.bits;
}
template <class T>
__device__ __forceinline__ T of_bits(u16 bits) {
  T value;
  value.bits = bits;
  return value;
}

}  // namespace croq
