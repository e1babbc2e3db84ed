// Catalog: reads keyspaces with their counters and instants when a database opens, and records them
// when it closes.
#include <fmt/format.h>

#include <algorithm>

#include "base/coding.h"
#include "core/keyspaces/catalog.h"
#include "core/layout/addresses.h"
#include "core/layout/limits.h"

namespace mayfly::core {
namespace {

Status Damaged(const char* what) {
  return Status::Corruption(fmt::format("the record of {} is damaged; restore a backup", what));
}

// Calls `take` for each pair in meta whose key begins with `kind`.
template <typename Take>
Status ForEachMeta(const engine::Engine& engine, char kind, Take take) {
  const std::string begin = MetaKey(kind);
  const std::string end(1, static_cast<char>(kind + 1));
  MAYFLY_TRY(const auto cursor, engine.NewCursor(kMeta, {.range = {begin, end}}));
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
    Bytes key = cursor->key();
    key.remove_prefix(1);
    MAYFLY_RETURN_IF_ERROR(take(key, cursor->value()));
  }
  return cursor->status();
}

}  // namespace

Status Catalog::Load() {
  const std::lock_guard lock(mutex_);
  MAYFLY_RETURN_IF_ERROR(LoadNextId());
  MAYFLY_RETURN_IF_ERROR(ForEachMeta(
      engine_, kMetaKeyspace, [this](Bytes key, Bytes value) { return LoadKeyspace(key, value); }));
  MAYFLY_RETURN_IF_ERROR(LoadCounters());
  MAYFLY_RETURN_IF_ERROR(LoadInstants());
  MAYFLY_RETURN_IF_ERROR(LoadCollections());
  MAYFLY_RETURN_IF_ERROR(LoadDropped());
  return engine_.capabilities().writable ? ForgetRecordedRemovals() : Status();
}

Status Catalog::Reload() {
  const std::lock_guard lock(mutex_);
  MAYFLY_RETURN_IF_ERROR(LoadNextId());
  std::map<std::string, std::shared_ptr<KeyspaceState>> before;
  before.swap(by_name_);
  const Status loaded = ForEachMeta(
      engine_, kMetaKeyspace, [&](Bytes key, Bytes value) { return LoadKeyspace(key, value); });
  if (!loaded.ok()) {
    by_name_ = std::move(before);
    return loaded;
  }
  // Existing states stay, because handles share them.
  for (auto& [name, keyspace] : by_name_) {
    const auto known = before.find(name);
    if (known == before.end() || known->second->id() != keyspace->id()) continue;
    if (EncodeKeyspace(name, known->second->policy()) != EncodeKeyspace(name, keyspace->policy()))
      known->second->SetPolicy(keyspace->policy());
    keyspace = known->second;
  }
  for (const auto& [name, keyspace] : before) {
    const auto now = by_name_.find(name);
    if (now == by_name_.end() || now->second != keyspace) keyspace->MarkDropped();
  }
  dropped_.clear();
  for (const auto& [name, keyspace] : by_name_) keyspace->ForgetOrphans();
  MAYFLY_RETURN_IF_ERROR(LoadInstants());
  MAYFLY_RETURN_IF_ERROR(LoadOrphans());
  return LoadDropped();
}

Status Catalog::LoadNextId() {
  PinnedBytes stored;
  const Status read = engine_.Get(kMeta, MetaKey(kMetaNextKeyspace), stored);
  if (read.IsNotFound()) return {};
  MAYFLY_RETURN_IF_ERROR(read);
  Bytes rest = stored.view();
  if (!EatLittleEndian32(rest, next_id_) || !rest.empty()) return Damaged("keyspace ids");
  return {};
}

Status Catalog::LoadKeyspace(Bytes key, Bytes value) {
  KeyspaceId id = 0;
  if (!EatBigEndian32(key, id) || !key.empty() || id >= next_id_) return Damaged("a keyspace");
  std::string name;
  KeyspacePolicy policy;
  MAYFLY_RETURN_IF_ERROR(DecodeKeyspace(value, name, policy));
  if (!by_name_.emplace(name, std::make_shared<KeyspaceState>(id, name, policy)).second) {
    return Damaged("a keyspace");
  }
  return {};
}

Status Catalog::LoadCounters() {
  std::map<KeyspaceId, KeyspaceState*> by_id;
  for (const auto& [name, keyspace] : by_name_) by_id[keyspace->id()] = keyspace.get();
  MAYFLY_RETURN_IF_ERROR(ForEachMeta(engine_, kMetaCounters, [&](Bytes key, Bytes value) {
    KeyspaceId id = 0;
    Counters counters;
    if (!EatBigEndian32(key, id) || key.size() != 1 || !by_id.contains(id)) {
      return Damaged("counters");
    }
    MAYFLY_RETURN_IF_ERROR(DecodeCounters(value, counters));
    by_id[id]->SetCounters(static_cast<Counter>(key[0]), counters);
    return Status();
  }));
  return ForEachMeta(engine_, kMetaDue, [&](Bytes key, Bytes value) {
    KeyspaceId id = 0;
    DueRecord record;
    if (!EatBigEndian32(key, id) || !key.empty() || !by_id.contains(id)) {
      return Damaged("a count of dead rows");
    }
    MAYFLY_RETURN_IF_ERROR(DecodeDueRecord(value, record));
    by_id[id]->SetDueRecord(record);
    return Status();
  });
}

