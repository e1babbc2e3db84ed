// byte_search.h - finds bytes in a stream that comes in pieces, wherever the pieces are cut.
#pragma once

#include <string>

#include "mayfly/bytes.h"

namespace mayfly::engine {

class ByteSearch {
 public:
  // `needle` is borrowed and not empty.
  explicit ByteSearch(Bytes needle) : needle_(needle) {}

  // True if the needle ends in this piece; it may begin in an earlier one.
  bool Feed(Bytes piece);

  // The next piece does not continue the last one.
  void Reset() { tail_.clear(); }

 private:
  const Bytes needle_;
  std::string tail_;  // The last bytes so far, one fewer than the needle has.
};

}  // namespace mayfly::engine
