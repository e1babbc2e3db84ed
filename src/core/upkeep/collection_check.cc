#include "core/upkeep/collection_check.h"

#include "core/layout/addresses.h"
#include "core/layout/packed_parts.h"

namespace mayfly::core {
namespace {

// Calls `take` for each pair in [begin, end).
template <typename Take>
Status ForEachIn(const Store& store, engine::Address at, Bytes begin, Bytes end,
                 const engine::Snapshot* snapshot, Take take) {
  const engine::CursorOptions walk{
      .range = {begin, end}, .snapshot = snapshot, .fill_cache = false};
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

bool CollectionCheck::IsCurrent(std::uint64_t collection_id) const {
  return some_unreadable_ ||
         versions_.contains(collection_id);  // An unreadable row may be its row.
}

Result<bool> CollectionCheck::CheckRow(Bytes key, const RowView& row, Counters& expected) {
  if (!versions_.insert(*row.collection_id).second) {
    ++report_.wrong_counts;
    find_("a collection whose members are another's, of key", key);
    RemoveRow(key, row);
    return false;
  }
  const auto collection = DecodeCollection(row.payload);
  if (!collection) {
    ++report_.unreadable_rows;
    find_("an unreadable collection", key);
    return false;
  }
  auto counted = PartsOf(key, *row.collection_id, *collection);
  if (!counted && collection->packed) {
    ++report_.unreadable_rows;
    find_("a collection whose members cannot be read, of key", key);
    return false;
  }
  MAYFLY_TRY(const Parts parts, std::move(counted));
  MAYFLY_TRY(const bool first_fits,
             FirstFits(PartKeys(keyspace_.id(), *row.collection_id), *collection, parts));
  if (first_fits && Fits(key, row, *collection, parts)) {
    ++expected.rows;
    expected.mortal += row.deadline ? 1 : 0;
    expected.with_mortal_members += parts.mortal > 0 ? 1 : 0;
    return true;
  }
  ++report_.wrong_counts;
  find_("a collection that does not fit its members, of key", key);
  Mend(key, row, *collection, parts, expected);
  return false;
}

bool CollectionCheck::Fits(Bytes key, const RowView& row, const Collection& collection,
                           const Parts& parts) const {
  const Collection counted{
      .members = parts.members, .mortal = parts.mortal, .own_deadline = collection.own_deadline};
  const bool name_fits = collection.named == parts.name.has_value() &&
                         (!parts.name || *parts.name == key) &&
                         (collection.named || parts.mortal == 0);
  return parts.members > 0 && collection.members == parts.members &&
         collection.mortal == parts.mortal && name_fits &&
         row.deadline == DeadlineOf(counted, parts.last);
}

// Checks that exactly as many members as the row counts as dead die before its first_deadline.
Result<bool> CollectionCheck::FirstFits(const PartKeys& keys, const Collection& collection,
                                        const Parts& parts) const {
  if (!parts.first) return collection.dead == 0;
  if (!collection.first_deadline) return false;
  std::uint64_t before = 0;
  const auto take = [&](Bytes, Bytes value) -> Status {
    const auto row = DecodeRow(value);
    before += row && row->deadline && *row->deadline < *collection.first_deadline ? 1u : 0u;
    return {};
  };
  MAYFLY_RETURN_IF_ERROR(ForEachIn(store_, kMembers, keys.Begin(PartKind::kMember),
                                   keys.End(PartKind::kMember), snapshot_, take));
  return before == collection.dead;
}

void CollectionCheck::RemoveRow(Bytes key, const RowView& row) {
  repair_.Delete(kRows, RowKey(keyspace_.id(), key));
  if (row.deadline) repair_.Delete(kExpiry, EntryKey(keyspace_.id(), *row.deadline, key));
}

void CollectionCheck::MendName(Bytes key, const PartKeys& keys, const Parts& parts,
                               Collection& mended) {
  mended.named = parts.mortal > 0;
  if (mended.named) {
    std::string name;
    AppendRow(name, {.deadline = {}, .payload = key});
    repair_.Put(kMembers, keys.OfName(), name);
  } else if (parts.name) {
    repair_.Delete(kMembers, keys.OfName());
  }
}

void CollectionCheck::Mend(Bytes key, const RowView& row, const Collection& collection,
                           const Parts& parts, Counters& expected) {
  const KeyspaceId id = keyspace_.id();
  RemoveRow(key, row);
  const PartKeys keys(id, *row.collection_id);
  if (parts.members == 0) {
    if (parts.name) repair_.Delete(kMembers, keys.OfName());
    return;
  }
  Collection mended = collection;
  mended.members = parts.members;
  mended.mortal = parts.mortal;
  mended.first_deadline = parts.first;
  MendName(key, keys, parts, mended);
  mended.dead = 0;
  std::string payload;
  AppendCollection(payload, mended);
  const RowView fresh{.deadline = DeadlineOf(mended, parts.last),
                      .payload = payload,
                      .collection_id = row.collection_id};
  std::string encoded;
  AppendRow(encoded, fresh);
  repair_.Put(kRows, RowKey(id, key), encoded);
  if (fresh.deadline) repair_.Put(kExpiry, EntryKey(id, *fresh.deadline, key), {});
  ++expected.rows;
  expected.mortal += fresh.deadline ? 1 : 0;
  expected.with_mortal_members += parts.mortal > 0 ? 1 : 0;
}

// Those of a small collection are in its row.
Result<CollectionCheck::Parts> CollectionCheck::PartsOf(Bytes key, std::uint64_t collection_id,
                                                        const Collection& collection) {
  if (!collection.packed) return WalkParts(key, PartKeys(keyspace_.id(), collection_id));
  packed_.insert(collection_id);
  Parts parts;
  MAYFLY_TRY(parts.members, CountPacked(collection));
  for (PackedReader reader(*collection.packed); reader.Valid(); reader.Next()) ++report_.members;
  return parts;
}

Result<CollectionCheck::Parts> CollectionCheck::WalkParts(Bytes key, const PartKeys& keys) {
  Parts parts;
  const auto take = [&](Bytes part_key, Bytes value) -> Status {
    const auto kind = static_cast<PartKind>(part_key[keys.name_at() - 1]);
    if (kind == PartKind::kSide) return {};
    if (kind == PartKind::kName) {
      const auto row = DecodeRow(value);
      parts.name = row ? std::string(row->payload) : std::string();
      return {};
    }
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

// Checks that a member with a deadline is in the index and in the order.
Status CollectionCheck::CheckMember(Bytes key, const PartKeys& keys, Bytes name,
                                    const RowView& row) {
  if (!row.deadline) return {};
  const RowKey member_key = keys.Of(PartKind::kMember, name);
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
  std::optional<std::uint64_t> last;
  const auto take = [&](Bytes stored_key, Bytes) -> Status {
    const auto part = DecodePartKey(UserKeyOf(stored_key));
    if (!part || part->part != PartKind::kName) ++report_.members;
    if (!part) {
      ++report_.stray_versions;
      find_("something that is no member, of key", UserKeyOf(stored_key));
      return {};
    }
    if (packed_.contains(part->collection_id)) {
      ++report_.stray_members;
      find_("members beside a collection that has its members in its row, of id",
            std::to_string(part->collection_id));
      repair_.Delete(kMembers, stored_key);
      return {};
    }
    if (last == part->collection_id) return {};
    last = part->collection_id;
    if (IsCurrent(part->collection_id)) return {};
    const std::string record = OrphanKey(keyspace_.id(), part->collection_id);
    MAYFLY_TRY(const bool queued, Exists(kMeta, record));
    if (queued) return {};
    ++report_.stray_members;
    find_("members of a collection that is not there, of id", std::to_string(part->collection_id));
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
      if (!versions_.contains(orphan->collection_id)) {
        ++orphans_;
        return {};
      }
    }
    ++report_.stale_entries;
    find_("the record of an orphan that is none, of collection id",
          orphan ? Bytes(std::to_string(orphan->collection_id)) : meta_key);
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
