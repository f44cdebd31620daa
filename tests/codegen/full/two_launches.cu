#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>

namespace croq_host {

inline void require(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(what);
}

inline void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

// A launch of a kernel that itself waits for what stands in front of it on the stream: it may begin while that ends
// (CUDA C++ programming guide, programmatic dependent launch).
template <typename... Params, typename... Args>
void launch_overlapping(void (*kernel)(Params...), dim3 blocks, int threads, size_t shared, cudaStream_t stream,
                        Args... args) {
  cudaLaunchAttribute overlaps = {};
  overlaps.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  overlaps.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = blocks;
  config.blockDim = dim3(threads);
  config.dynamicSmemBytes = shared;
  config.stream = stream;
  config.attrs = &overlaps;
  config.numAttrs = 1;
  check(cudaLaunchKernelEx(&config, kernel, args...));
}

}  // namespace croq_host

void f_on_gpu(
    int* x,
    int* y,
    int N,
    cudaStream_t stream = nullptr) {
  using namespace croq_host;
  require(N > 0, "N must be at least 1");
  launch_overlapping(f_1, dim3(N, 1, 1), 1, 0, stream, x, N);
  launch_overlapping(f_2, dim3(N, 1, 1), 1, 0, stream, x, y, N);
}

#endif
