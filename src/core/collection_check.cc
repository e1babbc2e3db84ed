#include "core/collection_check.h"

namespace mayfly::core {
namespace {

constexpr engine::Address kRows{engine::Role::kRows};
constexpr engine::Address kMembers{engine::Role::kMembers};
constexpr engine::Address kExpiry{engine::Role::kExpiry};
constexpr engine::Address kMeta{engine::Role::kMeta};

// Calls `take` for each pair in [begin, end).
template <typename Take>
Status ForEachIn(const Store& store, engine::Address at, Bytes begin, Bytes end,
                 const engine::Snapshot* snapshot, Take take) {
  const engine::CursorOptions walk{
      .range = {begin, end},
        .snapshot = snapshot, .fill_cache = false
  };
  MAYFLY_TRY(const auto cursor, store.engine().NewCursor(at, walk));
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
    MAYFLY_RETURN_IF_ERROR(take(cursor->key(), cursor->value()));
  }
  return cursor->status();
}

}  // namespace

Result<bool> CollectionCheck::Exists(engine::Address at, Bytes key) const {
  PinnedBytes pin;
  const Status read = store_.engine().Get(at, key, pin, snapshot_);
  if (read.IsNotFound()) return false;
  MAYFLY_RETURN_IF_ERROR(read);
  return true;
}

Result<bool> CollectionCheck::IsCurrent(Bytes key, std::uint64_t version) const {
  PinnedBytes pin;
  const Status read = store_.engine().Get(kRows, RowKey(keyspace_.id(), key), pin, snapshot_);
  if (read.IsNotFound()) return false;
  MAYFLY_RETURN_IF_ERROR(read);
  const auto row = DecodeRow(pin.view());
  return !row || row->version == version;  // An unreadable row may be its row.
}

Result<bool> CollectionCheck::CheckRow(Bytes key, const RowView& row, Counters& expected) {
  const auto collection = DecodeCollection(row.payload);
  if (!collection) {
    ++report_.unreadable_rows;
    find_("an unreadable collection", key);
    return false;
  }
  MAYFLY_TRY(const Parts parts, WalkParts(key, PartKeys(keyspace_.id(), key, *row.version)));
  const Collection counted{
      .members = parts.members, .mortal = parts.mortal, .own_deadline = collection->own_deadline};
  const bool first_fits =
      !parts.first || (collection->first_deadline && *collection->first_deadline <= *parts.first);
  if (parts.members > 0 && collection->members == parts.members &&
      collection->mortal == parts.mortal && first_fits &&
      row.deadline == DeadlineOf(counted, parts.last)) {
    ++expected.rows;
    expected.mortal += row.deadline ? 1 : 0;
    return true;
  }
  ++report_.wrong_counts;
  find_("a collection that does not fit its members, of key", key);
  Mend(key, row, *collection, parts, expected);
  return false;
}

void CollectionCheck::Mend(Bytes key, const RowView& row, const Collection& collection,
                           const Parts& parts, Counters& expected) {
  const KeyspaceId id = keyspace_.id();
  if (row.deadline) repair_.Delete(kExpiry, EntryKey(id, *row.deadline, key));
  if (parts.members == 0) {
    repair_.Delete(kRows, RowKey(id, key));
    return;
  }
  Collection mended = collection;
  mended.members = parts.members;
  mended.mortal = parts.mortal;
  mended.first_deadline = parts.first;
  std::string payload;
  AppendCollection(payload, mended);
  const RowView fresh{
      .deadline = DeadlineOf(mended, parts.last), .payload = payload, .version = row.version};
  std::string encoded;
  AppendRow(encoded, fresh);
  repair_.Put(kRows, RowKey(id, key), encoded);
  if (fresh.deadline) repair_.Put(kExpiry, EntryKey(id, *fresh.deadline, key), {});
  ++expected.rows;
  expected.mortal += fresh.deadline ? 1 : 0;
}

Result<CollectionCheck::Parts> CollectionCheck::WalkParts(Bytes key, const PartKeys& keys) {
  Parts parts;
  const auto take = [&](Bytes part_key, Bytes value) -> Status {
    const auto kind = static_cast<PartKind>(part_key[keys.name_at() - 1]);
    if (kind == PartKind::kSide) return {};
    if (kind == PartKind::kOrder) return CheckOrder(key, keys, part_key);
    const auto row = DecodeRow(value);
    if (!row) {
      ++report_.unreadable_rows;
      find_("an unreadable member of key", key);
      ++parts.members;
      return {};
    }
    ++parts.members;
    if (row->deadline) {
      ++parts.mortal;
      parts.first = std::min(parts.first.value_or(*row->deadline), *row->deadline);
      parts.last = std::max(parts.last.value_or(*row->deadline), *row->deadline);
    }
    return CheckMember(key, keys, part_key.substr(keys.name_at()), *row);
  };
  MAYFLY_RETURN_IF_ERROR(ForEachIn(store_, kMembers, keys.begin(), keys.end(), snapshot_, take));
  return parts;
}

