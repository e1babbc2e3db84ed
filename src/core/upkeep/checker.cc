#include "core/upkeep/checker.h"

#include <fmt/format.h>

#include <mutex>

#include "base/printable.h"
#include "core/layout/addresses.h"
#include "core/layout/keys.h"

namespace mayfly::core {
namespace {

constexpr std::size_t kFindingsMax = 100;

// Calls `take` for each pair of the role that belongs to the keyspace.
template <typename Take>
Status ForEachOf(const Store& store, engine::Address at, KeyspaceId id,
                 const engine::Snapshot* snapshot, Take take) {
  const std::string begin = KeyspaceBegin(id);
  const std::string end = KeyspaceEnd(id);
  MAYFLY_TRY(const auto cursor,
             store.engine().NewCursor(
                 at, {.range = {begin, end}, .snapshot = snapshot, .fill_cache = false}));
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
    MAYFLY_RETURN_IF_ERROR(take(cursor->key(), cursor->value()));
  }
  return cursor->status();
}

}  // namespace

Result<CheckReport> Checker::Run() {
  MAYFLY_RETURN_IF_ERROR(store_.CheckOpen());
  if (options_.repair && !store_.engine().capabilities().writable) {
    return Status::ReadOnly("a repair writes; open the database for writing");
  }
  MAYFLY_TRY(const auto state, store_.states().Open(StateKind::kCall, store_.clock().Now()));
  const auto snapshot = state->Lend();
  for (const auto& keyspace : store_.catalog().All()) {
    if (options_.repair) {
      // With the gate held alone the newest state does not change.
      const std::lock_guard alone(keyspace->gate());
      MAYFLY_RETURN_IF_ERROR(CheckKeyspace(*keyspace, nullptr));
    } else {
      MAYFLY_RETURN_IF_ERROR(CheckKeyspace(*keyspace, snapshot.get()));
    }
  }
  return report_;
}

Status Checker::CheckKeyspace(KeyspaceState& keyspace, const engine::Snapshot* snapshot) {
  const std::uint64_t found_before = Mendable();
  Counters expected;
  engine::Batch repair;
  const auto find = [&](const char* what, Bytes key) { Find(keyspace, what, key); };
  CollectionCheck collections(store_, keyspace, snapshot, report_, repair, find);
  MAYFLY_RETURN_IF_ERROR(CheckRows(keyspace, snapshot, collections, expected, repair));
  MAYFLY_RETURN_IF_ERROR(CheckEntries(keyspace, snapshot, repair));
  if (keyspace.by_timestamp()) {
    MAYFLY_RETURN_IF_ERROR(CheckVersions(keyspace, snapshot, repair));
    MAYFLY_RETURN_IF_ERROR(CheckVersionEntries(keyspace, snapshot, repair));
  } else {
    MAYFLY_RETURN_IF_ERROR(collections.CheckParts());
    MAYFLY_RETURN_IF_ERROR(collections.CheckEntries());
  }
  MAYFLY_RETURN_IF_ERROR(collections.CheckRecords());
  MAYFLY_RETURN_IF_ERROR(CheckCounters(keyspace, snapshot, expected, repair));
  if (!options_.repair || repair.empty()) return {};
  // A repaired entry may lie before the watermark.
  repair.Delete(kMeta, MetaKey(kMetaWatermark, keyspace.id()));
  repair.Delete(kMeta, MetaKey(kMetaMembersWatermark, keyspace.id()));
  repair.Delete(kMeta, MetaKey(kMetaDue, keyspace.id()));
  MAYFLY_RETURN_IF_ERROR(store_.engine().Commit(repair, Durability::kDisk));
  keyspace.LowerWatermarks(WallTimeFromMs(0));
  keyspace.ForgetDue();
  keyspace.NoteMortalMember();
  keyspace.ForgetOrphans();
  keyspace.AddOrphans(collections.orphans());
  store_.horizon().Forget();
  if (counters_mended_) {
    for (std::size_t i = 0; i < kCounters; ++i) {
      keyspace.SetCounters(static_cast<Counter>(i), i == 0 ? expected : Counters());
    }
  }
  report_.repaired += Mendable() - found_before;
  return {};
}

