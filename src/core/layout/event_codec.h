// event_codec.h - the bytes of one expiry event.
//   | version u8 | cause u8 | keyspace u32 | deadline_ms u64 | purged_ms u64 | has_value u8
//   | key, sized | member, sized, only in version 2 | value, sized, only if has_value |
// Numbers are little endian. Version 2 is for members, 1 for rows.
// The sequence is the event's key. Layout: docs/formats/event.md.
#pragma once

#include <cstdint>
#include <string>

#include "mayfly/bytes.h"
#include "mayfly/events.h"
#include "mayfly/result.h"

namespace mayfly::core {

std::string EventKey(std::uint64_t sequence);
bool DecodeEventKey(Bytes key, std::uint64_t& sequence);

std::string EncodeEvent(const Event& event);
void AppendEvent(std::string& out, const Event& event);

// Without sequence and keyspace name, which are not in the bytes.
Result<Event> DecodeEvent(Bytes encoded);

}  // namespace mayfly::core
