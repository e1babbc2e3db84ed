// reply_extent.h - where a reply ends, for a server that passes replies on as they are.
// Reads no values: it skips bulk strings and counts the elements of aggregates. Bytes may come in
// pieces; what was skipped is not looked at again.
#pragma once

#include <cstddef>

#include "mayfly/bytes.h"
#include "mayfly/result.h"

namespace mayfly {

class ReplyExtent {
 public:
  // How many bytes at the front the first reply takes; 0: more are needed, and the next call has the
  // same bytes with others behind them. After a reply, the next call has what follows it. Corruption:
  // the bytes are no reply.
  Result<std::size_t> Find(Bytes bytes);

 private:
  std::size_t at_ = 0;           // Bytes skipped.
  std::size_t values_left_ = 1;  // Of the reply, as far as it has announced them.
};

}  // namespace mayfly
