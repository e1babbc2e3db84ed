// log_search.h - finds bytes in a log or manifest, past RocksDB's framing.
//   block of 32 KiB: | crc u32 | length u16 | type u8 | log number u32, types 5 to 8 | bytes | ...
// A record that does not fit its block goes on in the next as another fragment, so a header may
// stand in the middle of the needle. Bytes that are no record, a torn end or a recycled rest, are
// searched raw. The number of bytes fed at a time does not matter.
#pragma once

#include <cstddef>
#include <string>

#include "engine/rocks/files/byte_search.h"
#include "engine/rocks/files/log_format.h"
#include "mayfly/bytes.h"

namespace mayfly::engine {

class LogSearch {
 public:
  // `needle` is borrowed and not empty.
  explicit LogSearch(Bytes needle) : records_(needle), raw_(needle) {}

  // True if the needle ends in this piece.
  bool Feed(Bytes piece);

  // True if the needle ends in the last, unfilled block.
  bool Finish();

 private:
  bool FeedBlock(Bytes block);

  ByteSearch records_;
  ByteSearch raw_;
  std::string block_;  // Fed, and not yet a whole block.
};

}  // namespace mayfly::engine
