// Probes: from when to when the recording thread of a path was at a place (PTX ISA, st).
namespace croq {

// `begun`, `ended`: cycles of the multiprocessor, low half. `site`: number of the place in the kernel, from 1, with the
// slot in its upper half; 0 where nothing is recorded. `turn`: the variable of the innermost loop.
struct alignas(16) ProbeRecord {
  u32 begun, ended, site, turn;
};

// A path of a block: cycles and nanoseconds of its start and end, and how many records found no place.
struct alignas(64) ProbeLane {
  u64 start_clock, start_time, end_clock, end_time;
  u32 block, multiprocessor, dropped, unused[5];
};

// Lane `i` has the places from `i * kPlaces` on. The blocks of `blocks` record, each into lanes of its own; where
// `every` is set all others do too, into the first block's, to see what recording costs.
struct Probes {
  static constexpr u32 kPlaces = 1 << 14, kOff = 0xffffffff;
  ProbeLane* lanes;
  ProbeRecord* records;
  u32 blocks[4];
  u32 every;
};

// Of a thread: the lane that it records into, kOff if none, and how often it was at a place so far.
struct ProbePlace {
  u32 lane, visits;
};

// A thread records nowhere for a `path` below 0, and in blocks that do not record. A lane's last place stays empty.
__device__ __forceinline__ ProbePlace probe_start(const Probes& probes, int paths, int path) {
  if (path < 0) return {Probes::kOff, 0};
  int block = probes.every ? 0 : -1;
#pragma unroll
  for (int b = 0; b < 4; ++b)
    if (probes.blocks[b] == block_number()) block = b;
  if (block < 0) return {Probes::kOff, 0};
  ProbeLane& lane = probes.lanes[block * paths + path];
  lane.block = block_number();
  lane.multiprocessor = sm_number();
  lane.start_time = read_timer();
  lane.start_clock = read_clock64();
  return {u32(block * paths + path), 0};
}

__device__ __forceinline__ void probe_record(const Probes& probes, ProbePlace& place, u32 begun, u32 site, u32 slot,
                                             u32 turn) {
  if (place.lane == Probes::kOff) return;
  const u32 ended = read_clock(), visit = place.visits++;
  if (visit >= Probes::kPlaces - 1) {
    probes.lanes[place.lane].dropped = visit - (Probes::kPlaces - 2);
    return;
  }
  asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(probes.records + place.lane * Probes::kPlaces + visit),
               "r"(begun), "r"(ended), "r"(site | slot << 16), "r"(turn));
}

__device__ __forceinline__ void probe_end(const Probes& probes, const ProbePlace& place) {
  if (place.lane == Probes::kOff) return;
  ProbeLane& lane = probes.lanes[place.lane];
  lane.end_clock = read_clock64();
  lane.end_time = read_timer();
}

}  // namespace croq
