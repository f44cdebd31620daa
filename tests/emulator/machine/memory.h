// Memory with guards: global arrays, the shared memory of blocks, and addresses of shared memory as PTX has
// them.
//
// Not modelled: proxies and the order in which writes are seen; a write is seen by all at once.
#pragma once
#include <cstddef>

#include "threads.h"

namespace emu {

constexpr unsigned kSharedMost = 227 << 10;  // bytes of a block (CUDA C++ Programming Guide, 9.0)
constexpr unsigned kWindow = 1024;           // where the window of shared memory begins: 0 is no address
constexpr int kClusterMost = 16;

// `size` bytes that end at a page nobody may touch; what is left of the last page, and the page in front, is
// guarded by a pattern.
class Guarded {
 public:
  explicit Guarded(size_t size);
  unsigned char* bytes() const { return start_; }
  size_t size() const { return size_; }
  bool intact() const;  // nothing was written around it

 private:
  unsigned char *page_, *start_;
  size_t size_, span_;
};

// Shared memory of `bytes` for the block of this rank, filled with NaNs.
unsigned char* shared_memory_of(int rank, unsigned bytes);

// Whether an address is near the shared memory of the current block, and at which byte of it.
bool near_shared(const unsigned char* address, long* offset);

// PTX ISA, cvta: the address in the window of the block's own shared memory. Faults where it lies in front or
// behind.
unsigned shared_address(const void* pointer);

// PTX ISA, mapa: the same place in the block of rank `block` of the cluster.
unsigned cluster_address(unsigned address, unsigned block);

// The block that an address belongs to, and the byte of its shared memory. Faults where `size` bytes do not
// lie inside, or not on a multiple of `align`; `what` names the access.
struct Place {
  Block* block;
  unsigned offset;
  unsigned char* bytes() const { return block->shared + offset; }
};
Place place_of(unsigned address, unsigned size, unsigned align, const char* what);

}  // namespace emu
