#include "core/keyspaces/catalog.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/coding.h"
#include "base/printable.h"
#include "core/keyspaces/lifetime_rule.h"
#include "core/layout/limits.h"

namespace mayfly::core {
namespace {

constexpr engine::Address kMeta{engine::Role::kMeta};
constexpr char kVersion = 2;       // Stored; raise it with every field that is added.
constexpr char kFirstVersion = 1;  // Without promise and order.

Status Damaged(const char* what) {
  return Status::Corruption(fmt::format("the record of {} is damaged; restore a backup", what));
}

void AppendOptional(std::string& out, const std::optional<Millis>& ttl) {
  AppendVarint(out, ttl ? static_cast<std::uint64_t>(ttl->count()) : 0);  // No ttl is zero.
}

bool EatOptional(Bytes& in, std::optional<Millis>& ttl) {
  std::uint64_t ms = 0;
  if (!EatVarint(in, ms) || static_cast<std::int64_t>(ms) < 0) return false;
  ttl = ms == 0 ? std::nullopt : std::optional(Millis(static_cast<std::int64_t>(ms)));
  return true;
}

// Checked with the gate held alone: another thread may just have dropped it.
Status CheckNotDropped(const KeyspaceState& keyspace) {
  if (!keyspace.dropped()) return {};
  return Status::Invalid(fmt::format("the keyspace '{}' was dropped; open or create another",
                                     Printable(keyspace.name())));
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

void DeleteRowsOf(engine::Batch& batch, KeyspaceId id) {
  for (const engine::Role role :
       {engine::Role::kRows, engine::Role::kMembers, engine::Role::kExpiry}) {
    batch.DeleteRange({role}, KeyspaceBegin(id), KeyspaceEnd(id));
  }
  batch.DeleteRange({engine::Role::kExpiry}, KeyspaceBegin(MembersOf(id)),
                    KeyspaceEnd(MembersOf(id)));
  batch.DeleteRange(kMeta, MetaKey(kMetaCounters, id), MetaKey(kMetaCounters, id + 1));
  batch.DeleteRange(kMeta, MetaKey(kMetaOrphan, id), MetaKey(kMetaOrphan, id + 1));
  batch.Delete(kMeta, MetaKey(kMetaWatermark, id));
  batch.Delete(kMeta, MetaKey(kMetaMembersWatermark, id));
  batch.Delete(kMeta, MetaKey(kMetaDue, id));
}

std::string EncodeKeyspace(const std::string& name, const KeyspacePolicy& policy) {
  std::string out(1, kVersion);
  AppendSized(out, name);
  AppendOptional(out, policy.default_ttl);
  AppendOptional(out, policy.min_ttl);
  AppendOptional(out, policy.max_ttl);
  out.push_back(static_cast<char>(policy.require_ttl));
  out.push_back(static_cast<char>(policy.breach));
  AppendVarint(out, policy.jitter_permille);
  out.push_back(static_cast<char>(policy.events));
  AppendOptional(out, policy.purge_within);
  out.push_back(static_cast<char>(policy.order));
  AppendVarint(out, static_cast<std::uint64_t>(policy.history.count()));
  AppendOptional(out, policy.late_max);
  return out;
}

namespace {

// Decodes the fields that version 2 of the record added.
bool EatPromiseAndOrder(Bytes& in, KeyspacePolicy& policy) {
  std::uint64_t history = 0;
  if (!EatOptional(in, policy.purge_within) || in.empty()) return false;
  policy.order = static_cast<RowOrder>(in.front());
  in.remove_prefix(1);
  if (!EatVarint(in, history) || static_cast<std::int64_t>(history) < 0) return false;
  policy.history = Millis(static_cast<std::int64_t>(history));
  return EatOptional(in, policy.late_max) && policy.order <= RowOrder::kTimestamp;
}

}  // namespace

Status DecodeKeyspace(Bytes in, std::string& name, KeyspacePolicy& policy) {
  if (in.empty()) return Damaged("a keyspace");
  const char version = in.front();
  if (version < kFirstVersion || version > kVersion) {
    return Status::Unsupported("a keyspace of a newer format; use a newer mayfly");
  }
  in.remove_prefix(1);
  Bytes stored_name;
  std::uint64_t jitter = 0;
  if (!EatSized(in, stored_name) || !EatOptional(in, policy.default_ttl) ||
      !EatOptional(in, policy.min_ttl) || !EatOptional(in, policy.max_ttl) || in.size() < 2) {
    return Damaged("a keyspace");
  }
  policy.require_ttl = in[0] != 0;
  policy.breach = static_cast<PolicyBreach>(in[1]);
  in.remove_prefix(2);
  if (!EatVarint(in, jitter) || jitter > UINT32_MAX || in.empty()) return Damaged("a keyspace");
  policy.jitter_permille = static_cast<std::uint32_t>(jitter);
  policy.events = static_cast<EventDetail>(in[0]);
  in.remove_prefix(1);
  name = stored_name;
  if ((version > kFirstVersion && !EatPromiseAndOrder(in, policy)) || !in.empty() ||
      !CheckPolicy(policy).ok() || policy.breach > PolicyBreach::kClamp ||
      policy.events > EventDetail::kKeyAndValue) {
    return Damaged("a keyspace");
  }
  return {};
}

Status CheckKeyspaceName(const std::string& name) {
  if (name.empty()) return Status::Invalid("a keyspace needs a name");
  if (name.size() > kKeyspaceNameBytesMax) {
    return Status::Invalid(fmt::format("a keyspace name of {} bytes; at most {} are allowed",
                                       name.size(), kKeyspaceNameBytesMax));
  }
  if (name.starts_with("__")) {
    return Status::Invalid("keyspace names that begin with two underscores are reserved");
  }
  return {};
}

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
    if (EncodeKeyspace(name, *known->second->policy()) != EncodeKeyspace(name, *keyspace->policy()))
      known->second->SetPolicy(*keyspace->policy());
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
    by_id[id]->SetCounters(static_cast<Stripe>(key[0]), counters);
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

Result<std::shared_ptr<KeyspaceState>> Catalog::Create(const std::string& name,
                                                       const KeyspacePolicy& policy) {
  MAYFLY_RETURN_IF_ERROR(CheckKeyspaceName(name));
  MAYFLY_RETURN_IF_ERROR(CheckPolicy(policy));
  const std::lock_guard lock(mutex_);
  if (by_name_.contains(name)) {
    return Status::Invalid(
        fmt::format("a keyspace called '{}' exists already; open it", Printable(name)));
  }
  const KeyspaceId id = next_id_;
  std::string next;
  AppendLittleEndian32(next, id + 1);
  engine::Batch batch;
  batch.Put(kMeta, MetaKey(kMetaNextKeyspace), next);
  batch.Put(kMeta, MetaKey(kMetaKeyspace, id), EncodeKeyspace(name, policy));
  MAYFLY_RETURN_IF_ERROR(engine_.Commit(batch));
  next_id_ = id + 1;
  auto keyspace = std::make_shared<KeyspaceState>(id, name, policy);
  by_name_.emplace(name, keyspace);
  return keyspace;
}

Result<std::shared_ptr<KeyspaceState>> Catalog::Find(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) {
    return Status::NotFound(
        fmt::format("there is no keyspace called '{}'; create it first", Printable(name)));
  }
  return found->second;
}

std::vector<std::shared_ptr<KeyspaceState>> Catalog::All() const { return AllWithNextId().first; }

std::vector<std::shared_ptr<KeyspaceState>> Catalog::AllWithDropped() const {
  auto all = All();
  const std::lock_guard lock(mutex_);
  all.insert(all.end(), dropped_.begin(), dropped_.end());
  return all;
}

void Catalog::ForgetDropped(KeyspaceId id) {
  const std::lock_guard lock(mutex_);
  std::erase_if(dropped_, [id](const auto& keyspace) { return keyspace->id() == id; });
}

std::pair<std::vector<std::shared_ptr<KeyspaceState>>, KeyspaceId> Catalog::AllWithNextId() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<KeyspaceState>> all;
  for (const auto& [name, keyspace] : by_name_) all.push_back(keyspace);
  return {std::move(all), next_id_};
}

Status Catalog::Drop(const std::string& name, WallTime now) {
  if (name == kDefaultKeyspaceName) {
    return Status::Invalid("the default keyspace cannot be dropped; clear it instead");
  }
  // Shared, so that the gate outlives its lock: there may be no other handle.
  std::shared_ptr<KeyspaceState> shared;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = by_name_.find(name); found != by_name_.end()) shared = found->second;
  }
  const auto none = [&] {
    return Status::NotFound(fmt::format("there is no keyspace called '{}'", Printable(name)));
  };
  if (shared == nullptr) return none();
  KeyspaceState& keyspace = *shared;
  // The gate first: a thread in a latched transaction, which holds the gate, may list keyspaces.
  const std::lock_guard alone(keyspace.gate());
  const std::lock_guard lock(mutex_);
  if (keyspace.dropped()) return none();
  engine::Batch batch;
  DeleteRowsOf(batch, keyspace.id());
  batch.Delete(kMeta, MetaKey(kMetaKeyspace, keyspace.id()));
  batch.Delete(kMeta, MetaKey(kMetaPurgedThrough, keyspace.id()));
  batch.Delete(kMeta, MetaKey(kMetaPromisedSince, keyspace.id()));
  const auto promise = keyspace.policy()->purge_within;
  if (promise) {
    std::string record;
    const WallTime since =
        std::max(std::min(keyspace.removing_since(), now), keyspace.promised_since());
    AppendLittleEndian64(record, static_cast<std::uint64_t>(ToMs(since)));
    AppendLittleEndian64(record, static_cast<std::uint64_t>(promise->count()));
    batch.Put(kMeta, MetaKey(kMetaDropped, keyspace.id()), record);
  }
  const Status committed = engine_.Commit(batch);
  cache_.Forget(keyspace.id());
  MAYFLY_RETURN_IF_ERROR(committed);
  keyspace.MarkDropped();
  keyspace.NoteRemoval(now);
  keyspace.HurryRound();
  if (promise) dropped_.push_back(shared);
  by_name_.erase(name);
  return {};
}

