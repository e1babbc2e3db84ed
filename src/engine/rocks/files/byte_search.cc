#include "engine/rocks/files/byte_search.h"

namespace mayfly::engine {

bool ByteSearch::Feed(Bytes piece) {
  const std::size_t tail_bytes = needle_.size() - 1;
  const bool inside = piece.find(needle_) != Bytes::npos;
  // The seam: the tail so far, and as much of the piece as a needle across it can reach.
  const std::string seam = tail_ + std::string(piece.substr(0, tail_bytes));
  const bool across = !tail_.empty() && seam.find(needle_) != std::string::npos;

  if (piece.size() >= tail_bytes) {
    tail_ = piece.substr(piece.size() - tail_bytes);
  } else {
    tail_ += piece;
    if (tail_.size() > tail_bytes) tail_.erase(0, tail_.size() - tail_bytes);
  }
  return inside || across;
}

}  // namespace mayfly::engine
