// Meetings of warps. See collectives.h.
#include "collectives.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "parts.h"

namespace emu {
namespace {

struct Meeting {
  int arrived = 0;
  const char* name = "";
  unsigned generation = 0;
  void* lanes[32] = {};
};

struct Meetings final : Part {
  void begin() override {
    per_block_ = (current->block->threads + 31) / 32;
    all_.assign(per_block_ * current->block->cluster, {});
  }
  Meeting& mine() { return all_[current->block->rank * per_block_ + warp()]; }

 private:
  int per_block_ = 0;
  std::vector<Meeting> all_;
} meetings;

}  // namespace

void meet_warp(const char* name, void* mine, void (*work)(void** lanes)) {
  Meeting& meeting = meetings.mine();
  const int count = std::min(32, current->block->threads - warp() * 32);
  if (meeting.arrived == 0) meeting.name = name;
  if (strcmp(meeting.name, name)) fault("threads of one warp are at %s and at %s", meeting.name, name);
  meeting.lanes[lane()] = mine;
  if (++meeting.arrived < count) {
    const unsigned generation = meeting.generation;
    // The name is a literal without a percent sign.
    wait_until([&] { return meeting.generation != generation; }, name);
    return;
  }
  work(meeting.lanes);
  meeting.arrived = 0;
  ++meeting.generation;
  moved();
}

void meet_whole_warp(const char* name, void* mine, void (*work)(void** lanes)) {
  if (warp() * 32 + 32 > current->block->threads) fault("%s in a warp that is not whole", name);
  meet_warp(name, mine, work);
}

}  // namespace emu
