// Catalog::LoadSalvaged(): loads keyspaces when parts of meta may be missing.
#include <fmt/format.h>

#include <algorithm>

#include "base/coding.h"
#include "base/log.h"
#include "base/printable.h"
#include "core/keyspaces/catalog.h"
#include "core/layout/addresses.h"
#include "core/layout/row_codec.h"

namespace mayfly::core {
namespace {

constexpr KeyspaceId kDefaultId = 1;  // The first that a database makes.

Result<std::unique_ptr<engine::Cursor>> WalkMeta(const engine::Engine& engine, char kind) {
  return engine.NewCursor(kMeta,
                          {.range = {MetaKey(kind), std::string(1, static_cast<char>(kind + 1))}});
}

}  // namespace

Status Catalog::LoadSalvaged(Logger& logger) {
  const std::lock_guard lock(mutex_);
  MAYFLY_TRY(const auto records, WalkMeta(engine_, kMetaKeyspace));
  for (records->SeekToFirst(); records->Valid(); records->Next()) {
    Bytes key = records->key().substr(1);
    KeyspaceId id = 0;
    std::string name;
    KeyspacePolicy policy;
    if (!EatBigEndian32(key, id) || !DecodeKeyspace(records->value(), name, policy).ok()) continue;
    by_name_.emplace(name, std::make_shared<KeyspaceState>(id, name, policy));
  }
  // Keyspaces that are known to be dropped are not brought back.
  std::set<KeyspaceId> dropped;
  MAYFLY_TRY(const auto drops, WalkMeta(engine_, kMetaDropped));
  for (drops->SeekToFirst(); drops->Valid(); drops->Next()) {
    Bytes key = drops->key().substr(1);
    KeyspaceId id = 0;
    if (EatBigEndian32(key, id)) dropped.insert(id);
  }
  MAYFLY_RETURN_IF_ERROR(AddUnknown(dropped, logger));
  for (const auto& [name, keyspace] : by_name_) {
    next_id_ = std::max(next_id_, keyspace->id() + 1);
    keyspace->NoteMortalMember();
  }
  if (!by_name_.contains(kDefaultKeyspaceName)) {
    by_name_.emplace(kDefaultKeyspaceName, std::make_shared<KeyspaceState>(
                                               next_id_++, kDefaultKeyspaceName, KeyspacePolicy()));
  }
  return {};
}

// Keyspaces that have rows and no record.
Status Catalog::AddUnknown(const std::set<KeyspaceId>& dropped, Logger& logger) {
  std::set<KeyspaceId> known = dropped;
  for (const auto& [name, keyspace] : by_name_) known.insert(keyspace->id());
  MAYFLY_TRY(const auto rows, engine_.NewCursor(kRows));
  rows->SeekToFirst();
  while (rows->Valid()) {
    const auto id = KeyspaceOf(rows->key());
    if (!id) {
      rows->Next();
      continue;
    }
    if (!known.contains(*id)) {
      const bool is_default = *id == kDefaultId && !by_name_.contains(kDefaultKeyspaceName);
      std::string name = is_default ? kDefaultKeyspaceName : fmt::format("salvaged-{}", *id);
      while (by_name_.contains(name)) name += '+';
      const auto row = DecodeRow(rows->value());
      KeyspacePolicy policy;
      if (row && row->timestamp) policy.order = RowOrder::kTimestamp;
      Log(logger, LogLevel::kWarning,
          "the record of keyspace {} is missing: its rows are kept under the name '{}', and its "
          "policy is lost",
          *id, Printable(name));
      by_name_.emplace(name, std::make_shared<KeyspaceState>(*id, name, policy));
    }
    rows->SeekAtOrAfter(KeyspaceEnd(*id));
  }
  return rows->status();
}

}  // namespace mayfly::core
