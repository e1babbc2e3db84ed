#include "core/keyspaces/collection_ids.h"

#include "base/coding.h"
#include "core/layout/addresses.h"
#include "core/layout/keys.h"
#include "core/layout/limits.h"

namespace mayfly::core {

Status CollectionIds::Load() {
  PinnedBytes stored;
  const Status read = engine_.Get(kMeta, MetaKey(kMetaVersions), stored);
  if (read.IsNotFound()) return {};
  MAYFLY_RETURN_IF_ERROR(read);
  Bytes rest = stored.view();
  if (!EatLittleEndian64(rest, reserved_) || !rest.empty()) {
    return Status::Corruption("the record of versions is damaged; restore a backup");
  }
  next_ = reserved_;
  return {};
}

Result<std::uint64_t> CollectionIds::Next() {
  const std::lock_guard lock(mutex_);
  if (next_ < reserved_) return next_++;
  const std::uint64_t until = reserved_ + kVersionsReserved;
  std::string record;
  AppendLittleEndian64(record, until);
  engine::Batch batch;
  batch.Put(kMeta, MetaKey(kMetaVersions), record);
  MAYFLY_RETURN_IF_ERROR(engine_.Commit(batch));
  reserved_ = until;
  return next_++;
}

}  // namespace mayfly::core
