#include "engine/rocks/files/log_search.h"

#include <algorithm>
#include <cstdint>

namespace mayfly::engine {
namespace {

// RocksDB's numbers.
constexpr unsigned kFirstRecyclableType = 5;
constexpr unsigned kLastRecyclableType = 8;
constexpr std::size_t kHeaderBytes = 7;
constexpr std::size_t kRecyclableHeaderBytes = 11;

// True if a fragment of this type begins a record: a whole one, or the first of several.
constexpr bool Begins(unsigned type) { return type == 1 || type == 2 || type == 5 || type == 6; }

}  // namespace

bool LogSearch::Feed(Bytes piece) {
  bool found = raw_.Feed(piece);
  while (!piece.empty()) {
    const std::size_t taken = std::min(piece.size(), kLogBlockBytes - block_.size());
    block_.append(piece.substr(0, taken));
    piece.remove_prefix(taken);
    if (block_.size() < kLogBlockBytes) break;
    found |= FeedBlock(block_);
    block_.clear();
  }
  return found;
}

bool LogSearch::Finish() {
  const bool found = FeedBlock(block_);
  block_.clear();
  return found;
}

bool LogSearch::FeedBlock(Bytes block) {
  bool found = false;
  while (block.size() >= kHeaderBytes) {
    const auto byte = [&block](std::size_t i) { return static_cast<unsigned char>(block[i]); };
    const std::size_t length = byte(4) + std::size_t{256} * byte(5);
    const unsigned type = byte(6);
    if (type == 0 && length == 0) break;  // Room that was never written.
    const bool recyclable = kFirstRecyclableType <= type && type <= kLastRecyclableType;
    block.remove_prefix(std::min(block.size(), recyclable ? kRecyclableHeaderBytes : kHeaderBytes));
    const Bytes fragment = block.substr(0, length);
    block.remove_prefix(fragment.size());
    if (Begins(type)) records_.Reset();
    found |= records_.Feed(fragment);
  }
  return found;
}

}  // namespace mayfly::engine
