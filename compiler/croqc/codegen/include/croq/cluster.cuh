// Blocks of a cluster (PTX ISA, mapa, barrier.cluster, mbarrier with .shared::cluster, cp.async.bulk.tensor with
// .multicast::cluster): they meet, arrive on each other's barriers, and load for each other.
namespace croq {

// Where another block of the cluster has what lies here.
__device__ __forceinline__ u32 cluster_address(const void* pointer, u32 block) {
  u32 there;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(shared_address(pointer)), "r"(block));
  return there;
}

// All threads of all blocks; what they have written to shared memory is seen behind it.
__device__ __forceinline__ void cluster_sync() {
  asm volatile("barrier.cluster.arrive.release; barrier.cluster.wait.acquire;" ::: "memory");
}

// One arrival in a block of the cluster; in each of them. `Orders`: what the thread did to memory is seen there first.
template <bool Orders = true>
__device__ __forceinline__ void mbarrier_arrive_block(u64* barrier, u32 block) {
  const u32 there = cluster_address(barrier, block);
  if (Orders) {
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(there) : "memory");
  } else {
    asm volatile("mbarrier.arrive.release.cta.shared::cluster.b64 _, [%0];" ::"r"(there) : "memory");
  }
}
template <int Blocks, bool Orders = true>
__device__ __forceinline__ void mbarrier_arrive_cluster(u64* barrier) {
  for (u32 block = 0; block < Blocks; ++block) mbarrier_arrive_block<Orders>(barrier, block);
}

// The present generation of each of the blocks expects `bytes` besides.
template <int Blocks>
__device__ __forceinline__ void mbarrier_expect_cluster(u64* barrier, int bytes) {
  for (u32 block = 0; block < Blocks; ++block) {
    asm volatile("mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [%0], %1;" ::"r"(
                     cluster_address(barrier, block)),
                 "r"(bytes)
                 : "memory");
  }
}

// A box of one to three dimensions into every block, on the same barrier of each.
template <int Blocks>
__device__ __forceinline__ void tma_multicast(void* to, const TensorMap& map, u64* barrier, int c0) {
  asm volatile(
      "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, "
      "{%4}], [%2], %3;" ::"r"(shared_address(to)),
      "l"(&map), "r"(shared_address(barrier)), "h"(u16((1 << Blocks) - 1)), "r"(c0)
      : "memory");
}
template <int Blocks>
__device__ __forceinline__ void tma_multicast(void* to, const TensorMap& map, u64* barrier, int c0, int c1) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, "
      "{%4, %5}], [%2], %3;" ::"r"(shared_address(to)),
      "l"(&map), "r"(shared_address(barrier)), "h"(u16((1 << Blocks) - 1)), "r"(c0), "r"(c1)
      : "memory");
}
template <int Blocks>
__device__ __forceinline__ void tma_multicast(void* to, const TensorMap& map, u64* barrier, int c0, int c1, int c2) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, "
      "{%4, %5, %6}], [%2], %3;" ::"r"(shared_address(to)),
      "l"(&map), "r"(shared_address(barrier)), "h"(u16((1 << Blocks) - 1)), "r"(c0), "r"(c1), "r"(c2)
      : "memory");
}

}  // namespace croq
