// Goal: no bytes break the parser; what it accepts can be written and read again.
// Method: the input is parsed whole and byte by byte, and each reply makes the round trip in RESP3.
// In RESP2, which loses kinds, it must at least be one reply.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/check.h"
#include "wire/testing/replies.h"

namespace mayfly {
namespace {

void Compare(Bytes wire) {
  ReplyLimits limits;
  limits.values_max = 10'000;
  limits.bulk_bytes_max = 10'000;
  limits.line_bytes_max = 200;
  std::vector<Bytes> single;
  for (std::size_t i = 0; i < wire.size(); ++i) single.push_back(wire.substr(i, 1));
  const Replies whole = ParseReplies({wire}, limits);
  MAYFLY_CHECK(ParseReplies(single, limits) == whole, "single bytes differ");
  for (const Reply& reply : whole.replies) {
    const Replies again = ParseReplies({WireOf(reply, ProtocolVersion::kResp3)});
    MAYFLY_CHECK(again.error.ok() && again.replies.size() == 1, "what was written is not read");
    MAYFLY_CHECK(again.replies[0] == WithOneNull(reply), "another reply is read back");
    const Replies older = ParseReplies({WireOf(reply, ProtocolVersion::kResp2)});
    MAYFLY_CHECK(older.error.ok() && older.replies.size() == 1, "not one reply in RESP2");
  }
}

}  // namespace
}  // namespace mayfly

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  mayfly::Compare({reinterpret_cast<const char*>(data), size});
  return 0;
}
