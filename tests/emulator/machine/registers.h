// The registers that an instruction names, as places of the thread's variables. Must not outlive them.
#pragma once
#include <cstddef>
#include <cstdint>

namespace emu {

struct Registers {
  void* const* places;
  int count;
  unsigned size;  // bytes of one

  template <class T>
  T& as(int number) const {
    return *static_cast<T*>(places[number]);
  }
};

template <int Count>
struct RegisterList {
  void* places[Count];
  unsigned size;
  operator Registers() const { return {places, Count, size}; }
};

// {a, b, ...} of an instruction.
template <class First, class... More>
RegisterList<1 + sizeof...(More)> registers(First& first, More&... more) {
  return {{const_cast<void*>(static_cast<const void*>(&first)),
           const_cast<void*>(static_cast<const void*>(&more))...},
          sizeof(First)};
}

}  // namespace emu
