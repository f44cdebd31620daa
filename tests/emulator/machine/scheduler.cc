// Threads as fibers: each runs until it waits, then another does. See scheduler.h.
//
// Not modelled: time. A thread that spins on plain memory never lets another run, and ends by the driver's
// limit.
#include "scheduler.h"

#include <setjmp.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "faults.h"
#include "memory.h"
#include "parts.h"

namespace emu {

Thread* current;
Index grid_extent;

namespace {

constexpr size_t kStack = 128 << 10;
constexpr int kIdleRounds = 8;     // rounds in which nothing moves, until it is called a hang
constexpr unsigned kNap = 64;      // rounds that a late warp sleeps at most
constexpr unsigned kLanding = 97;  // one in so many turns, a late effect comes

struct Fiber : Thread {
  jmp_buf at;
  void* stack;
  bool started = false, done = false;
  const char* words = "";
  unsigned number = 0, more = 0;
};

std::mt19937 generator;
Order order;
std::vector<Part*>& parts() {
  static std::vector<Part*> all;
  return all;
}

jmp_buf scheduler;
const std::function<void()>* body;
bool has_moved, telling;
std::map<std::string, std::vector<const Fiber*>> told;

Fiber& fiber() { return *static_cast<Fiber*>(current); }

void enter() {
  (*body)();
  for (Part* part : parts()) part->exits();
  fiber().done = true;
  moved();
  _longjmp(scheduler, 1);
}

void resume(Fiber& next) {
  current = &next;
  if (!_setjmp(scheduler)) {
    if (next.started) _longjmp(next.at, 1);
    next.started = true;
    ucontext_t start;
    getcontext(&start);
    start.uc_stack.ss_sp = next.stack;
    start.uc_stack.ss_size = kStack;
    start.uc_link = nullptr;
    makecontext(&start, enter, 0);
    setcontext(&start);
  }
}

void* stack_of(size_t number) {
  static std::vector<void*> kept;
  while (kept.size() <= number)
    kept.push_back(
        mmap(nullptr, kStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  return kept[number];
}

// A cluster's fibers with the order of their turns.
class Cluster {
 public:
  Cluster(Index grid, long first, int threads, unsigned bytes, int cluster)
      : blocks_(cluster), list_(cluster) {
    for (int rank = 0; rank < cluster; ++rank) {
      const unsigned long number = first + rank;
      list_[rank] = &blocks_[rank];
      blocks_[rank] = {
          {unsigned(number % grid.x), unsigned(number / grid.x % grid.y), unsigned(number / grid.x / grid.y)},
          rank,
          shared_memory_of(rank, bytes),
          bytes,
          list_.data(),
          cluster,
          threads};
    }
    for (int number = 0; number < cluster * threads; ++number) {
      auto each = std::make_unique<Fiber>();
      each->index = {unsigned(number % threads), 0, 0};
      each->block = list_[number / threads];
      each->stack = stack_of(number);
      turns_.push_back(each.get());
      fibers_.push_back(std::move(each));
    }
  }

  void run() {
    current = fibers_[0].get();
    for (Part* part : parts()) part->begin();
    for (int idle = 0; round(); idle = has_moved ? 0 : idle + 1)
      if (idle > kIdleRounds) tell_hang();
    for (Part* part : parts()) part->end();
  }

 private:
  // Everyone's turn; whether anything is left to do.
  bool round() {
    has_moved = false;
    bool lives = false;
    rearrange();
    for (Fiber* each : turns_) {
      if (each->done) continue;
      lives = true;
      if (sleeps(*each)) continue;
      resume(*each);
      if (random_below(kLanding) == 0) land();
    }
    if (!has_moved || random_below(2)) land();
    return lives || std::any_of(parts().begin(), parts().end(), [](Part* part) { return part->late(); });
  }

  // One of the effects that no thread brings about.
  void land() {
    for (Part* part : parts())
      if (part->late()) {
        current = fibers_[0].get();
        part->land();
        return moved();
      }
  }

  void rearrange() {
    if (order == kBackwards) std::reverse(turns_.begin(), turns_.end());
    if (order != kShuffled && order != kLateWarps) return;
    std::vector<std::pair<unsigned, unsigned>> keys(fibers_.size());
    const bool lanes = random_below(2);
    for (size_t at = 0; at < keys.size(); at += 32) {
      const unsigned key = generator() >> 1;
      for (size_t lane = at; lane < std::min(at + 32, keys.size()); ++lane) keys[lane] = {key, lane};
      if (lanes) std::shuffle(keys.begin() + at, keys.begin() + std::min(at + 32, keys.size()), generator);
    }
    std::stable_sort(keys.begin(), keys.end(), [](auto& a, auto& b) { return a.first < b.first; });
    for (size_t at = 0; at < keys.size(); ++at) turns_[at] = fibers_[keys[at].second].get();
    if (nap_) {
      --nap_;
      moved();
    } else if (order == kLateWarps && random_below(8) == 0) {
      nap_ = 1 + random_below(kNap);
      const Fiber& late = *fibers_[random_below(fibers_.size())];
      late_block_ = late.block, late_warp_ = late.index.x / 32;
    }
  }

  bool sleeps(const Fiber& each) const {
    return nap_ && each.block == late_block_ && each.index.x / 32 == late_warp_;
  }

  [[noreturn]] void tell_hang() {
    telling = true;
    for (auto& each : fibers_)
      if (!each->done) resume(*each);
    fflush(stdout);
    fprintf(stderr, "fault a hang: no thread can go on\n");
    for (const auto& [text, all] : told) {
      const Index& block = all[0]->block->index;
      fprintf(stderr, "thread %u,%u,%u %u\nwaits %zu %s\n", block.x, block.y, block.z, all[0]->index.x,
              all.size(), text.c_str());
    }
    fflush(stderr);
    _exit(kFault);
  }

  std::vector<Block> blocks_;
  std::vector<Block*> list_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<Fiber*> turns_;
  unsigned nap_ = 0;
  const Block* late_block_ = nullptr;
  unsigned late_warp_ = 0;
};

}  // namespace

Part::Part() { parts().push_back(this); }

unsigned random_below(unsigned count) { return generator() % count; }

void moved() { has_moved = true; }

void stands(const char* words, unsigned number, unsigned more) {
  Fiber& me = fiber();
  me.words = words, me.number = number, me.more = more;
}

void yield() {
  Fiber& me = fiber();
  if (!_setjmp(me.at)) _longjmp(scheduler, 1);
  if (!telling) return;
  char text[256];
  snprintf(text, sizeof text, me.words, me.number, me.more);
  told[std::string(text) + "\nstack" + stack_text()].push_back(&me);
  _longjmp(scheduler, 1);
}

void choose_order(unsigned seed) {
  generator.seed(seed);
  order = Order(seed % 4);
}

void run_blocks(const std::function<void()>& kernel, Index grid, int threads, unsigned shared_bytes,
                int cluster) {
  if (grid.x % cluster)
    fault("a grid of %u blocks along x is no multiple of a cluster of %d", grid.x, cluster);
  if (shared_bytes > kSharedMost) fault("%u bytes of shared memory, of %u", shared_bytes, kSharedMost);
  if (threads < 1 || threads > 1024) fault("a block of %d threads", threads);
  body = &kernel;
  grid_extent = grid;
  std::vector<long> clusters(long(grid.x) * grid.y * grid.z / cluster);
  for (size_t number = 0; number < clusters.size(); ++number) clusters[number] = number;
  if (order == kBackwards) std::reverse(clusters.begin(), clusters.end());
  if (order > kBackwards) std::shuffle(clusters.begin(), clusters.end(), generator);
  for (long number : clusters) Cluster(grid, number * cluster, threads, shared_bytes, cluster).run();
  current = nullptr;
}

}  // namespace emu
