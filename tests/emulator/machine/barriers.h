// Barriers of a block and of a cluster (PTX ISA, bar, barrier.cluster).
//
// Not modelled: what barriers do to the order of memory; writes are seen at once.
#pragma once

namespace emu {

// PTX ISA, bar.sync and bar.arrive of barrier 0 to 15, for so many threads.
void bar_sync(int barrier, int threads);
void bar_arrive(int barrier, int threads);

// CUDA C++, __syncthreads: barrier 0 for all threads of the block that have not ended.
void bar_sync_all();

// PTX ISA, barrier.cluster: all threads of all blocks of the cluster.
void cluster_arrive();
void cluster_wait();

}  // namespace emu
