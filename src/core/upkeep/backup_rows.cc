#include "core/upkeep/backup_rows.h"

#include <optional>

#include "core/commit/version_plan.h"
#include "core/layout/addresses.h"
#include "core/layout/collection_codec.h"
#include "core/layout/keys.h"
#include "core/layout/liveness.h"
#include "core/layout/packed_parts.h"
#include "core/upkeep/backup_file.h"
#include "core/upkeep/row_progress.h"

namespace mayfly::core {
namespace {

// A backup has the keys of versions without the byte of their kind, which the record's kind
// implies.
Bytes InBackup(Bytes member_key) { return member_key.substr(sizeof kVersionsOfKeys); }

// Writes one keyspace after the other, from one state.
class RowWriter {
 public:
  RowWriter(Store& store, const engine::Snapshot& snapshot, BackupWriter& writer,
            BackupReport& report)
      : store_(store),
        salvages_(store.options().salvage),
        snapshot_(snapshot),
        writer_(writer),
        report_(report) {}

  Status Write(const KeyspaceState& keyspace, RowProgress& passed) {
    MAYFLY_RETURN_IF_ERROR(
        writer_.AddKeyspace(keyspace.id(), EncodeKeyspace(keyspace.name(), keyspace.policy())));
    ++report_.keyspaces;
    MAYFLY_TRY(const auto cursor,
               Walk(kRows, KeyspaceBegin(keyspace.id()), KeyspaceEnd(keyspace.id())));
    for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
      MAYFLY_RETURN_IF_ERROR(passed.Passed());
      const Status added = AddRow(keyspace, UserKeyOf(cursor->key()), cursor->value());
      if (added.ok()) continue;
      if (!CanDoWithout(added)) return added;
      ++report_.lost_rows;
    }
    MAYFLY_RETURN_IF_ERROR(cursor->status());
    return keyspace.by_timestamp() ? AddVersions(keyspace) : Status();
  }

 private:
  // No part of a row that cannot be decoded was added: a salvage leaves it out.
  bool CanDoWithout(const Status& failed) const {
    return salvages_ && failed.code() == StatusCode::kCorruption;
  }

  Result<std::unique_ptr<engine::Cursor>> Walk(engine::Address at, const std::string& begin,
                                               const std::string& end) const {
    return store_.engine().NewCursor(
        at, {.range = {begin, end}, .snapshot = &snapshot_, .fill_cache = false});
  }

  Status AddRow(const KeyspaceState& keyspace, Bytes key, Bytes stored) {
    MAYFLY_TRY(const RowView row, DecodeRow(stored));
    if (salvages_ && keyspace.by_timestamp()) {
      MAYFLY_TRY(const bool stale, IsOvertaken(keyspace, key, row));
      if (stale) return {};
    }
    if (IsDead(row.deadline, report_.taken_at)) return AddMarkerOf(keyspace, key, row);
    if (row.collection_id && salvages_) {
      MAYFLY_RETURN_IF_ERROR(CountLost(keyspace, row));
    }
    MAYFLY_RETURN_IF_ERROR(writer_.AddRow(keyspace.id(), key, stored));
    ++report_.rows;
    return row.collection_id && !IsPacked(row) ? AddParts(keyspace, *row.collection_id) : Status();
  }

  // A dead row is not in the backup. Where order is by timestamp its marker is.
  Status AddMarkerOf(const KeyspaceState& keyspace, Bytes key, const RowView& row) {
    if (!keyspace.by_timestamp()) return {};
    std::string marker;
    AppendVersion(marker, MarkerOf(keyspace.policy(), *row.timestamp));
    return writer_.AddVersion(keyspace.id(), InBackup(MarkerKey(key)), marker);
  }

  // Where order is by timestamp a key has a row or a marker. A salvage may find both, because
  // damaged files bring removed pairs back: then the one with the larger timestamp counts.
  Result<bool> IsOvertaken(const KeyspaceState& keyspace, Bytes key, const RowView& row) const {
    if (!row.timestamp) return Status::Corruption("a row without its timestamp");
    PinnedBytes pin;
    std::optional<VersionView> marker;
    MAYFLY_RETURN_IF_ERROR(store_.ReadVersion(keyspace, MarkerKey(key), &snapshot_, pin, marker));
    return marker && *marker->row.timestamp >= *row.timestamp;
  }

