#include "core/store/drop_horizon.h"

#include <algorithm>

#include "core/keyspaces/catalog.h"
#include "core/layout/collection_codec.h"
#include "core/layout/liveness.h"
#include "core/layout/row_codec.h"
#include "core/layout/version_codec.h"

namespace mayfly::core {
namespace {

using engine::Role;

// The instant from which a stored pair may go; nothing when it stays, or cannot be read.
std::optional<WallTime> LeavesAt(Role role, Bytes key, Bytes value) {
  switch (role) {
    case Role::kRows: {
      const auto row = DecodeRow(value);
      return row ? row->deadline : std::nullopt;
    }
    case Role::kMembers: {
      if (!KeyspaceOf(key)) return std::nullopt;
      if (IsPartKey(UserKeyOf(key))) return DeadlineOfPart(UserKeyOf(key), value);
      const auto version = DecodeVersion(value);
      return version ? core::LeavesAt(*version) : std::nullopt;
    }
    case Role::kExpiry: {
      const auto entry = DecodeEntry(key);
      return entry ? std::optional(entry->deadline) : std::nullopt;
    }
    case Role::kEvents:
    case Role::kMeta: break;
  }
  return std::nullopt;
}

class HorizonJudge final : public engine::DropPolicy::Judge {
 public:
  HorizonJudge(std::shared_ptr<const Horizon> horizon, WallTime purging_through, Role role)
      : horizon_(std::move(horizon)), purging_through_(purging_through), role_(role) {}

  bool IsDead(Bytes key, Bytes value) override {
    const auto keyspace = KeyspaceOf(key);
    if (!keyspace) return false;
    if (keyspace != last_keyspace_) Look(*keyspace);
    if (dropped_) return true;
    if (!dead_by_) return false;
    const auto leaves_at = LeavesAt(role_, key, value);
    return leaves_at && core::IsDead(*leaves_at, *dead_by_);
  }

  bool IsBeingPurged(Bytes key, Bytes value) override {
    const auto leaves_at = LeavesAt(role_, key, value);
    return leaves_at && core::IsDead(*leaves_at, purging_through_);
  }

 private:
  // Pairs come in the order of keyspaces, so one lookup serves many.
  void Look(KeyspaceId keyspace) {
    last_keyspace_ = keyspace;
    const KeyspaceId index =
        role_ == Role::kMembers ? MembersOf(keyspace) : keyspace;  // As in the index.
    const auto found = horizon_->dead_by.find(index);
    dead_by_ = found == horizon_->dead_by.end() ? std::nullopt : std::optional(found->second);
    dropped_ = horizon_->IsDropped(keyspace & ~kMembersBit);
  }

  const std::shared_ptr<const Horizon> horizon_;  // Shared with the policy and other judges.
  const WallTime purging_through_;
  const Role role_;
  std::optional<KeyspaceId> last_keyspace_;
  std::optional<WallTime> dead_by_;
  bool dropped_ = false;
};

Horizon Take(const Catalog& catalog) {
  Horizon horizon;
  const auto [keyspaces, next_id] = catalog.AllWithNextId();
  horizon.next_id = next_id;
  for (const auto& keyspace : keyspaces) {
    // No entry lies before a watermark; one at the watermark may still exist.
    const KeyspaceId id = keyspace->id();
    horizon.dead_by[id] = keyspace->watermark() - Millis(1);
    horizon.dead_by[MembersOf(id)] = keyspace->members_watermark() - Millis(1);
  }
  return horizon;
}

}  // namespace

std::optional<WallTime> Horizon::DeadEverywhere() const {
  std::optional<WallTime> least;
  for (const auto& [keyspace, instant] : dead_by) {
    least = least ? std::min(*least, instant) : instant;
  }
  return least;
}

bool Horizon::KnowsTheKeyspacesOf(const Catalog& catalog) const {
  const auto [keyspaces, next] = catalog.AllWithNextId();
  return next == next_id && 2 * keyspaces.size() == dead_by.size() &&
         std::all_of(keyspaces.begin(), keyspaces.end(),
                     [this](const auto& keyspace) { return dead_by.contains(keyspace->id()); });
}

std::unique_ptr<engine::DropPolicy::Judge> DropHorizon::NewJudge(Role role) const {
  if (role == Role::kEvents || role == Role::kMeta) return nullptr;
  const auto through = WallTimeFromMs(purging_through_ms_.load(std::memory_order_relaxed));
  return std::make_unique<HorizonJudge>(horizon(), through, role);
}

std::optional<WallTime> DropHorizon::DeadlineOf(Role role, Bytes key, Bytes value) const {
  return LeavesAt(role, key, value);
}

std::shared_ptr<const Horizon> DropHorizon::horizon() const {
  const std::lock_guard lock(mutex_);
  return horizon_;
}

void DropHorizon::Publish(Horizon horizon) {
  auto published = std::make_shared<const Horizon>(std::move(horizon));
  const std::lock_guard lock(mutex_);
  horizon_ = std::move(published);
}

Result<bool> DropHorizon::Advance(const Catalog& catalog, const OpenStates& states,
                                  engine::Engine& engine) {
  const std::lock_guard alone(advance_mutex_);
  if (candidate_ && states.AllSince(candidate_->mark)) {
    Publish(std::move(candidate_->horizon));
    candidate_.reset();
  }
  // The watermarks first, then the mark: states from the mark on show nothing that was purged.
  Horizon taken = Take(catalog);
  if (taken == *horizon()) return true;
  if (candidate_ && !states.AllSince(candidate_->mark)) return false;
  const StateTicket mark = states.Mark();
  MAYFLY_RETURN_IF_ERROR(engine.Sync(Durability::kDisk));
  if (states.AllSince(mark)) {
    Publish(std::move(taken));
    return true;
  }
  candidate_ = Candidate{std::move(taken), mark};
  return false;
}

void DropHorizon::Forget() {
  const std::lock_guard alone(advance_mutex_);
  candidate_.reset();
  Publish({});
}

}  // namespace mayfly::core
