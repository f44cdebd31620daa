// Bulk tensor copies. See tma.h.
#include "tma.h"

#include <cstring>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "faults.h"
#include "mbarrier.h"
#include "memory.h"
#include "parts.h"

namespace emu {
namespace {

static_assert(sizeof(Map) <= 128, "a tensor map has 128 bytes");

struct Box {
  Map map;
  int corner[5];
  Place place;

  unsigned count() const {
    unsigned all = 1;
    for (unsigned i = 0; i < map.rank; ++i) all *= map.box[i];
    return all;
  }
  unsigned bytes() const { return count() * unsigned(map.strides[0]); }

  // Calls `each` with where an element lies in shared memory and in the tensor; null outside of that.
  template <class Each>
  void walk(Each each) const {
    const unsigned size = unsigned(map.strides[0]);
    for (unsigned number = 0; number < count(); ++number) {
      unsigned rest = number;
      bool inside = true;
      long global = 0;
      for (unsigned i = 0; i < map.rank; ++i) {
        const long at = long(corner[i]) + rest % map.box[i];
        rest /= map.box[i];
        inside &= at >= 0 && at < long(map.extents[i]);
        global += at * long(map.strides[i]);
      }
      // PTX ISA, tensor swizzle modes: bits 4 to 6 of the address are combined with bits 7 to 9, as many as
      // the width has.
      unsigned address = place.offset + number * size;
      if (map.swizzle) address ^= ((address >> 7) & (map.swizzle / 16 - 1)) << 4;
      each(place.block->shared + address, inside ? map.array + global : nullptr, size);
    }
  }
};

Box box_of(const void* map, std::initializer_list<int> corner, unsigned address) {
  Box box = {};
  memcpy(&box.map, map, sizeof box.map);
  if (corner.size() != box.map.rank)
    fault("%zu coordinates for a tensor map of rank %u", corner.size(), box.map.rank);
  int at = 0;
  for (int each : corner) box.corner[at++] = each;
  box.place = place_of(address, box.bytes(), 128, "a box of a tensor map");
  return box;
}

struct Load {
  Box box;
  unsigned barrier;
};

// How far a store has come.
enum Stage { kIssued, kRead, kWritten };

struct Store {
  Box box;
  const Thread* thread;
  int group;
  Stage stage = kIssued;
  std::vector<unsigned char> data;

  void advance(Stage to) {
    if (stage < kRead && to >= kRead) {
      box.walk([&](const unsigned char* here, const unsigned char*, unsigned size) {
        data.insert(data.end(), here, here + size);
      });
      stage = kRead;
    }
    if (stage < kWritten && to == kWritten) {
      const unsigned char* next = data.data();
      box.walk([&](unsigned char*, unsigned char* there, unsigned size) {
        if (there) memcpy(there, next, size);
        next += size;
      });
      stage = kWritten;
    }
  }
};

struct Tma final : Part {
  void begin() override { groups.clear(); }
  bool late() override { return !loads.empty() || !stores.empty(); }

  // Any of those on their way, loads and stores alike.
  void land() override {
    const size_t at = random_below(loads.size() + stores.size());
    if (at < loads.size()) {
      const Load load = loads[at];
      loads.erase(loads.begin() + at);
      load.box.walk([](unsigned char* here, const unsigned char* there, unsigned size) {
        if (there)
          memcpy(here, there, size);
        else
          memset(here, 0, size);
      });
      mbarrier_complete(load.barrier, load.box.bytes());
      return;
    }
    Store& store = stores[at - loads.size()];
    store.advance(Stage(store.stage + 1));
    if (store.stage == kWritten) stores.erase(stores.begin() + (at - loads.size()));
  }

  // Shared memory goes with the block.
  void exits() override {
    for (const Store& store : stores) {
      if (store.thread != current) continue;
      if (store.group == groups[current]) fault("a thread ends and has not committed a TMA store");
      if (store.stage == kIssued) fault("a thread ends before its TMA store has read the source");
    }
  }

  std::vector<Load> loads;
  std::vector<Store> stores;
  std::unordered_map<const Thread*, int> groups;
} tma;

}  // namespace

void check_map(const Map& map) {
  const unsigned long inner = map.box[0] * map.strides[0];
  if (map.rank < 1 || map.rank > 5) fault("a tensor map of rank %u", map.rank);
  if (reinterpret_cast<uintptr_t>(map.array) % 16)
    fault("a tensor map of an address that is no multiple of 16");
  if (inner % 16) fault("a tensor map whose box has rows of %lu bytes, no multiple of 16", inner);
  if (map.swizzle && inner > map.swizzle)
    fault("a tensor map whose box has rows of %lu bytes, swizzled by %u", inner, map.swizzle);
  for (unsigned i = 0; i < map.rank; ++i) {
    if (map.box[i] < 1 || map.box[i] > 256)
      fault("a tensor map whose box has %u elements in dimension %u", map.box[i], i);
    if (map.extents[i] < 1) fault("a tensor map without elements in dimension %u", i);
    if (i && (map.strides[i] % 16 || map.strides[i] >= 1ul << 40))
      fault("a tensor map with a stride of %lu bytes in dimension %u", map.strides[i], i);
  }
}

void tma_load(unsigned to, const void* map, std::initializer_list<int> corner, unsigned barrier,
              unsigned blocks) {
  const Block& mine = *current->block;
  if (blocks >> mine.cluster) fault("a multicast to blocks 0x%x of a cluster of %d", blocks, mine.cluster);
  for (int rank = 0; rank < mine.cluster; ++rank) {
    if (blocks ? !(blocks >> rank & 1) : rank != mine.rank) continue;
    const unsigned there = cluster_address(barrier, rank);
    place_of(there, 8, 8, "an mbarrier");
    tma.loads.push_back({box_of(map, corner, cluster_address(to, rank)), there});
  }
  moved();
}

void tma_store(const void* map, std::initializer_list<int> corner, unsigned from) {
  tma.stores.push_back({box_of(map, corner, from), current, tma.groups[current], kIssued, {}});
  moved();
}

void tma_store_commit() { ++tma.groups[current]; }

void tma_store_wait(int keep, bool written) {
  const int last = tma.groups[current] - keep;
  for (Store& store : tma.stores)
    if (store.thread == current && store.group < last) store.advance(written ? kWritten : kRead);
}

}  // namespace emu
