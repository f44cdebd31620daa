// mbarriers (PTX ISA, mbarrier): arrivals, transaction bytes, waits by parity.
namespace croq {

__device__ __forceinline__ void mbarrier_init(u64* barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals) : "memory");
}

// Initialised barriers become visible to the async proxy and to the cluster.
__device__ __forceinline__ void fence_mbarrier_init() {
#if __CUDA_ARCH__ >= 900  // without an async proxy and clusters the block's own barrier does
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
}

__device__ __forceinline__ void mbarrier_arrive(u64* barrier) {
  asm volatile("{ .reg .b64 state; mbarrier.arrive.shared::cta.b64 state, [%0]; }" ::"r"(shared_address(barrier))
               : "memory");
}

// `count` arrivals at a time: how a barrier starts with its first generation complete.
__device__ __forceinline__ void mbarrier_arrive_many(u64* barrier, int count) {
#if __CUDA_ARCH__ >= 900
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(count) : "memory");
#else
  for (int arrived = 0; arrived < count; ++arrived) mbarrier_arrive(barrier);
#endif
}

// One arrival whose generation also expects `bytes` from copies.
__device__ __forceinline__ void mbarrier_arrive_expect(u64* barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
               : "memory");
}

// The present generation expects `bytes` from a copy besides.
__device__ __forceinline__ void mbarrier_expect(u64* barrier, int bytes) {
  asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
               : "memory");
}

// `Cluster`: what the other blocks of the cluster did before their arrivals is seen behind it.
template <bool Cluster = false>
__device__ __forceinline__ bool mbarrier_passes(u64* barrier, u32 parity) {
  u32 passed;
#if __CUDA_ARCH__ >= 900
  if (Cluster) {
    asm volatile(
        "{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
        : "=r"(passed)
        : "r"(shared_address(barrier)), "r"(parity)
        : "memory");
    return passed != 0;
  }
  asm volatile(
      "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
      : "=r"(passed)
      : "r"(shared_address(barrier)), "r"(parity)
      : "memory");
#else
  asm volatile(
      "{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
      : "=r"(passed)
      : "r"(shared_address(barrier)), "r"(parity)
      : "memory");
#endif
  return passed != 0;
}

template <bool Cluster = false>
__device__ __forceinline__ void mbarrier_wait(u64* barrier, u32 parity) {
  while (!mbarrier_passes<Cluster>(barrier, parity)) {
  }
}

}  // namespace croq
