// Asynchronous copies of threads. See copies.h.
#include "copies.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>
#include <vector>

#include "faults.h"
#include "mbarrier.h"
#include "memory.h"
#include "parts.h"

namespace emu {
namespace {

struct Copy {
  unsigned char* to;
  const void* from;
  unsigned bytes, given;
};
using Group = std::vector<Copy>;

void run(const Group& group) {
  for (const Copy& copy : group) {
    if (copy.given) memcpy(copy.to, copy.from, copy.given);
    memset(copy.to + copy.given, 0, copy.bytes - copy.given);
  }
}

struct OfThread {
  Group open;
  std::vector<Group> groups;
};

struct Arrival {
  Group copies;
  unsigned barrier;
};

struct Copies final : Part {
  void begin() override { threads.clear(); }
  void exits() override {
    OfThread& mine = threads[current];
    const auto flies = [](const Group& group) { return !group.empty(); };
    if (flies(mine.open) || std::any_of(mine.groups.begin(), mine.groups.end(), flies))
      fault("a thread ends and has not waited for its cp.async");
  }
  bool late() override { return !arrivals.empty(); }
  void land() override {
    const size_t at = random_below(arrivals.size());
    const Arrival arrival = arrivals[at];
    arrivals.erase(arrivals.begin() + at);
    run(arrival.copies);
    mbarrier_arrive(arrival.barrier);
  }

  std::unordered_map<const Thread*, OfThread> threads;
  std::vector<Arrival> arrivals;
} copies;

}  // namespace

void cp_async(unsigned to, const void* from, unsigned bytes, unsigned given) {
  const Place place = place_of(to, bytes, bytes, "a cp.async");
  if (reinterpret_cast<uintptr_t>(from) % bytes)
    fault("a cp.async of %u bytes from an address that is no multiple", bytes);
  if (given > bytes) fault("a cp.async gives %u of %u bytes", given, bytes);
  copies.threads[current].open.push_back({place.bytes(), from, bytes, given});
}

void cp_async_commit() {
  OfThread& mine = copies.threads[current];
  mine.groups.push_back(std::move(mine.open));
  mine.open.clear();
}

void cp_async_wait(int keep) {
  auto& groups = copies.threads[current].groups;
  while (int(groups.size()) > keep) {
    run(groups.front());
    groups.erase(groups.begin());
  }
}

void cp_async_arrive(unsigned barrier) {
  OfThread& mine = copies.threads[current];
  Arrival arrival{{}, cluster_address(barrier, unsigned(current->block->rank))};
  mine.groups.push_back(std::move(mine.open));
  for (const Group& group : mine.groups)
    arrival.copies.insert(arrival.copies.end(), group.begin(), group.end());
  mine = {};
  copies.arrivals.push_back(std::move(arrival));
  moved();
}

}  // namespace emu