  // The same for a marker or version: whether the row is that version, or newer than the marker.
  Result<bool> IsOvertaken(const KeyspaceState& keyspace, Bytes member_key,
                           const VersionView& version) const {
    const auto key = UserKeyOfMember(member_key);
    if (!key) return Status::Corruption("a damaged key of a version");
    PinnedBytes pin;
    std::optional<RowView> row;
    MAYFLY_RETURN_IF_ERROR(store_.ReadStored(keyspace, *key, &snapshot_, pin, row));
    if (!row || !row->timestamp) return false;
    return member_key == MarkerKey(*key) ? *version.row.timestamp < *row->timestamp
                                         : *version.row.timestamp == *row->timestamp;
  }

  // Compares the collection's count of members with those that can be read. Corruption: none is
  // left.
  Status CountLost(const KeyspaceState& keyspace, const RowView& row) {
    MAYFLY_TRY(const Collection collection, DecodeCollection(row.payload));
    if (collection.packed) return CountPacked(collection).status();
    const PartKeys keys(keyspace.id(), *row.collection_id);
    MAYFLY_TRY(const auto cursor,
               Walk(kMembers, keys.Begin(PartKind::kMember), keys.End(PartKind::kMember)));
    std::uint64_t found = 0;
    for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) ++found;
    MAYFLY_RETURN_IF_ERROR(cursor->status());
    if (found == 0) return Status::Corruption("a collection has lost all its members");
    if (found < collection.members) report_.lost_members += collection.members - found;
    return {};
  }

  // Adds the living members of a collection, and its sides.
  Status AddParts(const KeyspaceState& keyspace, std::uint64_t version) {
    const PartKeys keys(keyspace.id(), version);
    const std::string members_end = keys.End(PartKind::kMember);
    MAYFLY_TRY(const auto cursor,
               Walk(kMembers, keys.Begin(PartKind::kMember), keys.End(PartKind::kSide)));
    for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
      const auto row = DecodeRow(cursor->value());
      if (!row) {
        if (!CanDoWithout(row.error())) return row.error();
        ++report_.lost_members;
        continue;
      }
      if (IsDead(row->deadline, report_.taken_at)) continue;
      const Bytes name = cursor->key().substr(keys.name_at());
      const bool member = cursor->key() < Bytes(members_end);
      MAYFLY_RETURN_IF_ERROR(member ? writer_.AddMember(keyspace.id(), name, cursor->value())
                                    : writer_.AddSide(keyspace.id(), name, cursor->value()));
    }
    return cursor->status();
  }

  // Adds the versions and markers of a keyspace ordered by timestamp, without bytes of dead rows.
  Status AddVersions(const KeyspaceState& keyspace) {
    MAYFLY_TRY(const auto cursor,
               Walk(kMembers, KeyspaceBegin(keyspace.id()), KeyspaceEnd(keyspace.id())));
    std::string bare;
    for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
      const auto version = DecodeVersion(cursor->value());
      if (!version) {
        if (!CanDoWithout(version.error())) return version.error();
        ++report_.lost_rows;
        continue;
      }
      if (IsDead(version->kept_until, report_.taken_at)) continue;
      if (salvages_) {
        const auto stale = IsOvertaken(keyspace, UserKeyOf(cursor->key()), *version);
        if (!stale) {
          ++report_.lost_rows;
          continue;
        }
        if (*stale) continue;
      }
      Bytes record = cursor->value();
      if (IsDead(version->row.deadline, report_.taken_at)) {
        bare.clear();
        AppendVersion(bare, Bare(*version));
        record = bare;
      }
      MAYFLY_RETURN_IF_ERROR(
          writer_.AddVersion(keyspace.id(), InBackup(UserKeyOf(cursor->key())), record));
    }
    return cursor->status();
  }

  Store& store_;
  const bool salvages_;
  const engine::Snapshot& snapshot_;
  BackupWriter& writer_;
  BackupReport& report_;
};

}  // namespace

Status WriteBackupRows(Store& store, const std::string& file, const Progress& progress,
                       BackupReport& report) {
  // Keyspaces are listed before the state is taken: one that is dropped in between is empty in the
  // state, one that is made in between is not in the backup.
  const auto keyspaces = store.catalog().All();
  MAYFLY_TRY(const auto state, store.states().Open(StateKind::kCall, report.taken_at));
  const auto snapshot = state->Lend();
  // Read after the state is taken: no event in the state has a larger sequence.
  const std::uint64_t last_event = store.events().LastSequence();
  MAYFLY_TRY(BackupWriter writer, BackupWriter::Create(file, report.taken_at, last_event,
                                                       store.engine().encryption_key().get()));
  RowProgress passed(store, progress);
  RowWriter rows(store, *snapshot, writer, report);
  for (const auto& keyspace : keyspaces) MAYFLY_RETURN_IF_ERROR(rows.Write(*keyspace, passed));
  MAYFLY_TRY(report.bytes, writer.Finish());
  return {};
}

}  // namespace mayfly::core
