// limits.h - bounds on what a peer may make us hold.
// Every length on the wire is untrusted. Each has a bound here, and memory grows with the bytes
// that arrive, not with the number that announces them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace mayfly {

// Bounds on what a client may send. The defaults are those of Redis 7.0.
struct RequestLimits {
  // Arguments of one command. Raising it costs nothing by itself: the list grows as they arrive.
  std::int64_t args_max = std::numeric_limits<std::int32_t>::max();
  // Bytes of one argument (proto-max-bulk-len). Raising it lets one client hold that much.
  std::int64_t bulk_bytes_max = std::int64_t{512} * 1024 * 1024;
  // Bytes of an inline command or of a line with a count, without the line break. At least
  // kLineBytesMin. Raising it costs as much for every client that sends no line break.
  std::size_t line_bytes_max = std::size_t{64} * 1024;
  // Bytes of one command with its framing (client-query-buffer-limit).
  std::size_t command_bytes_max = std::size_t{1024} * 1024 * 1024;
  // The bounds for clients that have not authenticated.
  std::int64_t unauthenticated_args_max = 10;
  std::int64_t unauthenticated_bulk_bytes_max = 16384;
};

// Bounds on what a server may reply, for our own clients.
struct ReplyLimits {
  // Nesting of aggregates. Replies are destroyed and compared by recursion, so this is also stack:
  // some hundred bytes a level.
  std::size_t depth_max = 32;
  // Bytes of one bulk string.
  std::int64_t bulk_bytes_max = std::int64_t{512} * 1024 * 1024;
  // Bytes of a line: simple strings, errors, numbers and counts.
  std::size_t line_bytes_max = std::size_t{64} * 1024;
  // Values in one whole reply, those inside aggregates included. Each costs about 100 bytes.
  std::size_t values_max = std::size_t{16} * 1024 * 1024;
  // Bytes of one whole reply on the wire.
  std::size_t reply_bytes_max = std::size_t{1024} * 1024 * 1024;
};

// Room for a count of any size; with less, a count that is too large would be a line that is too
// long.
inline constexpr std::size_t kLineBytesMin = 32;

// Up to here room is made for an announced length at once; beyond it, room at most doubles with the
// bytes that have arrived.
inline constexpr std::size_t kAnnouncedBytesMax = std::size_t{1024} * 1024;

// Arguments a parser keeps room for between commands.
inline constexpr std::size_t kArgsKeptMax = 1024;

// Values a reply parser makes room for on an announced count alone.
inline constexpr std::size_t kAnnouncedValuesMax = 1024;

static_assert(RequestLimits().line_bytes_max >= kLineBytesMin);
static_assert(RequestLimits().bulk_bytes_max <
              static_cast<std::int64_t>(RequestLimits().command_bytes_max));
static_assert(RequestLimits().unauthenticated_bulk_bytes_max < RequestLimits().bulk_bytes_max);

}  // namespace mayfly
