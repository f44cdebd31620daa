// Memory with guards. See memory.h.
#include "memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "faults.h"

namespace emu {
namespace {

constexpr size_t kPage = 4096;
constexpr unsigned char kPattern = 0xa5;

unsigned char* pages(size_t size) {
  void* found = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (found == MAP_FAILED) fault("the host has no %zu bytes", size);
  return static_cast<unsigned char*>(found);
}

// Tiles lie on multiples of 1024 bytes, and so does the start of shared memory; behind its end the next page is
// guarded, what is between is not.
constexpr size_t kShared = 256 << 10;

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

bool Guarded::intact() const {
  const auto is_pattern = [](unsigned char byte) { return byte == kPattern; };
  return std::all_of(page_, start_, is_pattern) && std::all_of(start_ + size_, page_ + span_, is_pattern);
}

unsigned char* shared_memory_of(int rank, unsigned bytes) {
  static unsigned char* kept[kClusterMost];
  if (!kept[rank]) {
    unsigned char* all = pages(kShared + 2 * kPage);
    mprotect(all, kPage, PROT_NONE);
    mprotect(all + kPage + kShared, kPage, PROT_NONE);
    kept[rank] = all + kPage;
  }
  unsigned char* start = kept[rank] + (kShared - (bytes + 1023) / 1024 * 1024);
  memset(start, 0xff, (bytes + 1023) / 1024 * 1024);
  return start;
}

bool near_shared(const unsigned char* address, long* offset) {
  *offset = address - current->block->shared;
  return *offset > -long(kShared) - long(kPage) && *offset < long(kShared) + long(kPage);
}

unsigned shared_address(const void* pointer) {
  const Block& block = *current->block;
  const long offset = static_cast<const unsigned char*>(pointer) - block.shared;
  if (offset < 0 || offset > long(block.bytes)) fault("an address outside of the block's shared memory is taken for one");
  return unsigned(offset) + kWindow;
}

unsigned cluster_address(unsigned address, unsigned block) {
  if (int(block) >= current->block->cluster) fault("block %u of a cluster of %d", block, current->block->cluster);
  return (address & 0xffffff) | (block + 1) << 24;
}

Place place_of(unsigned address, unsigned size, unsigned align, const char* what) {
  const unsigned rank = address >> 24, window = address & 0xffffff;
  Block* block = rank ? current->block->blocks[rank - 1] : current->block;
  if (window % align) fault("%s at byte %d of shared memory, which is no multiple of %u", what, int(window - kWindow), align);
  if (window < kWindow || window - kWindow + size > block->bytes)
    fault("%s at bytes %d to %d of shared memory, which has %u", what, int(window - kWindow),
          int(window - kWindow + size), block->bytes);
  return {block, window - kWindow};
}

}  // namespace emu
