#include "capi/handles.h"

#include <fmt/format.h>

namespace mayfly::capi {

mayfly_view* ViewOwner::ViewOf(const KeyspaceReader& reader, KeyspaceWriter* writer) {
  const std::lock_guard lock(mutex_);
  return &views_.try_emplace(&reader, mayfly_view{this, &reader, writer}).first->second;
}

Status CheckSameDatabase(const ViewOwner& owner, const mayfly_keyspace& keyspace) {
  if (owner.shared == keyspace.owner->shared) return {};
  return Status::Invalid("the keyspace is of another database; open it in this one");
}

Result<Durability> ToDurability(int durability, Durability otherwise) {
  switch (durability) {
    case MAYFLY_DURABILITY_DEFAULT: return otherwise;
    case MAYFLY_DURABILITY_NONE: return Durability::kNone;
    case MAYFLY_DURABILITY_PROCESS: return Durability::kProcess;
    case MAYFLY_DURABILITY_DISK: return Durability::kDisk;
    default: return Status::Invalid(fmt::format("unknown durability {}", durability));
  }
}

Result<Lifetime> ToLifetime(mayfly_lifetime lifetime) {
  switch (lifetime.kind) {
    case MAYFLY_LIFETIME_DEFAULT: return Lifetime::Default();
    case MAYFLY_LIFETIME_FOR: return Lifetime::For(Millis(lifetime.ms));
    case MAYFLY_LIFETIME_UNTIL: return Lifetime::Until(WallTimeFromMs(lifetime.ms));
    case MAYFLY_LIFETIME_FOREVER: return Lifetime::Forever();
    case MAYFLY_LIFETIME_KEEP: return Lifetime::Keep();
    default: return Status::Invalid(fmt::format("unknown kind of lifetime {}", lifetime.kind));
  }
}

std::int64_t ToDeadlineMs(const std::optional<WallTime>& deadline) {
  return deadline ? ToMs(*deadline) : MAYFLY_FOREVER;
}

}  // namespace mayfly::capi
