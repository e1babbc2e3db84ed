// shard_layout.h - the bytes of a shard: one map of one object, with everything that must be
// atomic.
//   | 01 |                                       owner     -> OwnerRecord
//   | 02 |                                       sequence  -> u64, little endian; absent: 0
//   | 03 | epoch u64 be | number u64 be |        announced large value -> parts u64, little endian
//   | 10 + role | slot u16 be | key |            row       -> | 00 | value |
//                                                or | 01 | epoch u64 | number u64 | size u64 |
// A large value lies in objects "<object>.large.<epoch>.<number>.<part>". It is announced before
// they are written, and its announcement goes after they are removed, so whatever a crash leaves
// behind has a name. Bytes: docs/formats/cluster_shard.md. Append, never renumber.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/address.h"
#include "mayfly/bytes.h"
#include "mayfly/result.h"

namespace mayfly::engine::cluster {

// Of a value in objects of its own. Used once: the epoch is the writer's.
struct LargeId {
  std::uint64_t epoch = 0;
  std::uint64_t number = 0;

  friend auto operator<=>(const LargeId&, const LargeId&) = default;
};

struct LargeValue {
  LargeId id;
  std::uint64_t size = 0;
};

// Keys of the map.
std::string OwnerKey();
std::string SequenceKey();
std::string AnnouncementKey(const LargeId& id);
std::string RowKey(Address at, Bytes key);

// The key before all announcements and rows.
std::string KeyBeforeRows();

// What a key of the map is. Corruption for a key of no such kind.
struct MapKey {
  std::optional<LargeId> announced;  // Else a row.
  Address at;
  Bytes key;  // Points into the argument.
};
Result<MapKey> ParseMapKey(Bytes key);

// 0 is no bytes, so that the condition "sequence 0" holds for an absent key.
std::string EncodeSequence(std::uint64_t sequence);
Result<std::uint64_t> DecodeSequence(Bytes bytes);

std::string EncodeAnnouncement(std::uint64_t parts);
Result<std::uint64_t> DecodeAnnouncement(Bytes bytes);

std::string EncodeInline(Bytes value);
std::string EncodeLarge(const LargeValue& large);

// A row's value: where it is, or the bytes themselves, which point into the argument.
struct RowValue {
  std::optional<LargeValue> large;
  Bytes bytes;
};
Result<RowValue> DecodeRowValue(Bytes bytes);

std::uint64_t PartsOf(std::uint64_t size);
std::string LargeObjectName(const std::string& shard_object, const LargeId& id, std::uint64_t part);

}  // namespace mayfly::engine::cluster
