#include "types/streams/stream_head.h"

#include "base/coding.h"
#include "types/value_type.h"

namespace mayfly::types {
namespace {

// Stored; append, never renumber.
constexpr std::uint8_t kAged = 1;
constexpr std::uint8_t kKnownFlags = kAged;

}  // namespace

std::string EncodeHead(const StreamHead& head) {
  std::string out(1, static_cast<char>(ValueType::kStream));
  out.push_back(static_cast<char>(head.aged ? kAged : 0));
  AppendShortStreamId(out, head.last);
  AppendVarint(out, head.added);
  AppendVarint(out, head.groups);
  AppendVarint(out, head.next_number);
  AppendShortStreamId(out, head.newest_removed);
  AppendShortStreamId(out, head.low);
  AppendVarint(out, head.low_at_ms);
  AppendVarint(out, head.removed);
  AppendVarint(out, static_cast<std::uint64_t>(head.max_age.count()));
  AppendShortStreamId(out, head.ragged);
  return out;
}

Result<StreamHead> DecodeStreamHead(Bytes bytes) {
  const auto broken = [] {
    return Status::Corruption("the head of a stream cannot be read; run a check");
  };
  if (bytes.size() < 2) return broken();
  const auto flags = static_cast<std::uint8_t>(bytes[1]);
  if ((flags & ~kKnownFlags) != 0) return broken();
  bytes.remove_prefix(2);
  StreamHead head;
  head.aged = (flags & kAged) != 0;
  std::uint64_t max_age = 0;
  if (!EatShortStreamId(bytes, head.last) || !EatVarint(bytes, head.added) ||
      !EatVarint(bytes, head.groups) || !EatVarint(bytes, head.next_number) ||
      !EatShortStreamId(bytes, head.newest_removed) || !EatShortStreamId(bytes, head.low) ||
      !EatVarint(bytes, head.low_at_ms) || !EatVarint(bytes, head.removed) ||
      !EatVarint(bytes, max_age) || !EatShortStreamId(bytes, head.ragged) || !bytes.empty()) {
    return broken();
  }
  head.max_age = Millis(static_cast<Millis::rep>(max_age));
  return head;
}

}  // namespace mayfly::types