Status Checker::CheckRows(KeyspaceState& keyspace, const engine::Snapshot* snapshot,
                          CollectionCheck& collections, Counters& expected, engine::Batch& repair) {
  PinnedBytes pin;
  return ForEachOf(store_, kRows, keyspace.id(), snapshot,
                   [&](Bytes row_key, Bytes value) -> Status {
                     ++report_.rows;
                     MAYFLY_RETURN_IF_ERROR(passed_.Passed());
                     const Bytes key = UserKeyOf(row_key);
                     const auto row = DecodeRow(value);
                     if (!row) {
                       ++report_.unreadable_rows;
                       collections.NoteUnreadable();
                       Find(keyspace, "an unreadable row", key);
                       return {};
                     }
                     if (row->collection_id) {
                       MAYFLY_TRY(const bool good, collections.CheckRow(key, *row, expected));
                       if (!good) return {};
                     } else {
                       ++expected.rows;
                       expected.mortal += row->deadline ? 1 : 0;
                     }
                     if (!row->deadline) return {};
                     const std::string entry = EntryKey(keyspace.id(), *row->deadline, key);
                     const Status read = store_.engine().Get(kExpiry, entry, pin, snapshot);
                     if (read.ok()) return {};
                     if (!read.IsNotFound()) return read;
                     ++report_.missing_entries;
                     Find(keyspace, "a row whose deadline is not in the index", key);
                     repair.Put(kExpiry, entry, {});
                     return {};
                   });
}

Status Checker::CheckEntries(KeyspaceState& keyspace, const engine::Snapshot* snapshot,
                             engine::Batch& repair) {
  PinnedBytes pin;
  return ForEachOf(store_, kExpiry, keyspace.id(), snapshot, [&](Bytes entry_key, Bytes) -> Status {
    ++report_.entries;
    const auto entry = DecodeEntry(entry_key);
    std::optional<RowView> row;
    if (entry) {
      const Status read = store_.ReadStored(keyspace, entry->key, snapshot, pin, row);
      // An unreadable row was reported as such.
      if (read.code() == StatusCode::kUnsupported || read.code() == StatusCode::kCorruption)
        return {};
      MAYFLY_RETURN_IF_ERROR(read);
      if (row && row->deadline == entry->deadline) return {};
    }
    ++report_.stale_entries;
    Find(keyspace, "an entry of the index without its row", entry ? entry->key : entry_key);
    repair.Delete(kExpiry, entry_key);
    return {};
  });
}

Status Checker::CheckVersions(KeyspaceState& keyspace, const engine::Snapshot* snapshot,
                              engine::Batch& repair) {
  PinnedBytes pin;
  const auto check = [&](Bytes stored_key, Bytes value) -> Status {
    ++report_.versions;
    const Bytes member_key = UserKeyOf(stored_key);
    const auto key = UserKeyOfMember(member_key);
    const auto version = DecodeVersion(value);
    if (!key || !version) {
      ++report_.unreadable_rows;
      Find(keyspace, "an unreadable version of key", key.value_or("?"));
      return {};
    }
    if (const auto leaves_at = LeavesAt(*version)) {
      const std::string entry = EntryKey(MembersOf(keyspace.id()), *leaves_at, member_key);
      const Status read = store_.engine().Get(kExpiry, entry, pin, snapshot);
      if (!read.ok() && !read.IsNotFound()) return read;
      if (read.IsNotFound()) {
        ++report_.missing_entries;
        Find(keyspace, "a version whose end is not in the index, of key", *key);
        repair.Put(kExpiry, entry, {});
      }
    }
    return CheckMarker(keyspace, snapshot, *key, member_key, *version, repair);
  };
  return ForEachOf(store_, kMembers, keyspace.id(), snapshot, check);
}

// A key has a row or a marker, not both: the row counts.
Status Checker::CheckMarker(KeyspaceState& keyspace, const engine::Snapshot* snapshot,
                            const std::string& key, Bytes member_key, const VersionView& version,
                            engine::Batch& repair) {
  if (member_key != MarkerKey(key)) return {};
  PinnedBytes pin;
  const Status read = store_.engine().Get(kRows, RowKey(keyspace.id(), key), pin, snapshot);
  if (read.IsNotFound()) return {};
  MAYFLY_RETURN_IF_ERROR(read);
  ++report_.stale_entries;
  Find(keyspace, "a marker beside a row, of key", key);
  repair.Delete(kMembers, RowKey(keyspace.id(), member_key));
  if (const auto leaves_at = LeavesAt(version)) {
    repair.Delete(kExpiry, EntryKey(MembersOf(keyspace.id()), *leaves_at, member_key));
  }
  return {};
}

