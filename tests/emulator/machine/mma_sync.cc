// mma.sync. See multiply.h; PTX ISA, matrix fragments for mma, dense forms.
#include <vector>

#include "collectives.h"
#include "faults.h"
#include "multiply.h"

namespace emu {

double accumulated(Elem acc, Registers d, int element) {
  if (acc == Elem::f16) return f16_value(uint16_t(d.as<uint32_t>(element / 2) >> element % 2 * 16));
  return value_at(acc, d.places[element]);
}

void accumulate(Elem acc, Registers d, int element, double value) {
  switch (acc) {
    case Elem::f16: {
      uint32_t& word = d.as<uint32_t>(element / 2);
      const int shift = element % 2 * 16;
      word = (word & ~(0xffffu << shift)) | uint32_t(f16_bits(float(value))) << shift;
      return;
    }
    case Elem::f32:
      d.as<float>(element) = float(value);
      return;
    case Elem::f64:
      d.as<double>(element) = value;
      return;
    case Elem::s32:
      d.as<int32_t>(element) = int32_t(int64_t(value));
      return;
    default:
      fault("an accumulator of a type that there is none of");
  }
}

namespace {

struct Lane {
  Shape shape;
  Registers d, a, b;
};

// An operand of 8 `blocks` rows. Register i of a lane is of block i % blocks; the four lanes of a row have
// one register each along K, then the next.
std::vector<double> operand(void** lanes, Registers Lane::* which, Elem elem, int blocks, int k) {
  const unsigned size = bytes_of(elem);
  const int each = size == 8 ? 1 : int(4 / size);  // elements of a register
  std::vector<double> found(blocks * 8 * k);
  for (int lane = 0; lane < 32; ++lane) {
    const Registers& held = static_cast<Lane*>(lanes[lane])->*which;
    for (int number = 0; number < held.count; ++number) {
      const int row = number % blocks * 8 + lane / 4;
      const int column = number / blocks * 4 * each + lane % 4 * each;
      for (int i = 0; i < each; ++i)
        found[row * k + column + i] = value_at(elem, &held.as<unsigned char>(number) + i * size);
    }
  }
  return found;
}

void multiply(void** lanes) {
  const Shape shape = static_cast<Lane*>(lanes[0])->shape;
  const auto a = operand(lanes, &Lane::a, shape.a, shape.m / 8, shape.k);
  const auto b = operand(lanes, &Lane::b, shape.b, 1, shape.k);
  for (int lane = 0; lane < 32; ++lane) {
    const Registers d = static_cast<Lane*>(lanes[lane])->d;
    for (int element = 0; element < shape.m / 4; ++element) {
      const int row = element / 2 * 8 + lane / 4, column = lane % 4 * 2 + element % 2;
      double sum = 0;
      for (int k = 0; k < shape.k; ++k) sum += a[row * shape.k + k] * b[column * shape.k + k];
      accumulate(shape.acc, d, element, accumulated(shape.acc, d, element) + sum);
    }
  }
}

}  // namespace

void mma(Shape shape, Registers d, Registers a, Registers b, Registers c) {
  for (int i = 0; i < d.count; ++i)
    if (c.places[i] != d.places[i]) fault("an mma that adds to other registers than its result");
  Lane mine = {shape, d, a, b};
  meet_whole_warp("mma.sync", &mine, multiply);
}

}  // namespace emu
