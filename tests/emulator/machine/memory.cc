// Memory with guards. See memory.h.
#include "memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "faults.h"
#include "parts.h"

namespace emu {
namespace {

constexpr size_t kPage = 4096;
constexpr unsigned char kPattern = 0xa5;

unsigned char* pages(size_t size) {
  void* found =
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (found == MAP_FAILED) fault("the host has no %zu bytes", size);
  return static_cast<unsigned char*>(found);
}

constexpr size_t kShared = 256 << 10;

bool untouched(const unsigned char* first, const unsigned char* last) {
  return std::all_of(first, last, [](unsigned char byte) { return byte == kPattern; });
}

// Shared memory of a block ends at a page that nobody may touch, but for what makes its start a multiple of
// 1024 bytes; that, and the rest of its first page, is guarded by a pattern.
struct SharedMemories final : Part {
  struct Kept {
    unsigned char *all, *start;
    unsigned bytes;
    unsigned char* page() const { return all + (start - all) / kPage * kPage; }
  };
  void end() override {
    for (const Kept& each : kept)
      if (each.all &&
          !(untouched(each.page(), each.start) && untouched(each.start + each.bytes, each.all + kShared)))
        fault("something was written in front of or behind the shared memory of a block");
  }
  Kept kept[kClusterMost] = {};
} shared_memories;

}  // namespace

Guarded::Guarded(size_t size) : size_(size) {
  span_ = (size + 256 + kPage - 1) / kPage * kPage;
  unsigned char* all = pages(span_ + 2 * kPage);
  page_ = all + kPage;
  mprotect(all, kPage, PROT_NONE);
  mprotect(page_ + span_, kPage, PROT_NONE);
  memset(page_, kPattern, span_);
  start_ = page_ + (span_ - size) / 256 * 256;  // aligned as cudaMalloc does
  memset(start_, 0, size);
}

bool Guarded::intact() const { return untouched(page_, start_) && untouched(start_ + size_, page_ + span_); }

unsigned char* shared_memory_of(int rank, unsigned bytes) {
  auto& kept = shared_memories.kept[rank];
  if (!kept.all) {
    kept.all = pages(kShared + 2 * kPage) + kPage;
    mprotect(kept.all + kShared, kPage, PROT_NONE);
  }
  kept.start = kept.all + (kShared - (bytes + 1023) / 1024 * 1024);
  kept.bytes = bytes;
  mprotect(kept.all - kPage, size_t(kept.page() - kept.all) + kPage, PROT_NONE);
  mprotect(kept.page(), size_t(kept.all + kShared - kept.page()), PROT_READ | PROT_WRITE);
  memset(kept.page(), kPattern, size_t(kept.all + kShared - kept.page()));
  memset(kept.start, 0xff, bytes);
  return kept.start;
}

bool near_shared(const unsigned char* address, long* offset) {
  const auto& mine = shared_memories.kept[current->block->rank];
  *offset = address - mine.start;
  return address >= mine.all - kPage && address < mine.all + kShared + kPage;
}

unsigned shared_address(const void* pointer) {
  const Block& block = *current->block;
  const long offset = static_cast<const unsigned char*>(pointer) - block.shared;
  if (offset < 0 || offset > long(block.bytes))
    fault("an address outside of the block's shared memory is taken for one");
  return unsigned(offset) + kWindow;
}

unsigned cluster_address(unsigned address, unsigned block) {
  if (int(block) >= current->block->cluster)
    fault("block %u of a cluster of %d", block, current->block->cluster);
  return (address & 0xffffff) | (block + 1) << 24;
}

Place place_of(unsigned address, unsigned size, unsigned align, const char* what) {
  const unsigned rank = address >> 24, window = address & 0xffffff;
  Block* block = rank ? current->block->blocks[rank - 1] : current->block;
  if (window % align)
    fault("%s at byte %d of shared memory, which is no multiple of %u", what, int(window - kWindow), align);
  if (window < kWindow || window - kWindow + size > block->bytes)
    fault("%s at bytes %d to %d of shared memory, which has %u", what, int(window - kWindow),
          int(window - kWindow + size), block->bytes);
  return {block, window - kWindow};
}

}  // namespace emu
