// version_codec.h - the bytes of versions and markers, which keyspaces ordered by timestamp keep.
//   members  | keyspace u32 BE | kVersionsOfKeys | key, escaped | kind u8 | ~timestamp u64 BE, of
//            versions only |
//            -> | tag u8 | kept_until_ms u64, if the tag has it | row, with its timestamp |
// The row in `rows` is the version with the largest timestamp. Here are
//   versions: writes that were overtaken within the history, to be read with as_of;
//   the marker: the timestamp of the newest write of a key that has no row, because it was a delete
//   or has died. A late write must not pass it.
// A key has a row or a marker, not both. Escaped, 00 becomes 00 FF and 00 01 ends the key: so keys
// are in the order of user keys, and versions of a key, the latest first, after its marker.
// Layout: docs/formats/row.md.
#pragma once

#include <optional>
#include <string>

#include "core/layout/keys.h"
#include "core/layout/row_codec.h"
#include "mayfly/bytes.h"
#include "mayfly/clock.h"
#include "mayfly/result.h"

namespace mayfly::core {

struct VersionView {
  RowView row;           // Always with a timestamp; without payload when deleted.
  bool deleted = false;  // There was no row from the timestamp on. Always set in markers.
  // From this instant on it cannot be read any more. Nothing: it is kept for ever.
  std::optional<WallTime> kept_until = std::nullopt;
};

// When it leaves: as its row dies, or when it cannot be read any more. Nothing: never.
std::optional<WallTime> LeavesAt(const VersionView& version);

// The version without its row, as kept once the row has died: no row from its timestamp on.
inline VersionView Bare(const VersionView& version) {
  return {.row = {.deadline = {}, .payload = {}, .timestamp = version.row.timestamp},
          .deleted = true,
          .kept_until = version.kept_until};
}

void AppendVersion(std::string& out, const VersionView& version);

// Corruption or Unsupported, as DecodeRow().
Result<VersionView> DecodeVersion(Bytes encoded);

// The key in `members` without the keyspace.
std::string MarkerKey(Bytes key);
std::string VersionKey(Bytes key, WallTime timestamp);

// Everything of one key, versions and marker, lies in [begin, end); without the keyspace.
std::string VersionKeysBegin(Bytes key);
std::string VersionKeysEnd(Bytes key);

// The user's key in a member's key, given without the keyspace; nothing when it is damaged.
std::optional<std::string> UserKeyOfMember(Bytes member_key);

}  // namespace mayfly::core
