// wgmma. See multiply.h; PTX ISA, Asynchronous Warpgroup Level Matrix Instructions.
//
// An operation is the warpgroup's: it can begin when all four warps have issued it, and is complete for all
// at once, at the first wait that needs it. Warps do not wait for each other to issue. Not modelled:
// wgmma.fence as an order of registers, descriptors without swizzle, base offsets.
#include <deque>
#include <memory>
#include <vector>

#include "collectives.h"
#include "memory.h"
#include "multiply.h"
#include "parts.h"

namespace emu {
namespace {

constexpr int kWarps = 4;  // of a warpgroup

// PTX ISA, matrix descriptor.
struct Descriptor {
  unsigned start, leading, stride, swizzle;

  explicit Descriptor(uint64_t bits) {
    start = unsigned(bits & 0x3fff) << 4;
    leading = unsigned(bits >> 16 & 0x3fff) << 4;
    stride = unsigned(bits >> 32 & 0x3fff) << 4;
    const unsigned mode = unsigned(bits >> 62);
    if (mode == 0) fault("a matrix descriptor without swizzle is not modelled");
    if (bits >> 49 & 7) fault("a matrix descriptor with a base offset is not modelled");
    swizzle = 256 >> mode;
  }

  // Where element (row, k) lies, `row` along M or N; `along_k`: elements along K lie side by side.
  unsigned address(bool along_k, unsigned size, unsigned row, unsigned k) const {
    const unsigned wide = swizzle / size;
    const unsigned plain =
        along_k ? start + row / 8 * stride + row % 8 * swizzle + k * size
                : start + row / wide * leading + k / 8 * stride + k % 8 * swizzle + row % wide * size;
    return plain ^ ((plain >> 7) & (swizzle / 16 - 1)) << 4;
  }
};

struct Operation {
  Shape shape;
  bool held, adds, a_along_k, b_along_k;
  uint64_t a, b;

  bool operator==(const Operation& other) const {
    const auto same = [](const Shape& x, const Shape& y) {
      return x.n == y.n && x.k == y.k && x.acc == y.acc && x.a == y.a && x.b == y.b;
    };
    return same(shape, other.shape) && held == other.held && adds == other.adds && (held || a == other.a) &&
           b == other.b && a_along_k == other.a_along_k && b_along_k == other.b_along_k;
  }
};

// One that warps have issued: the accumulators of the threads, and A where that comes in registers.
struct Issued {
  Operation what;
  int warps = 0;
  std::vector<void*> places[kWarps * 32];
  std::vector<double> a;
};

struct Warpgroup {
  std::vector<Issued> all;
  size_t complete = 0;  // so many of them
};

struct OfWarp {
  size_t issued = 0;
  std::deque<size_t> groups;  // where each ends, in numbers of operations
  size_t awaited = 0;         // what its last wait needs
};

struct Multiplies final : Part {
  void begin() override {
    per_block_ = (current->block->threads + 31) / 32;
    warps_.assign(per_block_ * current->block->cluster, {});
    groups_.clear();
    groups_.resize(warps_.size() / kWarps + 1);
  }

  void end() override {
    for (size_t number = 0; number < warps_.size(); ++number)
      if (warps_[number].issued > warps_[number].awaited)
        fault("a warp ends and has not waited for its wgmma");
  }

  OfWarp& mine() { return warps_[current->block->rank * per_block_ + warp()]; }
  Warpgroup& ours() {
    if (per_block_ % kWarps) fault("wgmma in a block of %d warps, which are no warpgroups", per_block_);
    return groups_[(current->block->rank * per_block_ + warp()) / kWarps];
  }

