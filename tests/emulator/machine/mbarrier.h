// mbarrier objects (PTX ISA, Parallel Synchronization and Communication Instructions: mbarrier).
//
// Modelled: pending and expected arrivals, the transaction count, the phase and its parity. Not modelled: the
// opaque state that an arrival returns, and what .release and .acquire do to the order of memory.
#pragma once

namespace emu {

// `address`: in the window of shared memory, of the block's own or of another of the cluster.
void mbarrier_init(unsigned address, unsigned arrivals);

// Arrivals, whose phase first expects `bytes` besides.
void mbarrier_arrive(unsigned address, unsigned arrivals = 1, unsigned bytes = 0);

// The present phase expects `bytes` besides.
void mbarrier_expect(unsigned address, unsigned bytes);

// `bytes` of a copy have come.
void mbarrier_complete(unsigned address, unsigned bytes);

// Whether the phase of this parity is complete. Others run first where it is not.
bool mbarrier_test(unsigned address, unsigned parity);

}  // namespace emu
