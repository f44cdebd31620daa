// Operations that all threads of a warp do together (PTX ISA, .sync.aligned; CUDA C++, warp shuffles).
//
// Not modelled: masks other than all lanes.
#pragma once
#include <cstdint>
#include <type_traits>

#include "faults.h"
#include "threads.h"

namespace emu {

// The threads of the warp come together; the last of them calls `work` with what each lane brought, null for
// lanes that the block does not have. Faults where they are at different operations.
void meet_warp(const char* name, void* mine, void (*work)(void** lanes));

// The same for operations that need all 32 lanes.
void meet_whole_warp(const char* name, void* mine, void (*work)(void** lanes));

// PTX ISA, shfl.sync: the value of lane `source`.
template <class T>
T shuffle(const char* name, T value, int source) {
  struct Lane {
    T value, found;
    int source;
  } mine = {value, value, source & 31};
  meet_warp(name, &mine, [](void** lanes) {
    for (int lane = 0; lane < 32; ++lane) {
      auto* each = static_cast<Lane*>(lanes[lane]);
      if (!each) continue;
      const auto* other = static_cast<const Lane*>(lanes[each->source]);
      if (!other) fault("a shuffle from lane %d, which the block does not have", each->source);
      each->found = other->value;
    }
  });
  return mine.found;
}

}  // namespace emu
