// Bulk tensor copies of one to five dimensions (PTX ISA, cp.async.bulk.tensor). Coordinates are elements, innermost
// first.
namespace croq {

struct alignas(64) TensorMap {
  u64 words[16];
};

__device__ __forceinline__ void tma_prefetch(const TensorMap& map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
}

__device__ __forceinline__ void tma_load(void* to, const TensorMap& map, u64* barrier, int c0) {
  asm volatile(
      "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3}], [%2];" ::"r"(
          shared_address(to)),
      "l"(&map), "r"(shared_address(barrier)), "r"(c0)
      : "memory");
}
__device__ __forceinline__ void tma_load(void* to, const TensorMap& map, u64* barrier, int c0, int c1) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(
          shared_address(to)),
      "l"(&map), "r"(shared_address(barrier)), "r"(c0), "r"(c1)
      : "memory");
}
__device__ __forceinline__ void tma_load(void* to, const TensorMap& map, u64* barrier, int c0, int c1, int c2) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5}], "
      "[%2];" ::"r"(shared_address(to)),
      "l"(&map), "r"(shared_address(barrier)), "r"(c0), "r"(c1), "r"(c2)
      : "memory");
}
__device__ __forceinline__ void tma_load(void* to, const TensorMap& map, u64* barrier, int c0, int c1, int c2, int c3) {
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5, %6}], "
      "[%2];" ::"r"(shared_address(to)),
      "l"(&map), "r"(shared_address(barrier)), "r"(c0), "r"(c1), "r"(c2), "r"(c3)
      : "memory");
}
__device__ __forceinline__ void tma_load(void* to, const TensorMap& map, u64* barrier, int c0, int c1, int c2,
                                         int c3, int c4) {
  asm volatile(
      "cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5, %6, "
      "%7}], "
      "[%2];" ::"r"(shared_address(to)),
      "l"(&map), "r"(shared_address(barrier)), "r"(c0), "r"(c1), "r"(c2), "r"(c3), "r"(c4)
      : "memory");
}

__device__ __forceinline__ void tma_store(const TensorMap& map, const void* from, int c0) {
  asm volatile("cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [%0, {%2}], [%1];" ::"l"(&map),
               "r"(shared_address(from)), "r"(c0)
               : "memory");
}
__device__ __forceinline__ void tma_store(const TensorMap& map, const void* from, int c0, int c1) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %3}], [%1];" ::"l"(&map),
               "r"(shared_address(from)), "r"(c0), "r"(c1)
               : "memory");
}
__device__ __forceinline__ void tma_store(const TensorMap& map, const void* from, int c0, int c1, int c2) {
  asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%0, {%2, %3, %4}], [%1];" ::"l"(&map),
               "r"(shared_address(from)), "r"(c0), "r"(c1), "r"(c2)
               : "memory");
}
__device__ __forceinline__ void tma_store(const TensorMap& map, const void* from, int c0, int c1, int c2, int c3) {
  asm volatile("cp.async.bulk.tensor.4d.global.shared::cta.bulk_group [%0, {%2, %3, %4, %5}], [%1];" ::"l"(&map),
               "r"(shared_address(from)), "r"(c0), "r"(c1), "r"(c2), "r"(c3)
               : "memory");
}
__device__ __forceinline__ void tma_store(const TensorMap& map, const void* from, int c0, int c1, int c2, int c3,
                                          int c4) {
  asm volatile("cp.async.bulk.tensor.5d.global.shared::cta.bulk_group [%0, {%2, %3, %4, %5, %6}], [%1];" ::"l"(&map),
               "r"(shared_address(from)), "r"(c0), "r"(c1), "r"(c2), "r"(c3), "r"(c4)
               : "memory");
}

__device__ __forceinline__ void tma_store_commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
// But for those of the last Keep groups, stores have read their source: it may be written again.
template <int Keep>
__device__ __forceinline__ void tma_store_wait_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(Keep) : "memory");
}
// But for those of the last Keep groups, what was stored may be read.
template <int Keep>
__device__ __forceinline__ void tma_store_wait() {
  asm volatile("cp.async.bulk.wait_group %0;" ::"n"(Keep) : "memory");
}

}  // namespace croq
