// stream_id.h - the id of a stream's entry: milliseconds, then a number among those of one
// millisecond. In keys it is 16 bytes, big endian, so that byte order is the order of ids.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "mayfly/bytes.h"

namespace mayfly::types {

struct StreamId {
  std::uint64_t ms = 0;
  std::uint64_t sequence = 0;

  friend constexpr auto operator<=>(const StreamId&, const StreamId&) = default;

  constexpr bool is_zero() const { return ms == 0 && sequence == 0; }
};

inline constexpr StreamId kStreamIdMax{UINT64_MAX, UINT64_MAX};
inline constexpr std::size_t kStreamIdBytes = 16;

// The neighbours of an id; nothing where there is none.
std::optional<StreamId> After(StreamId id);
std::optional<StreamId> Before(StreamId id);

void AppendStreamId(std::string& out, StreamId id);
[[nodiscard]] bool EatStreamId(Bytes& in, StreamId& id);

// As two varints, for values.
void AppendShortStreamId(std::string& out, StreamId id);
[[nodiscard]] bool EatShortStreamId(Bytes& in, StreamId& id);

// "1526919030474-55".
std::string ToText(StreamId id);

// The same, in the caller's memory.
using StreamIdText = std::array<char, 41>;
Bytes WriteText(StreamId id, StreamIdText& text);

}  // namespace mayfly::types
