// ldmatrix and stmatrix. See matrices.h.
#include "matrices.h"

#include <cstring>

#include "collectives.h"
#include "memory.h"

namespace emu {
namespace {

struct Lane {
  Registers registers;
  unsigned char* row;
};

Lane& lane_of(void** lanes, int number) { return *static_cast<Lane*>(lanes[number]); }

// Lane l has elements 2 (l % 4) and the next of row l / 4; lane 8 m + r gives the address of row r of matrix
// m.
void load(void** lanes, bool transposed) {
  for (int matrix = 0; matrix < 4; ++matrix) {
    uint16_t rows[8][8];
    for (int row = 0; row < 8; ++row) memcpy(rows[row], lane_of(lanes, matrix * 8 + row).row, 16);
    for (int lane = 0; lane < 32; ++lane) {
      const int i = lane / 4, j = lane % 4 * 2;
      const uint16_t low = transposed ? rows[j][i] : rows[i][j],
                     high = transposed ? rows[j + 1][i] : rows[i][j + 1];
      lane_of(lanes, lane).registers.as<uint32_t>(matrix) = uint32_t(high) << 16 | low;
    }
  }
}

void store(void** lanes) {
  for (int matrix = 0; matrix < 4; ++matrix)
    for (int lane = 0; lane < 32; ++lane)
      memcpy(lane_of(lanes, matrix * 8 + lane / 4).row + lane % 4 * 4,
             &lane_of(lanes, lane).registers.as<uint32_t>(matrix), 4);
}

}  // namespace

void ldmatrix(Registers to, unsigned row, bool transposed) {
  Lane mine = {to, place_of(row, 16, 16, "a row of ldmatrix").bytes()};
  if (transposed)
    meet_whole_warp("ldmatrix.trans", &mine, [](void** lanes) { load(lanes, true); });
  else
    meet_whole_warp("ldmatrix", &mine, [](void** lanes) { load(lanes, false); });
}

void stmatrix(unsigned row, Registers from) {
  Lane mine = {from, place_of(row, 16, 16, "a row of stmatrix").bytes()};
  meet_whole_warp("stmatrix", &mine, store);
}

}  // namespace emu
