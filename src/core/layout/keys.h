// keys.h - how core lays its keys out in the engine's roles.
//   rows     | keyspace u32 BE | user key |                      -> row, see row_codec.h
//   members  | keyspace u32 BE | kVersionsOfKeys | ...           -> see version_codec.h
//            | keyspace u32 BE | kPartsOfCollections | ...       -> see collection_codec.h
//   expiry   | keyspace u32 BE | deadline_ms u64 BE | user key | -> empty
//            | keyspace u32 BE with kMembersBit | leaves at, ms u64 BE | the member's key |
//                                                                -> empty
//   events   | sequence u64 BE |                                 -> see event_codec.h
//   meta     | 'f' | format;  | 'i' | next keyspace id;
//            | 't' | time, see time_codec.h;
//            | 'e' | last event as of the last trim u64, trimmed through u64;
//            | 'k' | id u32 BE | keyspace;  | 'c' | id u32 BE | number u8 | counters;
//            | 'w' | id u32 BE | purge watermark;  | 'v' | id u32 BE | that of members;
//            | 'p' | id u32 BE | purged through;
//            | 'r' | id u32 BE | removing since, from a close to the next opening;
//            | 'b' | taken at, ms u64 BE | a backup's file | nothing;
//            | 'n' | collection ids reserved;
//            | 'o' | id u32 BE | collection id u64 BE | orphan, see collection_codec.h
//            | 'g' | id u32 BE | the promise of a dropped keyspace;  | 'x' | a restore is under way
//            each written by the file that owns it
// Big endian makes byte order number order: in a keyspace the due entries come first, and the first
// entry that is not due ends the scan. A keyspace is a prefix, so dropping it is a range delete.
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

// In the index, members of a keyspace have a range of their own, as if they were another keyspace.
// So an entry shows whether it is a row's or a member's, and each range has its watermark.
inline constexpr KeyspaceId kMembersBit = 0x8000'0000;
constexpr KeyspaceId MembersOf(KeyspaceId keyspace) { return keyspace | kMembersBit; }

// The byte after the keyspace in `members`, so that the key alone tells the kind of a pair, without
// the keyspace's policy. Stored; append, never renumber.
inline constexpr char kVersionsOfKeys = 0x01;
inline constexpr char kPartsOfCollections = 0x02;

// The keyspace at the front of a key; nothing when the bytes are too short.
std::optional<KeyspaceId> KeyspaceOf(Bytes key);

// The key of a row, part or entry, built without an allocation when it is short.
class RowKey {
 public:
  RowKey(KeyspaceId keyspace, Bytes key);
  RowKey(Bytes front, Bytes middle, Bytes rest);
  RowKey(const RowKey&) = delete;
  RowKey& operator=(const RowKey&) = delete;

  operator Bytes() const { return bytes_; }  // NOLINT(google-explicit-constructor): it is one.

 private:
  char* Reserve(std::size_t bytes);

  std::array<char, 124> inline_;  // Not cleared: only bytes_ is read. NOLINT(*-member-init)
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
inline constexpr char kMetaMembersWatermark = 'v';
inline constexpr char kMetaPurgedThrough = 'p';
inline constexpr char kMetaRemovingSince = 'r';
inline constexpr char kMetaPromisedSince = 's';
inline constexpr char kMetaBackup = 'b';
inline constexpr char kMetaVersions = 'n';
inline constexpr char kMetaOrphan = 'o';
inline constexpr char kMetaDue = 'd';
inline constexpr char kMetaDropped = 'g';
inline constexpr char kMetaRestoring = 'x';

std::string MetaKey(char kind);
std::string MetaKey(char kind, KeyspaceId keyspace);
std::string CounterKey(KeyspaceId keyspace, std::uint8_t number);

}  // namespace mayfly::core
