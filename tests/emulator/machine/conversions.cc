// Element types and conversions. See conversions.h.
#include "conversions.h"

#include <cmath>

namespace emu {
namespace {

// A float of `exponent` and `fraction` bits behind the sign, without its infinities.
float finite(unsigned bits, int exponent, int fraction, int bias) {
  const int e = int(bits >> fraction) & ((1 << exponent) - 1);
  const int f = int(bits) & ((1 << fraction) - 1);
  const float magnitude =
      e ? ldexpf(float(f + (1 << fraction)), e - bias - fraction) : ldexpf(float(f), 1 - bias - fraction);
  return bits >> (exponent + fraction) & 1 ? -magnitude : magnitude;
}

// The bits of the nearest float of that format, ties to even; may be beyond its largest finite one.
unsigned nearest(float value, int fraction, int bias) {
  const float magnitude = fabsf(value);
  if (magnitude == 0) return 0;
  int e;
  frexpf(magnitude, &e);  // magnitude is in [2^(e-1), 2^e)
  const int least = e - 1 < 1 - bias ? 1 - bias : e - 1;
  const float units = nearbyintf(ldexpf(magnitude, fraction - least));
  return (unsigned(least + bias - 1) << fraction) + unsigned(units);  // a carry goes into the exponent
}

unsigned saturated(float value, int fraction, int bias, unsigned largest) {
  if (std::isnan(value)) return 0x7f;
  const unsigned sign = std::signbit(value) ? 0x80 : 0;
  if (std::isinf(value)) return sign | largest;
  const unsigned bits = nearest(value, fraction, bias);
  return sign | (bits > largest ? largest : bits);
}

}  // namespace

float f16_value(uint16_t bits) {
  if ((bits & 0x7c00) == 0x7c00)
    return bits_as<float>((bits & 0x8000u) << 16 | 0x7f800000u | (bits & 0x3ffu) << 13);
  return finite(bits, 5, 10, 15);
}

float e4m3_value(uint8_t bits) { return (bits & 0x7f) == 0x7f ? NAN : finite(bits, 4, 3, 7); }

float e5m2_value(uint8_t bits) {
  if ((bits & 0x7c) != 0x7c) return finite(bits, 5, 2, 15);
  return bits & 3 ? NAN : bits & 0x80 ? -INFINITY : INFINITY;
}

uint16_t f16_bits(float value) {
  if (std::isnan(value)) return 0x7fff;
  const unsigned sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isinf(value)) return uint16_t(sign | 0x7c00);
  const unsigned bits = nearest(value, 10, 15);
  return uint16_t(sign | (bits > 0x7c00 ? 0x7c00 : bits));
}

uint16_t bf16_bits(float value) {
  if (std::isnan(value)) return 0x7fff;
  const auto bits = bits_as<uint32_t>(value);
  return uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

uint8_t e4m3_bits(float value) { return uint8_t(saturated(value, 3, 7, 0x7e)); }
uint8_t e5m2_bits(float value) { return uint8_t(saturated(value, 2, 15, 0x7b)); }

double value_at(Elem elem, const void* bytes) {
  uint32_t word = 0;
  double wide;
  if (elem != Elem::f64) memcpy(&word, bytes, bytes_of(elem));
  switch (elem) {
    case Elem::f16:
      return f16_value(uint16_t(word));
    case Elem::bf16:
      return bits_as<float>(word << 16);
    case Elem::tf32:
      return bits_as<float>(word & 0xffffe000u);
    case Elem::f32:
      return bits_as<float>(word);
    case Elem::f64:
      memcpy(&wide, bytes, 8);
      return wide;
    case Elem::e4m3:
      return e4m3_value(uint8_t(word));
    case Elem::e5m2:
      return e5m2_value(uint8_t(word));
    case Elem::s8:
      return int8_t(word);
    case Elem::u8:
      return uint8_t(word);
    case Elem::s32:
      return int32_t(word);
  }
  return 0;
}

}  // namespace emu
