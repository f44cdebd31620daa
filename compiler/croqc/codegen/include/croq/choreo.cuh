// What code of the file may call of the language's library on the card.
namespace croq {

using bfp16 = bf16;
using bfloat16 = bf16;
using f8 = f8_e4m3;

template <class T>
__device__ __forceinline__ float to_f32(T value) {
  return float(value);
}
__device__ __forceinline__ float f16_to_f32(f16 value) { return float(value); }
__device__ __forceinline__ f16 f32_to_f16(float value) { return f16(value); }
__device__ __forceinline__ float bf16_to_f32(bf16 value) { return float(value); }
__device__ __forceinline__ bf16 f32_to_bf16(float value) { return bf16(value); }

namespace utils {
template <class T>
__device__ __forceinline__ T from_f32(float value) {
  return T(value);
}
}  // namespace utils

__device__ __forceinline__ void choreo_assert(bool holds, const char* what, const char* file = __builtin_FILE(),
                                              int line = __builtin_LINE()) {
  if (!holds) {
    printf("%s:%d: choreo assertion failed: %s\n", file, line, what);
    __trap();
  }
}

}  // namespace croq

namespace choreo = croq;