// A member with a deadline is in the index and in the order.
Status CollectionCheck::CheckMember(Bytes key, const PartKeys& keys, Bytes name,
                                    const RowView& row) {
  if (!row.deadline) return {};
  const std::string member_key = keys.Of(PartKind::kMember, name);
  const std::string entry =
      EntryKey(MembersOf(keyspace_.id()), *row.deadline, UserKeyOf(member_key));
  const std::string order = keys.OfOrder(*row.deadline, name);
  MAYFLY_TRY(const bool has_entry, Exists(kExpiry, entry));
  MAYFLY_TRY(const bool has_order, Exists(kMembers, order));
  if (!has_entry) {
    ++report_.missing_entries;
    find_("a member whose deadline is not in the index, of key", key);
    repair_.Put(kExpiry, entry, {});
  }
  if (!has_order) {
    ++report_.missing_entries;
    find_("a member whose deadline is not in its collection's order, of key", key);
    repair_.Put(kMembers, order, {});
  }
  return {};
}

Status CollectionCheck::CheckOrder(Bytes key, const PartKeys& keys, Bytes part_key) {
  const auto order = DecodeOrderName(part_key.substr(keys.name_at()));
  if (order) {
    PinnedBytes pin;
    const Status read =
        store_.engine().Get(kMembers, keys.Of(PartKind::kMember, order->member), pin, snapshot_);
    if (!read.ok() && !read.IsNotFound()) return read;
    if (read.ok()) {
      const auto row = DecodeRow(pin.view());
      if (!row || row->deadline == order->deadline) return {};
    }
  }
  ++report_.stale_entries;
  find_("a deadline in a collection's order without its member, of key", key);
  repair_.Delete(kMembers, part_key);
  return {};
}

Status CollectionCheck::CheckParts() {
  std::optional<std::pair<std::string, std::uint64_t>> last;
  const auto take = [&](Bytes stored_key, Bytes) -> Status {
    ++report_.members;
    const auto part = DecodePartKey(UserKeyOf(stored_key));
    if (!part) {
      ++report_.stray_versions;
      find_("something that is no member, of key", UserKeyOf(stored_key));
      return {};
    }
    if (last && last->second == part->version && last->first == part->key) return {};
    last = {part->key, part->version};
    MAYFLY_TRY(const bool current, IsCurrent(part->key, part->version));
    if (current) return {};
    const std::string record = OrphanKey(keyspace_.id(), part->version, part->key);
    MAYFLY_TRY(const bool queued, Exists(kMeta, record));
    if (queued) return {};
    ++report_.stray_members;
    find_("members of a collection that is not there, of key", part->key);
    repair_.Put(kMeta, record, EncodeOrphan(store_.clock().Now()));
    ++orphans_;
    return {};
  };
  return ForEachIn(store_, kMembers, KeyspaceBegin(keyspace_.id()), KeyspaceEnd(keyspace_.id()),
                   snapshot_, take);
}

Status CollectionCheck::CheckRecords() {
  const auto take = [&](Bytes meta_key, Bytes value) -> Status {
    const auto orphan = DecodeOrphan(meta_key, value);
    if (orphan) {
      MAYFLY_TRY(const bool current, IsCurrent(orphan->key, orphan->version));
      if (!current) {
        ++orphans_;
        return {};
      }
    }
    ++report_.stale_entries;
    find_("the record of an orphan that is none, of key", orphan ? Bytes(orphan->key) : meta_key);
    repair_.Delete(kMeta, meta_key);
    return {};
  };
  return ForEachIn(store_, kMeta, MetaKey(kMetaOrphan, keyspace_.id()),
                   MetaKey(kMetaOrphan, keyspace_.id() + 1), snapshot_, take);
}

Status CollectionCheck::CheckEntries() {
  const KeyspaceId index = MembersOf(keyspace_.id());
  const auto take = [&](Bytes entry_key, Bytes) -> Status {
    ++report_.entries;
    const auto entry = DecodeEntry(entry_key);
    if (entry) {
      PinnedBytes pin;
      const RowKey member(keyspace_.id(), entry->key);
      const Status read = store_.engine().Get(kMembers, member, pin, snapshot_);
      if (!read.ok() && !read.IsNotFound()) return read;
      if (read.ok()) {
        const auto row = DecodeRow(pin.view());
        if (!row || row->deadline == entry->deadline) return {};
      }
    }
    ++report_.stale_entries;
    find_("an entry of the index without its member", entry ? entry->key : entry_key);
    repair_.Delete(kExpiry, entry_key);
    return {};
  };
  return ForEachIn(store_, kExpiry, KeyspaceBegin(index), KeyspaceEnd(index), snapshot_, take);
}

}  // namespace mayfly::core
