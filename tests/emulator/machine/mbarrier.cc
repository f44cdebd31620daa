// mbarrier objects. See mbarrier.h.
#include "mbarrier.h"

#include <cstdint>
#include <cstring>
#include <unordered_map>

#include "faults.h"
#include "memory.h"
#include "parts.h"

namespace emu {
namespace {

constexpr unsigned kCountMost = (1 << 20) - 1;  // PTX ISA, mbarrier: of arrivals, and of transaction bytes
constexpr uint64_t kMark = 0x6d62617272696572;  // lies where the object is, which no other write may touch

struct Barrier {
  unsigned count, pending;
  long bytes = 0;
  unsigned phase = 0;
};

struct Barriers final : Part {
  void begin() override { all.clear(); }
  void end() override {
    for (const auto& [address, barrier] : all)
      if (barrier.bytes)
        fault("the mbarrier at byte %u still expects %ld bytes when the kernel ends", offset(address),
              barrier.bytes);
  }
  static unsigned offset(unsigned address) { return (address & 0xffffff) - kWindow; }
  std::unordered_map<unsigned, Barrier> all;  // by address with the block
} barriers;

// The address with the number of its block.
unsigned whole(const Place& place) { return (place.block->rank + 1) << 24 | (place.offset + kWindow); }

Barrier& barrier_at(unsigned address) {
  const Place place = place_of(address, 8, 8, "an mbarrier");
  const auto found = barriers.all.find(whole(place));
  if (found == barriers.all.end()) fault("the mbarrier at byte %u is not initialised", place.offset);
  if (memcmp(place.bytes(), &kMark, 8)) fault("something wrote over the mbarrier at byte %u", place.offset);
  return found->second;
}

void advance(Barrier& barrier) {
  moved();
  if (barrier.pending || barrier.bytes) return;
  ++barrier.phase;
  barrier.pending = barrier.count;
}

void transact(Barrier& barrier, long bytes) {
  barrier.bytes += bytes;
  if (barrier.bytes > long(kCountMost) || barrier.bytes < -long(kCountMost))
    fault("an mbarrier whose phase expects %ld bytes", barrier.bytes);
}

}  // namespace

void mbarrier_init(unsigned address, unsigned arrivals) {
  const Place place = place_of(address, 8, 8, "an mbarrier");
  if (arrivals < 1 || arrivals > kCountMost) fault("an mbarrier for %u arrivals", arrivals);
  if (!barriers.all.emplace(whole(place), Barrier{arrivals, arrivals}).second)
    fault("the mbarrier at byte %u is initialised twice", place.offset);
  memcpy(place.bytes(), &kMark, 8);
}

void mbarrier_arrive(unsigned address, unsigned arrivals, unsigned bytes) {
  Barrier& barrier = barrier_at(address);
  if (arrivals > barrier.pending)
    fault("overrun: %u arrivals at the mbarrier at byte %u, whose phase waits for %u of %u and %ld bytes",
          arrivals, Barriers::offset(address), barrier.pending, barrier.count, barrier.bytes);
  transact(barrier, bytes);
  barrier.pending -= arrivals;
  advance(barrier);
}

void mbarrier_expect(unsigned address, unsigned bytes) {
  Barrier& barrier = barrier_at(address);
  transact(barrier, bytes);
  moved();
}

void mbarrier_complete(unsigned address, unsigned bytes) {
  Barrier& barrier = barrier_at(address);
  transact(barrier, -long(bytes));
  advance(barrier);
}

bool mbarrier_test(unsigned address, unsigned parity) {
  if (parity > 1) fault("a wait for the parity %u", parity);
  if ((barrier_at(address).phase & 1) != parity) return true;
  stands("the mbarrier at byte %u, for parity %u", Barriers::offset(address), parity);
  yield();
  return (barrier_at(address).phase & 1) != parity;
}

}  // namespace emu
