// Barriers of a block and of a cluster. See barriers.h.
#include "barriers.h"

#include <map>
#include <utility>

#include "faults.h"
#include "parts.h"
#include "threads.h"

namespace emu {
namespace {

constexpr int kAll = 0;  // for all threads that have not ended

struct Barrier {
  int arrived = 0, threads = kAll;
  unsigned generation = 0;

  void complete() {
    arrived = 0;
    ++generation;
    moved();
  }
};

struct Barriers final : Part {
  void begin() override {
    named.clear();
    ended.clear();
    cluster = {};
    arrivals.clear();
  }

  // A barrier for all threads does not wait for one that has ended.
  void exits() override {
    const int rank = current->block->rank;
    Barrier& whole = named[{rank, 0}];
    const int left = current->block->threads - ++ended[rank];
    if (whole.arrived && whole.threads == kAll && whole.arrived >= left) whole.complete();
  }

  void end() override {
    for (const auto& [key, barrier] : named)
      if (barrier.arrived)
        fault("barrier %d has %d arrivals when the block ends", key.second, barrier.arrived);
  }

  std::map<std::pair<int, int>, Barrier> named;  // by rank of the block and number
  std::map<int, int> ended;
  Barrier cluster;
  std::map<const Thread*, unsigned> arrivals;  // at the cluster's: the generation that each thread waits for
} barriers;

// Counts an arrival; the generation that it belongs to.
std::pair<Barrier*, unsigned> arrive(int number, int threads) {
  if (number < 0 || number > 15) fault("barrier %d: there are 0 to 15", number);
  if (threads % 32) fault("barrier %d for %d threads, which is no multiple of 32", number, threads);
  const int rank = current->block->rank;
  Barrier& barrier = barriers.named[{rank, number}];
  if (barrier.arrived && barrier.threads != threads)
    fault("barrier %d is used for %d threads and for %d", number, barrier.threads, threads);
  barrier.threads = threads;
  const unsigned generation = barrier.generation;
  moved();
  const int count = threads == kAll ? current->block->threads - barriers.ended[rank] : threads;
  if (++barrier.arrived >= count) barrier.complete();
  return {&barrier, generation};
}

void wait(const Barrier* barrier, unsigned generation, int number) {
  wait_until([=] { return barrier->generation != generation; }, "barrier %u", number);
}

}  // namespace

void bar_sync(int number, int threads) {
  if (threads <= 0) fault("barrier %d for %d threads", number, threads);
  const auto [barrier, generation] = arrive(number, threads);
  wait(barrier, generation, number);
}

void bar_arrive(int number, int threads) {
  if (threads <= 0) fault("barrier %d for %d threads", number, threads);
  arrive(number, threads);
}

void bar_sync_all() {
  const auto [barrier, generation] = arrive(0, kAll);
  wait(barrier, generation, 0);
}

void cluster_arrive() {
  Barrier& all = barriers.cluster;
  barriers.arrivals[current] = all.generation;
  moved();
  if (++all.arrived == current->block->cluster * current->block->threads) all.complete();
}

void cluster_wait() {
  const unsigned generation = barriers.arrivals[current];
  wait_until([=] { return barriers.cluster.generation != generation; }, "the barrier of the cluster");
}

}  // namespace emu
