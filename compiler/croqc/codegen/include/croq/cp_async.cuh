// Asynchronous copies of threads (PTX ISA, cp.async).
namespace croq {

template <int Bytes>
__device__ __forceinline__ void cp_async(void* to, const void* from) {
  if constexpr (Bytes == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared_address(to)), "l"(from), "n"(Bytes) : "memory");
}

// Zeros where there is nothing to copy; nothing is read then.
template <int Bytes>
__device__ __forceinline__ void cp_async(void* to, const void* from, bool there) {
  const int given = there ? Bytes : 0;
  if constexpr (Bytes == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)), "l"(from), "r"(given)
                 : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(shared_address(to)), "l"(from), "n"(Bytes),
                 "r"(given)
                 : "memory");
}

__device__ __forceinline__ void cp_async_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }

template <int Keep>
__device__ __forceinline__ void cp_async_wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(Keep) : "memory");
}

// The thread arrives on a barrier, whose count includes it, when all of its copies before have landed.
__device__ __forceinline__ void cp_async_arrive(u64* barrier) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(shared_address(barrier)) : "memory");
}

}  // namespace croq
