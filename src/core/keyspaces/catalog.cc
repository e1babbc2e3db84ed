#include "core/keyspaces/catalog.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/coding.h"
#include "base/printable.h"
#include "core/keyspaces/lifetime_rule.h"
#include "core/layout/addresses.h"
#include "core/layout/limits.h"

namespace mayfly::core {
namespace {

constexpr char kVersion = 2;       // Stored; raise it with every field that is added.
constexpr char kFirstVersion = 1;  // Without promise and order.

Status DamagedKeyspace() {
  return Status::Corruption("the record of a keyspace is damaged; restore a backup");
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
  if (in.empty()) return DamagedKeyspace();
  const char version = in.front();
  if (version < kFirstVersion || version > kVersion) {
    return Status::Unsupported("a keyspace of a newer format; use a newer mayfly");
  }
  in.remove_prefix(1);
  Bytes stored_name;
  std::uint64_t jitter = 0;
  if (!EatSized(in, stored_name) || !EatOptional(in, policy.default_ttl) ||
      !EatOptional(in, policy.min_ttl) || !EatOptional(in, policy.max_ttl) || in.size() < 2) {
    return DamagedKeyspace();
  }
  policy.require_ttl = in[0] != 0;
  policy.breach = static_cast<PolicyBreach>(in[1]);
  in.remove_prefix(2);
  if (!EatVarint(in, jitter) || jitter > UINT32_MAX || in.empty()) return DamagedKeyspace();
  policy.jitter_permille = static_cast<std::uint32_t>(jitter);
  policy.events = static_cast<EventDetail>(in[0]);
  in.remove_prefix(1);
  name = stored_name;
  if ((version > kFirstVersion && !EatPromiseAndOrder(in, policy)) || !in.empty() ||
      !CheckPolicy(policy).ok() || policy.breach > PolicyBreach::kClamp ||
      policy.events > EventDetail::kKeyAndValue) {
    return DamagedKeyspace();
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

Result<std::shared_ptr<KeyspaceState>> Catalog::Create(const std::string& name,
                                                       const KeyspacePolicy& policy) {
  MAYFLY_RETURN_IF_ERROR(CheckKeyspaceName(name));
  MAYFLY_RETURN_IF_ERROR(CheckNewPolicy(policy));
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
  const auto promise = keyspace.policy().purge_within;
  if (promise) {
    std::string record;
    const WallTime since =
        std::max(std::min(keyspace.removing_since(), now), keyspace.promised_since());
    AppendLittleEndian64(record, static_cast<std::uint64_t>(ToMs(since)));
    AppendLittleEndian64(record, static_cast<std::uint64_t>(promise->count()));
    batch.Put(kMeta, MetaKey(kMetaDropped, keyspace.id()), record);
  }
  MAYFLY_RETURN_IF_ERROR(engine_.Commit(batch));
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
  MAYFLY_RETURN_IF_ERROR(engine_.Commit(batch));
  for (std::size_t counter = 0; counter < kCounters; ++counter) {
    keyspace.SetCounters(static_cast<Counter>(counter), {});
  }
  keyspace.ForgetOrphans();
  keyspace.ForgetDue();
  keyspace.NoteRemoval(now);
  // There is much to remove, and no reason to wait for more.
  keyspace.HurryRound();
  return {};
}

Status Catalog::SetPolicy(KeyspaceState& keyspace, const KeyspacePolicy& policy, WallTime now) {
  MAYFLY_RETURN_IF_ERROR(CheckNewPolicy(policy));
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
      (!promised_before || *policy.purge_within < *keyspace.policy().purge_within);
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
