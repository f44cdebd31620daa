// Runs the blocks of a launch, in an order of their threads that the run's seed chooses. Not for kernels.
#pragma once
#include <functional>

#include "threads.h"

namespace emu {

// How threads take turns between points where they wait. Seed n has order n % 4.
enum Order { kInTurn, kBackwards, kShuffled, kLateWarps };

void choose_order(unsigned seed);

// Clusters one after the other, in any order; `cluster` blocks at once. Faults where no thread can move any
// more.
void run_blocks(const std::function<void()>& kernel, Index grid, int threads, unsigned shared_bytes,
                int cluster);

}  // namespace emu
