// Element types by the names of the language. No header of CUDA or of the host is needed.
namespace croq {

using s8 = signed char;
using u8 = unsigned char;
using s16 = short;
using u16 = unsigned short;
using s32 = int;
using u32 = unsigned int;
using s64 = long long;
using u64 = unsigned long long;
using f32 = float;
using f64 = double;
using tf32 = float;  // multiplies take ten fraction bits of it

// Rounded up whatever the signs; no step passes `a`, which may be the largest value of its type.
template <class A, class B>
__host__ __device__ constexpr auto cdiv(A a, B b) {
  const auto quotient = a / b;
  return quotient + (b > 0 ? quotient * b < a : quotient * b > a);
}

}  // namespace croq
