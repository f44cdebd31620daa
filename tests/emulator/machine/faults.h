// How a fault is told: the words, the thread, and the addresses of the calls that led there. The process ends
// with it.
//
// The driver in Python turns addresses into lines of the generated code. Must not decide what a fault is.
#pragma once

namespace emu {

constexpr int kFault = 86;  // the exit status

// `words` in printf's form. Lines on standard error: "fault WORDS", "thread BLOCK THREAD", "stack ADDRESSES".
[[noreturn]] void fault(const char* words, ...) __attribute__((format(printf, 1, 2)));

// The addresses of the calls that led here, as a line of text.
const char* stack_text();

// Signals of wrong addresses and of traps become faults.
void catch_signals();

}  // namespace emu
