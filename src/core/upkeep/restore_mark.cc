#include "core/upkeep/restore_mark.h"

#include <fmt/format.h>

#include "base/log.h"
#include "core/layout/addresses.h"
#include "core/layout/keys.h"

namespace mayfly::core {
namespace {

Status TakeMarkAway(Store& store) {
  engine::Batch batch;
  batch.Delete(kMeta, MetaKey(kMetaRestoring));
  return store.engine().Commit(batch, Durability::kDisk);
}

}  // namespace

Status BeginRestore(Store& store) {
  MAYFLY_TRY(const auto keyspace, store.catalog().Find(kDefaultKeyspaceName));
  engine::Batch batch;
  batch.Put(kMeta, MetaKey(kMetaRestoring), EncodeKeyspace(keyspace->name(), keyspace->policy()));
  return store.engine().Commit(batch, Durability::kDisk);
}

Status EndRestore(Store& store) {
  MAYFLY_RETURN_IF_ERROR(store.engine().Sync(Durability::kDisk));
  return TakeMarkAway(store);
}

Status UndoRestore(Store& store) {
  PinnedBytes mark;
  MAYFLY_RETURN_IF_ERROR(store.engine().Get(kMeta, MetaKey(kMetaRestoring), mark));
  std::string name;
  KeyspacePolicy policy;
  MAYFLY_RETURN_IF_ERROR(DecodeKeyspace(mark.view(), name, policy));
  const WallTime now = store.clock().Now();
  for (const auto& keyspace : store.catalog().All()) {
    if (keyspace->name() != name) {
      MAYFLY_RETURN_IF_ERROR(store.catalog().Drop(keyspace->name(), now));
      continue;
    }
    MAYFLY_RETURN_IF_ERROR(store.catalog().Clear(*keyspace, now));
    MAYFLY_RETURN_IF_ERROR(store.catalog().SetPolicy(*keyspace, policy, now));
  }
  return TakeMarkAway(store);
}

Status UndoCutOffRestore(Store& store) {
  PinnedBytes mark;
  const Status read = store.engine().Get(kMeta, MetaKey(kMetaRestoring), mark);
  if (read.IsNotFound()) return {};
  MAYFLY_RETURN_IF_ERROR(read);
  if (!store.engine().capabilities().writable) {
    return Status::Corruption(
        fmt::format("a restore into {} was cut off, and it holds a part of a backup; open it for "
                    "writing once, which empties it, and restore again",
                    store.engine().name()));
  }
  Log(store.logger(), LogLevel::kWarning,
      "a restore into {} was cut off; it is emptied again: restore once more",
      store.engine().name());
  return UndoRestore(store);
}

}  // namespace mayfly::core