Status Catalog::LoadInstants() {
  for (const auto& [name, keyspace] : by_name_) {
    const KeyspaceId id = keyspace->id();
    MAYFLY_TRY(const auto rows, LoadInstant(kMetaWatermark, id));
    MAYFLY_TRY(const auto members, LoadInstant(kMetaMembersWatermark, id));
    MAYFLY_TRY(const auto through, LoadInstant(kMetaPurgedThrough, id));
    MAYFLY_TRY(const auto removing, LoadInstant(kMetaRemovingSince, id));
    MAYFLY_TRY(const auto promised, LoadInstant(kMetaPromisedSince, id));
    keyspace->SetPromisedSince(promised.value_or(WallTime()));
    // A writer in another process may revert time; then entries lie before them.
    if (!engine_.capabilities().follows) {
      keyspace->RaiseWatermark(rows.value_or(WallTime()));
      keyspace->RaiseMembersWatermark(members.value_or(WallTime()));
    } else {
      keyspace->NoteMortalMember();  // Or have some.
    }
    // After a run that was not closed it is unknown what it removed after its last round.
    keyspace->NoteRemoval(removing ? *removing : through.value_or(WallTime()) + Millis(1));
  }
  return {};
}

// Counts orphans, and notes keyspaces whose members may have deadlines.
Status Catalog::LoadCollections() {
  MAYFLY_RETURN_IF_ERROR(LoadOrphans());
  for (const auto& [name, keyspace] : by_name_) {
    const KeyspaceId id = keyspace->id();
    const std::string begin = EntryBegin(MembersOf(id), keyspace->members_watermark());
    const std::string end = KeyspaceEnd(MembersOf(id));
    const engine::CursorOptions walk{.range = {begin, end}};
    MAYFLY_TRY(const auto cursor, engine_.NewCursor({engine::Role::kExpiry}, walk));
    cursor->SeekToFirst();
    if (cursor->Valid()) keyspace->NoteMortalMember();
    MAYFLY_RETURN_IF_ERROR(cursor->status());
  }
  return {};
}

Status Catalog::LoadOrphans() {
  std::map<KeyspaceId, KeyspaceState*> by_id;
  for (const auto& [name, keyspace] : by_name_) by_id[keyspace->id()] = keyspace.get();
  return ForEachMeta(engine_, kMetaOrphan, [&](Bytes key, Bytes) {
    KeyspaceId id = 0;
    if (!EatBigEndian32(key, id)) return Damaged("an orphan");
    const auto keyspace = by_id.find(id);
    // A writer in another process may have made a keyspace since the names were read.
    if (keyspace == by_id.end() && !engine_.capabilities().follows) return Damaged("an orphan");
    if (keyspace != by_id.end()) keyspace->second->AddOrphans(1);
    return Status();
  });
}

Status Catalog::LoadDropped() {
  return ForEachMeta(engine_, kMetaDropped, [this](Bytes key, Bytes value) {
    KeyspaceId id = 0;
    std::uint64_t since = 0;
    std::uint64_t promise = 0;
    if (!EatBigEndian32(key, id) || !EatLittleEndian64(value, since) ||
        !EatLittleEndian64(value, promise) || !key.empty() || !value.empty() ||
        static_cast<std::int64_t>(promise) <= 0) {
      return Damaged("a dropped keyspace");
    }
    const KeyspacePolicy policy{.purge_within = Millis(static_cast<std::int64_t>(promise))};
    // A dropped keyspace has no name any more.
    dropped_.push_back(
        std::make_shared<KeyspaceState>(id, fmt::format("dropped keyspace {}", id), policy));
    dropped_.back()->MarkDropped();
    dropped_.back()->NoteRemoval(WallTimeFromMs(static_cast<std::int64_t>(since)));
    return Status();
  });
}

Status Catalog::RecordRemovals() {
  const std::lock_guard lock(mutex_);
  engine::Batch batch;
  for (const auto& [name, keyspace] : by_name_) {
    std::string since;
    AppendLittleEndian64(since, static_cast<std::uint64_t>(ToMs(keyspace->removing_since())));
    batch.Put(kMeta, MetaKey(kMetaRemovingSince, keyspace->id()), since);
  }
  return engine_.Commit(batch);
}

Status Catalog::ForgetRecordedRemovals() {
  engine::Batch batch;
  MAYFLY_RETURN_IF_ERROR(ForEachMeta(engine_, kMetaRemovingSince, [&](Bytes key, Bytes) {
    batch.Delete(kMeta, MetaKey(kMetaRemovingSince) + std::string(key));
    return Status();
  }));
  return engine_.Commit(batch);
}

Result<std::optional<WallTime>> Catalog::LoadInstant(char kind, KeyspaceId id) const {
  PinnedBytes stored;
  const Status read = engine_.Get(kMeta, MetaKey(kind, id), stored);
  if (read.IsNotFound()) return std::optional<WallTime>();
  MAYFLY_RETURN_IF_ERROR(read);
  Bytes rest = stored.view();
  std::uint64_t ms = 0;
  if (!EatLittleEndian64(rest, ms) || !rest.empty()) return Damaged("an instant of a keyspace");
  return std::optional(WallTimeFromMs(static_cast<std::int64_t>(ms)));
}

}  // namespace mayfly::core
