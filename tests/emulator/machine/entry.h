// How a launch finds a kernel and hands it its arguments, as cuLaunchKernel does: a list of addresses.
#pragma once
#include <type_traits>
#include <utility>

namespace emu {

struct Entry {
  const char* name;
  void (*run)(void** arguments);
  int parameters, cluster;
};

// The kernels of the unit, defined by it; the last has no name.
extern const Entry entries[];

template <class... Parameters, size_t... Numbers>
void call(void (*kernel)(Parameters...), void** arguments, std::index_sequence<Numbers...>) {
  kernel(*static_cast<std::remove_cv_t<std::remove_reference_t<Parameters>>*>(arguments[Numbers])...);
}

template <class... Parameters>
constexpr int parameters_of(void (*)(Parameters...)) {
  return sizeof...(Parameters);
}

template <class... Parameters>
void launch(void (*kernel)(Parameters...), void** arguments) {
  call(kernel, arguments, std::index_sequence_for<Parameters...>{});
}

}  // namespace emu
