// keys.h - how core lays its keys out in the engine's roles.
//   rows     | keyspace u32 BE | user key |                      -> row, see row_codec.h
//   expiry   | keyspace u32 BE | deadline_ms u64 BE | user key | -> empty
//   events   | sequence u64 BE |                                 -> see event_codec.h
//   meta     | 'f' | format;  | 't' | time: high-water mark u64, unconfirmed u8;  | 'i' | next
//   keyspace id;
//            | 'e' | events trimmed;
//            | 'k' | id u32 BE | keyspace;  | 'c' | id u32 BE | stripe u8 | counters;
//            | 'w' | id u32 BE | purge watermark                 each written by the file that owns
//            it
// Big endian makes byte order number order: in a keyspace whatever is due comes first, and the
// first entry still ahead of us ends the scan. A keyspace is a prefix, so dropping it is a range
// delete.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

#include "mayfly/bytes.h"
#include "mayfly/clock.h"

namespace mayfly::core {

using KeyspaceId = std::uint32_t;

// The key of a row, built without an allocation when it is short.
class RowKey {
 public:
  RowKey(KeyspaceId keyspace, Bytes key);
  RowKey(const RowKey&) = delete;
  RowKey& operator=(const RowKey&) = delete;

  operator Bytes() const { return bytes_; }

 private:
  std::array<char, 124> inline_;  // Not cleared: only bytes_ is read.
  std::string long_;
  Bytes bytes_;
};

// The user's key within a row's key.
inline Bytes UserKeyOf(Bytes row_key) { return row_key.substr(sizeof(KeyspaceId)); }

// Begin and end of a keyspace in rows, members and expiry.
std::string KeyspaceBegin(KeyspaceId keyspace);
std::string KeyspaceEnd(KeyspaceId keyspace);

std::string EntryKey(KeyspaceId keyspace, WallTime deadline, Bytes key);

// The first possible entry of that deadline.
std::string EntryBegin(KeyspaceId keyspace, WallTime deadline);

struct EntryView {
  WallTime deadline;
  Bytes key;  // Points into the entry's key.
};

// Nothing when the bytes are not an entry's.
std::optional<EntryView> DecodeEntry(Bytes entry_key);

inline constexpr char kMetaFormat = 'f';
inline constexpr char kMetaTime = 't';
inline constexpr char kMetaNextKeyspace = 'i';
inline constexpr char kMetaEventsTrimmed = 'e';
inline constexpr char kMetaKeyspace = 'k';
inline constexpr char kMetaCounters = 'c';
inline constexpr char kMetaWatermark = 'w';

std::string MetaKey(char kind);
std::string MetaKey(char kind, KeyspaceId keyspace);
std::string CounterKey(KeyspaceId keyspace, std::uint8_t stripe);

}  // namespace mayfly::core
