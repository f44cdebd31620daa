// Waits that say where they stand (PTX ISA, mbarrier, trap): a record a thread in memory of the host,
// written once a wait takes long.
namespace croq {

// `site`: number of the wait in the unit, from 1; 0 where the thread waits for nothing. `state`: 1 waits, 2 gave up.
struct WaitRecord {
  u32 site, slot, generation, parity, state, block, thread, unused;
};

// Each block has the records of its threads; from block `blocks` on, blocks share them, first come, first served.
struct WaitReport {
  WaitRecord* records;  // in host memory, read by another process after this one has died
  u64 limit;            // nanoseconds; 0: for ever
  u32 blocks;
};

__device__ __forceinline__ void write_wait_record(const WaitReport& report, u32 site, u32 slot, u32 generation, u32 parity,
                                             u32 state) {
  const u32 block = block_number();
  volatile WaitRecord* record = report.records + u64(block % report.blocks) * blockDim.x + threadIdx.x;
  if (record->site != 0 && record->block != block) return;
  record->slot = slot;
  record->generation = generation;
  record->parity = parity;
  record->block = block;
  record->thread = threadIdx.x;
  record->state = state;
  __threadfence_system();
  record->site = site;
  __threadfence_system();
}

// Behind the limit a wait stays a quarter of it longer, so that the others of its block come to write theirs; it traps.
template <bool Cluster = false>
__device__ __forceinline__ void mbarrier_wait_reported(u64* barrier, u32 parity, const WaitReport& report, u32 site,
                                                       u32 slot, u32 generation) {
  if (mbarrier_passes<Cluster>(barrier, parity)) return;
  const u64 is_long = report.limit && report.limit < 2000000 ? report.limit / 2 : 1000000;
  const u64 start = read_timer();
  u32 state = 0;
  while (!mbarrier_passes<Cluster>(barrier, parity)) {
    const u64 waited = read_timer() - start;
    if (state == 0 && waited > is_long) write_wait_record(report, site, slot, generation, parity, state = 1);
    if (!report.limit) continue;
    if (state == 1 && waited > report.limit) write_wait_record(report, site, slot, generation, parity, state = 2);
    if (state == 2 && waited > report.limit + report.limit / 4) asm volatile("trap;");
  }
  if (state) write_wait_record(report, 0, slot, generation, parity, 0);
}

}  // namespace croq
