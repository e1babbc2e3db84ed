// pieces.h - the ways tests cut bytes into pieces.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/random.h"
#include "mayfly/bytes.h"

namespace mayfly {

// Calls `play(pieces)` with the bytes in one piece, in pieces of one byte, and cut in two at every
// place.
template <typename Play>
void InEveryCut(Bytes bytes, Play play) {
  play(std::vector<Bytes>{bytes});
  std::vector<Bytes> single;
  for (std::size_t i = 0; i < bytes.size(); ++i) single.push_back(bytes.substr(i, 1));
  play(single);
  for (std::size_t cut = 1; cut < bytes.size(); ++cut) {
    play(std::vector<Bytes>{bytes.substr(0, cut), bytes.substr(cut)});
  }
}

// Pieces of 1 to `piece_bytes_max` bytes.
inline std::vector<Bytes> RandomPieces(Bytes bytes, std::size_t piece_bytes_max, Random& random) {
  std::vector<Bytes> pieces;
  while (!bytes.empty()) {
    pieces.push_back(bytes.substr(0, random.Between(1, piece_bytes_max)));
    bytes.remove_prefix(pieces.back().size());
  }
  return pieces;
}

}  // namespace mayfly