Status Checker::CheckVersionEntries(KeyspaceState& keyspace, const engine::Snapshot* snapshot,
                                    engine::Batch& repair) {
  PinnedBytes pin;
  const auto check = [&](Bytes entry_key, Bytes) -> Status {
    ++report_.entries;
    const auto entry = DecodeEntry(entry_key);
    std::optional<VersionView> version;
    if (entry) {
      const Status read = store_.ReadVersion(keyspace, entry->key, snapshot, pin, version);
      // An unreadable one was reported as such.
      if (read.code() == StatusCode::kUnsupported || read.code() == StatusCode::kCorruption)
        return {};
      MAYFLY_RETURN_IF_ERROR(read);
      if (version && LeavesAt(*version) == entry->deadline) return {};
    }
    ++report_.stale_entries;
    Find(keyspace, "an entry of the index without its version", entry ? entry->key : entry_key);
    repair.Delete(kExpiry, entry_key);
    return {};
  };
  return ForEachOf(store_, kExpiry, MembersOf(keyspace.id()), snapshot, check);
}

Status Checker::CheckCounters(KeyspaceState& keyspace, const engine::Snapshot* snapshot,
                              const Counters& expected, engine::Batch& repair) {
  PinnedBytes pin;
  Counters sum;
  const std::uint64_t wrong_before = report_.wrong_counts;
  for (std::size_t i = 0; i < kCounters; ++i) {
    const std::string key = CounterKey(keyspace.id(), static_cast<Counter>(i));
    const Status read = store_.engine().Get(kMeta, key, pin, snapshot);
    if (read.IsNotFound()) continue;
    MAYFLY_RETURN_IF_ERROR(read);
    Counters booked;
    if (!DecodeCounters(pin.view(), booked).ok()) {
      ++report_.wrong_counts;
      Find(keyspace, "a counter that cannot be read, of number", std::to_string(i));
    }
    sum = sum + booked;
  }
  MAYFLY_RETURN_IF_ERROR(CheckDue(keyspace, snapshot, sum));
  sum.due = {};
  if (report_.wrong_counts == wrong_before && sum != expected) {
    ++report_.wrong_counts;
    Find(keyspace, "counters that differ from the rows, which are", std::to_string(expected.rows));
  }
  counters_mended_ = report_.wrong_counts != wrong_before;
  if (!counters_mended_) return {};
  repair.DeleteRange(kMeta, MetaKey(kMetaCounters, keyspace.id()),
                     MetaKey(kMetaCounters, keyspace.id() + 1));
  repair.Put(kMeta, CounterKey(keyspace.id(), 0), EncodeCounters(expected));
  return {};
}

void Checker::Find(const KeyspaceState& keyspace, const char* what, Bytes key) {
  if (report_.findings.size() >= kFindingsMax) return;
  report_.findings.push_back(
      fmt::format("keyspace '{}': {}: '{}'", Printable(keyspace.name()), what, Printable(key)));
}

// Checks the count of dead rows against the entries.
Status Checker::CheckDue(KeyspaceState& keyspace, const engine::Snapshot* snapshot,
                         const Counters& sum) {
  PinnedBytes pin;
  const std::string key = MetaKey(kMetaDue, keyspace.id());
  const Status read = store_.engine().Get(kMeta, key, pin, snapshot);
  if (read.IsNotFound()) return {};
  MAYFLY_RETURN_IF_ERROR(read);
  DueRecord record;
  std::int64_t due = 0;
  const bool readable = DecodeDueRecord(pin.view(), record).ok();
  if (readable) {
    const auto count = [&](Bytes entry_key, Bytes) -> Status {
      const auto entry = DecodeEntry(entry_key);
      due += entry && entry->deadline <= record.through ? 1 : 0;
      return {};
    };
    MAYFLY_RETURN_IF_ERROR(ForEachOf(store_, kExpiry, keyspace.id(), snapshot, count));
    if (due == record.base + sum.due[record.field]) return {};
  }
  ++report_.wrong_counts;
  Find(keyspace, "a count of dead rows that differs from the index, which has",
       std::to_string(due));
  return {};
}

}  // namespace mayfly::core