 private:
  int per_block_ = 0;
  std::vector<OfWarp> warps_;
  std::vector<Warpgroup> groups_;
} multiplies;

// An operand in shared memory, of so many rows.
std::vector<double> operand(const Operation& what, bool of_a, int rows) {
  const Elem elem = of_a ? what.shape.a : what.shape.b;
  const bool along_k = of_a ? what.a_along_k : what.b_along_k;
  const Descriptor descriptor(of_a ? what.a : what.b);
  const unsigned size = bytes_of(elem);
  std::vector<double> found(rows * what.shape.k);
  for (int row = 0; row < rows; ++row)
    for (int k = 0; k < what.shape.k; ++k) {
      const unsigned address = descriptor.address(along_k, size, row, k);
      found[row * what.shape.k + k] =
          value_at(elem, place_of(address, size, size, "an operand of wgmma").bytes());
    }
  return found;
}

void compute(const Issued& issued) {
  const Operation& what = issued.what;
  const int k = what.shape.k;
  const auto a = what.held ? issued.a : operand(what, true, what.shape.m);
  const auto b = operand(what, false, what.shape.n);
  for (int thread = 0; thread < kWarps * 32; ++thread) {
    const auto& places = issued.places[thread];
    const Registers d = {places.data(), int(places.size()), 4};
    for (int element = 0; element < what.shape.n / 2; ++element) {  // PTX ISA, register fragments, matrix D
      const int row = thread / 32 * 16 + thread % 32 / 4 + element / 2 % 2 * 8;
      const int column = element / 4 * 8 + thread % 4 * 2 + element % 2;
      const double *x = &a[row * k], *y = &b[column * k];
      double sum = 0;
      for (int i = 0; i < k; ++i) sum += x[i] * y[i];
      accumulate(what.shape.acc, d, element, (what.adds ? accumulated(what.shape.acc, d, element) : 0) + sum);
    }
  }
}

struct Lane {
  Operation what;
  Registers d;
  uint32_t a[4];
};

// What a warp's lanes bring to an operation. The four warps issue the same ones, in the same order.
void issue(void** lanes) {
  const Operation& what = static_cast<Lane*>(lanes[0])->what;
  Warpgroup& group = multiplies.ours();
  const size_t number = multiplies.mine().issued++;
  if (number == group.all.size()) group.all.push_back({what, 0, {}, {}});
  Issued& issued = group.all[number];
  if (!(issued.what == what)) fault("the warps of a warpgroup issue different wgmma");
  const int k = what.shape.k, first = warp() % kWarps * 32;
  const int each = int(4 / bytes_of(what.shape.a));  // elements of a register
  if (what.held) issued.a.resize(what.shape.m * k);
  for (int lane = 0; lane < 32; ++lane) {
    const Lane& brought = *static_cast<Lane*>(lanes[lane]);
    if (!(brought.what == what)) fault("the operands of a wgmma differ between threads");
    issued.places[first + lane].assign(brought.d.places, brought.d.places + brought.d.count);
    for (int part = 0; what.held && part < 4; ++part) {  // PTX ISA, register fragments, matrix A
      const int row = first / 2 + lane / 4 + part % 2 * 8, column = (part / 2 * 4 + lane % 4) * each;
      const auto* bytes = reinterpret_cast<const unsigned char*>(&brought.a[part]);
      for (int i = 0; i < each; ++i)
        issued.a[row * k + column + i] = value_at(what.shape.a, bytes + i * (4 / each));
    }
  }
  ++issued.warps;
  moved();
}

// Completes what the warp waits for, where all warps have issued it.
bool complete(Warpgroup& group, size_t awaited) {
  for (; group.complete < awaited; ++group.complete) {
    Issued& next = group.all[group.complete];
    if (next.warps < kWarps) return false;
    compute(next);
    next = {next.what, kWarps, {}, {}};
    moved();
  }
  return true;
}

void bring(Operation what, Registers d, const uint32_t* a, std::initializer_list<int> flags) {
  std::vector<int> rest(flags);
  for (size_t at = 0; at < 2 && at < rest.size(); ++at)
    if (rest[at] != 1) fault("a negated operand of wgmma is not modelled");
  if (rest.size() > 2) {
    what.b_along_k = !rest.back();
    if (!what.held) what.a_along_k = !rest[2];
  }
  Lane mine = {what, d, {}};
  if (a) memcpy(mine.a, a, sizeof mine.a);
  meet_whole_warp("wgmma.mma_async", &mine, issue);
}

}  // namespace

void wgmma(Shape shape, Registers d, Registers a, uint64_t b, bool adds, std::initializer_list<int> flags) {
  const uint32_t held[4] = {a.as<uint32_t>(0), a.as<uint32_t>(1), a.as<uint32_t>(2), a.as<uint32_t>(3)};
  bring({shape, true, adds, true, true, 0, b}, d, held, flags);
}

void wgmma(Shape shape, Registers d, uint64_t a, uint64_t b, bool adds, std::initializer_list<int> flags) {
  bring({shape, false, adds, true, true, a, b}, d, nullptr, flags);
}

void wgmma_fence() {
  meet_whole_warp("wgmma.fence", nullptr, [](void**) {});
}

void wgmma_commit() {
  meet_whole_warp("wgmma.commit_group", nullptr, [](void**) {
    OfWarp& mine = multiplies.mine();
    mine.groups.push_back(mine.issued);
  });
}

void wgmma_wait(int keep) {
  meet_whole_warp("wgmma.wait_group", &keep, [](void** lanes) {
    OfWarp& mine = multiplies.mine();
    for (const int kept = *static_cast<int*>(lanes[0]); int(mine.groups.size()) > kept;
         mine.groups.pop_front())
      mine.awaited = mine.groups.front();
  });
  Warpgroup& group = multiplies.ours();
  const size_t awaited = multiplies.mine().awaited;
  wait_until([&] { return complete(group, awaited); }, "wgmma.wait_group, for the other warps");
}

}  // namespace emu
