// Element types and conversions between them (PTX ISA, cvt; alternate floating-point data formats).
//
// Not modelled: rounding other than to nearest even. Faults of no kind come from here.
#pragma once
#include <cstdint>
#include <cstring>

namespace emu {

enum class Elem { f16, bf16, tf32, f32, f64, e4m3, e5m2, s8, u8, s32 };

constexpr unsigned bytes_of(Elem elem) {
  switch (elem) {
    case Elem::f64:
      return 8;
    case Elem::tf32:
    case Elem::f32:
    case Elem::s32:
      return 4;
    case Elem::f16:
    case Elem::bf16:
      return 2;
    default:
      return 1;
  }
}

// The element whose bytes lie there. Of tf32 ten fraction bits count.
double value_at(Elem elem, const void* bytes);

float f16_value(uint16_t bits);
float e4m3_value(uint8_t bits);
float e5m2_value(uint8_t bits);

uint16_t f16_bits(float value);
uint16_t bf16_bits(float value);
uint8_t e4m3_bits(float value);  // .satfinite
uint8_t e5m2_bits(float value);  // .satfinite

// Two in a word, the first in its upper half.
inline uint32_t pair(uint16_t high, uint16_t low) { return uint32_t(high) << 16 | low; }
inline uint16_t pair(uint8_t high, uint8_t low) { return uint16_t(high << 8 | low); }

template <class To, class From>
To bits_as(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  memcpy(&to, &from, sizeof to);
  return to;
}

}  // namespace emu