Status Catalog::Clear(KeyspaceState& keyspace, WallTime now) {
  const std::lock_guard alone(keyspace.gate());
  MAYFLY_RETURN_IF_ERROR(CheckNotDropped(keyspace));
  engine::Batch batch;
  DeleteRowsOf(batch, keyspace.id());
  const Status committed = engine_.Commit(batch);
  cache_.Forget(keyspace.id());  // After success and failure, with the gate still held.
  MAYFLY_RETURN_IF_ERROR(committed);
  for (std::size_t stripe = 0; stripe < kStripes; ++stripe) {
    keyspace.SetCounters(static_cast<Stripe>(stripe), {});
  }
  keyspace.ForgetOrphans();
  keyspace.ForgetDue();
  keyspace.NoteRemoval(now);
  // There is much to remove, and no reason to wait for more.
  keyspace.HurryRound();
  return {};
}

Status Catalog::SetPolicy(KeyspaceState& keyspace, const KeyspacePolicy& policy, WallTime now) {
  MAYFLY_RETURN_IF_ERROR(CheckPolicy(policy));
  const std::lock_guard alone(keyspace.gate());  // First, as in Drop().
  const std::lock_guard lock(mutex_);
  MAYFLY_RETURN_IF_ERROR(CheckNotDropped(keyspace));
  if (keyspace.by_timestamp() != (policy.order == RowOrder::kTimestamp)) {
    return Status::Invalid(fmt::format(
        "the order of the rows of '{}' was chosen when it was made; make another keyspace",
        Printable(keyspace.name())));
  }
  engine::Batch batch;
  batch.Put(kMeta, MetaKey(kMetaKeyspace, keyspace.id()), EncodeKeyspace(keyspace.name(), policy));
  const bool promised_before = keyspace.promises();
  const bool promises_more =
      policy.purge_within &&
      (!promised_before || *policy.purge_within < *keyspace.policy()->purge_within);
  if (promises_more) {
    std::string since;
    AppendLittleEndian64(since, static_cast<std::uint64_t>(ToMs(now)));
    batch.Put(kMeta, MetaKey(kMetaPromisedSince, keyspace.id()), since);
  }
  MAYFLY_RETURN_IF_ERROR(engine_.Commit(batch));
  // First, so that no thread sees the new promise with the old one's time.
  if (promises_more) keyspace.SetPromisedSince(now);
  keyspace.SetPolicy(policy);
  // Overwrites were not noted until now.
  if (keyspace.promises() && !promised_before) keyspace.NoteOverwrite(now);
  return {};
}

}  // namespace mayfly::core
