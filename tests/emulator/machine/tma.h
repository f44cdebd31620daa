// Bulk tensor copies (PTX ISA, cp.async.bulk.tensor in tile mode; tensor maps: CUDA driver API,
// cuTensorMapEncodeTiled). A load lands at some later time, a store reads its source and writes at two later
// times.
//
// Not modelled: the async proxy and its fences, im2col, interleaved maps, element strides, L2 hints, fills
// but zeros.
#pragma once
#include <initializer_list>

namespace emu {

// A map as the driver's encoder was asked for it; it lies where the kernel's parameter of 128 bytes is.
// `strides` in bytes, of dimension 0 the size of an element; all else in elements, innermost first.
struct Map {
  unsigned char* array;
  unsigned rank, swizzle;
  unsigned extents[5];
  unsigned short box[5];
  unsigned long strides[5];
};

// The requirements of the encoder: faults where it would refuse.
void check_map(const Map& map);

// A box to the same place of each block whose bit stands in `blocks`, or of the own block where that is 0;
// its bytes count on the barrier at the same place as `barrier` in each.
void tma_load(unsigned to, const void* map, std::initializer_list<int> corner, unsigned barrier,
              unsigned blocks = 0);

void tma_store(const void* map, std::initializer_list<int> corner, unsigned from);
void tma_store_commit();

// But for the thread's last `keep` groups, stores have read their source; if `written`, they are also
// complete.
void tma_store_wait(int keep, bool written);

}  // namespace emu
