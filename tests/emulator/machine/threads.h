// Threads of the blocks that run, as a kernel sees them (PTX ISA, special registers %tid, %ctaid, %ntid,
// %nctaid).
//
// What a translated kernel includes: no container of the standard library here, they cost its compilation.
#pragma once
#include <cstdint>

namespace emu {

struct Index {
  unsigned x, y, z;
};

// `shared` is guarded on both sides; `blocks` are those of the cluster, by their ranks.
struct Block {
  Index index;
  int rank;
  unsigned char* shared;
  unsigned bytes;
  Block** blocks;
  int cluster;
  int threads;
};

struct Thread {
  Index index;
  Block* block;
};

extern Thread* current;
extern Index grid_extent;

// Others run before this thread goes on.
void yield();

// Something has changed that another thread may wait for.
void moved();

// What the current thread stands at, for the report of a hang: words with up to two numbers in printf's form.
void stands(const char* words, unsigned number = 0, unsigned more = 0);

// Lets others run until `passes` holds. `words`, `number`, `more`: as `stands`.
template <class Passes>
void wait_until(Passes passes, const char* words, unsigned number = 0, unsigned more = 0) {
  while (!passes()) {
    stands(words, number, more);
    yield();
  }
}

inline int lane() { return current->index.x % 32; }
inline int warp() { return current->index.x / 32; }

}  // namespace emu
