#include "types/streams/stream_id.h"

#include <charconv>

#include "base/coding.h"

namespace mayfly::types {

std::optional<StreamId> After(StreamId id) {
  if (id == kStreamIdMax) return std::nullopt;
  if (id.sequence == UINT64_MAX) return StreamId{id.ms + 1, 0};
  return StreamId{id.ms, id.sequence + 1};
}

std::optional<StreamId> Before(StreamId id) {
  if (id.is_zero()) return std::nullopt;
  if (id.sequence == 0) return StreamId{id.ms - 1, UINT64_MAX};
  return StreamId{id.ms, id.sequence - 1};
}

void AppendStreamId(std::string& out, StreamId id) {
  AppendBigEndian64(out, id.ms);
  AppendBigEndian64(out, id.sequence);
}

bool EatStreamId(Bytes& in, StreamId& id) {
  return EatBigEndian64(in, id.ms) && EatBigEndian64(in, id.sequence);
}

void AppendShortStreamId(std::string& out, StreamId id) {
  AppendVarint(out, id.ms);
  AppendVarint(out, id.sequence);
}

bool EatShortStreamId(Bytes& in, StreamId& id) {
  return EatVarint(in, id.ms) && EatVarint(in, id.sequence);
}

Bytes WriteText(StreamId id, StreamIdText& text) {
  char* const end = text.data() + text.size();
  char* at = std::to_chars(text.data(), end, id.ms).ptr;
  *at++ = '-';
  at = std::to_chars(at, end, id.sequence).ptr;
  return Bytes(text.data(), static_cast<std::size_t>(at - text.data()));
}

std::string ToText(StreamId id) {
  StreamIdText text;
  return std::string(WriteText(id, text));
}

}  // namespace mayfly::types
