// Telling faults. See faults.h.
#include "faults.h"

#include <execinfo.h>
#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <initializer_list>

#include "memory.h"
#include "threads.h"

namespace emu {

namespace {

void* interrupted;  // where a signal came

void* place_of_signal(void* context) {
  const auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return reinterpret_cast<void*>(registers.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return reinterpret_cast<void*>(registers.pc);
#else
  (void)registers;
  return nullptr;
#endif
}

}  // namespace

const char* stack_text() {
  static char text[1024];
  void* calls[48];
  const int count = backtrace(calls, 48);
  int at = interrupted ? snprintf(text, sizeof text, " %p", interrupted) : 0;
  text[at] = 0;
  for (int i = 0; i < count && at < 900; ++i) at += snprintf(text + at, sizeof text - at, " %p", calls[i]);
  return text;
}

void fault(const char* words, ...) {
  char told[512];
  va_list arguments;
  va_start(arguments, words);
  vsnprintf(told, sizeof told, words, arguments);
  va_end(arguments);
  fflush(stdout);
  fprintf(stderr, "fault %s\n", told);
  if (current) {
    const Index& block = current->block->index;
    fprintf(stderr, "thread %u,%u,%u %u\n", block.x, block.y, block.z, current->index.x);
  }
  fprintf(stderr, "stack%s\n", stack_text());
  fflush(stderr);
  _exit(kFault);
}

namespace {

void on_signal(int number, siginfo_t* info, void* context) {
  interrupted = place_of_signal(context);
  if (number == SIGILL) fault("a misaligned address, or an index outside of an array of the thread");
  if (number == SIGFPE) fault("an integer division by zero");
  const auto* address = static_cast<const unsigned char*>(info->si_addr);
  long offset;
  if (current && near_shared(address, &offset))
    fault("byte %ld of shared memory, which has %u", offset, current->block->bytes);
  fault("address %p, outside of every array", static_cast<const void*>(address));
}

}  // namespace

void catch_signals() {
  static char stack[1 << 16];
  stack_t other = {};
  other.ss_sp = stack;
  other.ss_size = sizeof stack;
  sigaltstack(&other, nullptr);
  struct sigaction action = {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (int number : {SIGSEGV, SIGBUS, SIGILL, SIGFPE}) sigaction(number, &action, nullptr);
  stack_text();  // its first call loads the unwinder, which a handler must not do
}

}  // namespace emu
