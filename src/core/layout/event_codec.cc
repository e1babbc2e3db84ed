#include "core/layout/event_codec.h"

#include "base/coding.h"

namespace mayfly::core {
namespace {

constexpr char kOfRow = 1;  // Record versions. Stored.
constexpr char kOfMember = 2;
constexpr char kOfEvicted =
    3;  // Of a row, as kOfRow; builds that knew no eviction refuse it by name.

char VersionOf(const Event& event) {
  if (event.member) return kOfMember;
  return event.cause == EventCause::kEvicted ? kOfEvicted : kOfRow;
}

}  // namespace

std::string EventKey(std::uint64_t sequence) {
  std::string key;
  AppendBigEndian64(key, sequence);
  return key;
}

bool DecodeEventKey(Bytes key, std::uint64_t& sequence) {
  return EatBigEndian64(key, sequence) && key.empty();
}

std::string EncodeEvent(const Event& event) {
  std::string out;
  AppendEvent(out, event);
  return out;
}

void AppendEvent(std::string& out, const Event& event) {
  out.push_back(VersionOf(event));
  out.push_back(static_cast<char>(event.cause));
  AppendLittleEndian32(out, event.keyspace);
  AppendLittleEndian64(out, static_cast<std::uint64_t>(ToMs(event.deadline)));
  AppendLittleEndian64(out, static_cast<std::uint64_t>(ToMs(event.purged_at)));
  out.push_back(static_cast<char>(event.value.has_value()));
  AppendSized(out, event.key);
  if (event.member) AppendSized(out, *event.member);
  if (event.value) AppendSized(out, *event.value);
}

Result<Event> DecodeEvent(Bytes in) {
  const Status damaged = Status::Corruption("a damaged expiry event; trim it away");
  if (in.size() < 2) return damaged;
  const char version = in[0];
  if (version < kOfRow || version > kOfEvicted) {
    return Status::Unsupported("an expiry event of a newer format; use a newer mayfly");
  }
  Event event;
  event.cause = static_cast<EventCause>(in[1]);
  in.remove_prefix(2);
  std::uint64_t deadline = 0;
  std::uint64_t purged_at = 0;
  if (event.cause > EventCause::kEvicted || !EatLittleEndian32(in, event.keyspace) ||
      !EatLittleEndian64(in, deadline) || !EatLittleEndian64(in, purged_at) || in.empty()) {
    return damaged;
  }
  const auto has_value = static_cast<unsigned char>(in.front());
  in.remove_prefix(1);
  Bytes key;
  Bytes member;
  Bytes value;
  if (has_value > 1 || !EatSized(in, key) || (version == kOfMember && !EatSized(in, member)) ||
      (has_value == 1 && !EatSized(in, value)) || !in.empty()) {
    return damaged;
  }
  event.deadline = WallTimeFromMs(static_cast<std::int64_t>(deadline));
  event.purged_at = WallTimeFromMs(static_cast<std::int64_t>(purged_at));
  event.key = key;
  if (version == kOfMember) event.member = std::string(member);
  if (has_value == 1) event.value = std::string(value);
  return event;
}

}  // namespace mayfly::core
