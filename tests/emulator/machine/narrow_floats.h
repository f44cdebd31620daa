// CUDA's narrow floats, as far as generated code uses them (CUDA Math API: __half, __nv_bfloat16, __nv_fp8_*).
//
// Not modelled: arithmetic but through float, pairs, intrinsics but the conversions.
#pragma once
#include "conversions.h"

namespace emu {

template <class Bits, float (*Value)(Bits), Bits (*Of)(float)>
struct alignas(sizeof(Bits)) NarrowFloat {
  Bits bits;
  NarrowFloat() = default;
  NarrowFloat(float value) : bits(Of(value)) {}
  NarrowFloat(double value) : bits(Of(float(value))) {}
  NarrowFloat(int value) : bits(Of(float(value))) {}
  operator float() const { return Value(bits); }
};

inline float bf16_value(uint16_t bits) { return bits_as<float>(uint32_t(bits) << 16); }

}  // namespace emu

using __half = emu::NarrowFloat<uint16_t, emu::f16_value, emu::f16_bits>;
using half = __half;
using __nv_bfloat16 = emu::NarrowFloat<uint16_t, emu::bf16_value, emu::bf16_bits>;
using __nv_fp8_e4m3 = emu::NarrowFloat<uint8_t, emu::e4m3_value, emu::e4m3_bits>;
using __nv_fp8_e5m2 = emu::NarrowFloat<uint8_t, emu::e5m2_value, emu::e5m2_bits>;

inline float __half2float(__half value) { return float(value); }
inline __half __float2half(float value) { return __half(value); }
inline float __bfloat162float(__nv_bfloat16 value) { return float(value); }
inline __nv_bfloat16 __float2bfloat16(float value) { return __nv_bfloat16(value); }
