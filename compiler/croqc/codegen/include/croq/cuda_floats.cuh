// Narrow floats as CUDA has them: code of the file uses its types, which are those of the language.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

namespace croq {

using f16 = __half;
using bf16 = __nv_bfloat16;
using f8_e4m3 = __nv_fp8_e4m3;
using f8_e5m2 = __nv_fp8_e5m2;

template <class T>
__device__ __forceinline__ u16 bits_of(T value) {
  static_assert(sizeof(T) == 2, "two bytes");
  return *reinterpret_cast<const u16*>(&value);
}
template <class T>
__device__ __forceinline__ T of_bits(u16 bits) {
  static_assert(sizeof(T) == 2, "two bytes");
  return *reinterpret_cast<const T*>(&bits);
}

}  // namespace croq
