// Asynchronous copies of threads (PTX ISA, cp.async). Each comes as late as it may: at the wait for its
// group, or at some time before its barrier counts the arrival.
//
// Not modelled: cache hints.
#pragma once

namespace emu {

// `bytes` from global memory to the address of shared memory: 4, 8 or 16; those behind the first `given` become 0.
void cp_async(unsigned to, const void* from, unsigned bytes, unsigned given);
inline void cp_async(unsigned to, const void* from, unsigned bytes) { cp_async(to, from, bytes, bytes); }
void cp_async_commit();
void cp_async_wait(int keep);

// The thread arrives on a barrier, whose count includes it, when all its copies so far have come.
void cp_async_arrive(unsigned barrier);

}  // namespace emu
