#include "core/transactions/work_calls.h"

#include <algorithm>

#include "core/store/store_of.h"
#include "core/transactions/keyspace_calls.h"

namespace mayfly::core {

Result<std::unique_ptr<Work>> BeginWork(Database& database, const WorkScope& scope) {
  Store& store = StoreOf(database);
  // Keys of one keyspace come together mostly.
  const Keyspace* keyspace = nullptr;
  KeyspaceState* state = nullptr;
  const auto target = [&](const WorkScope::Key& key) {
    if (state == nullptr || key.keyspace != keyspace) {
      keyspace = key.keyspace;
      state = &KeyspaceCalls::Of(*keyspace, store).state();
    }
    return WorkCalls::Target{state, StripeOf(state->id(), key.key), key.writes};
  };
  const auto begin =
      [&](std::span<const WorkCalls::Target> targets) -> Result<std::unique_ptr<Work>> {
    MAYFLY_TRY(auto work, WorkCalls::Begin(store, targets, scope.everything, scope.walks));
    return std::unique_ptr<Work>(std::move(work));
  };
  if (scope.everything) return begin({});
  if (scope.keys.size() == 1) {
    const WorkCalls::Target one[] = {target(scope.keys.front())};
    return begin(one);
  }
  std::vector<WorkCalls::Target> targets;
  targets.reserve(scope.keys.size());
  for (const WorkScope::Key& key : scope.keys) targets.push_back(target(key));
  return begin(targets);
}

Result<std::unique_ptr<WorkCalls>> WorkCalls::Begin(Store& store, std::span<const Target> targets,
                                                    bool everything, bool walks) {
  MAYFLY_RETURN_IF_ERROR(store.CheckOpen());
  std::unique_ptr<WorkCalls> work(new WorkCalls(store, everything));
  MAYFLY_RETURN_IF_ERROR(everything ? work->HoldEverything() : work->Hold(targets));
  if (walks && !everything) MAYFLY_RETURN_IF_ERROR(work->Freeze());
  work->now_ = store.clock().Now();  // Under the latches, as every write.
  store.KeepTime(work->now_);
  return work;
}

WorkCalls::~WorkCalls() { EndStaging(/*committed=*/false); }

// After the latches are held, so that what the work may change is as it will find it.
Status WorkCalls::Freeze() {
  frozen_.emplace();
  for (const auto& keyspace : store_.catalog().All()) {
    frozen_->watermarks.emplace(keyspace->id(), keyspace->watermark());
  }
  MAYFLY_TRY(state_, store_.states().Open(StateKind::kCall, store_.clock().Now()));
  frozen_->snapshot = state_->Lend();
  return {};
}

Result<const WorkCalls::Frozen*> WorkCalls::State() const {
  if (everything_) return nullptr;
  if (frozen_) return &*frozen_;
  return Status::Internal("a work that walks over rows must be begun so");
}

Status WorkCalls::Hold(std::span<const Target> targets) {
  if (targets.empty()) return {};
  bool alike = true;
  for (const Target& target : targets) {
    (target.writes ? held_ : shared_).set(target.stripe);
    alike = alike && target.keyspace == targets.front().keyspace;
  }
  if (alike) {
    MAYFLY_RETURN_IF_ERROR(HoldGate(*targets.front().keyspace));
  } else {
    std::vector<KeyspaceState*> keyspaces;
    keyspaces.reserve(targets.size());
    for (const Target& target : targets) keyspaces.push_back(target.keyspace);
    MAYFLY_RETURN_IF_ERROR(HoldGates(std::move(keyspaces)));
  }
  if (targets.size() == 1) {
    const Target& only = targets.front();
    if (only.writes) {
      latch_ = store_.latches().Lock(only.stripe);
    } else {
      shared_latch_ = store_.latches().LockShared(only.stripe);
    }
  } else {
    latches_.emplace(store_.latches(), held_, shared_);
  }
  return {};
}

Status WorkCalls::HoldGate(KeyspaceState& keyspace) {
  only_ = &keyspace;
  only_gate_ = std::shared_lock(keyspace.gate());
  return store_.CheckUsable(keyspace);
}

Status WorkCalls::HoldEverything() {
  kept_ = store_.catalog().All();
  std::vector<KeyspaceState*> keyspaces;
  keyspaces.reserve(kept_.size());
  for (const auto& keyspace : kept_) keyspaces.push_back(keyspace.get());
  // One may be dropped before its gate is held; then nobody asks for it any more.
  MAYFLY_RETURN_IF_ERROR(HoldGates(std::move(keyspaces)));
  held_.set();
  latches_.emplace(store_.latches(), held_);
  return {};
}

Status WorkCalls::HoldGates(std::vector<KeyspaceState*> keyspaces) {
  const auto by_id = [](const KeyspaceState* a, const KeyspaceState* b) {
    return a->id() < b->id();
  };
  std::sort(keyspaces.begin(), keyspaces.end(), by_id);
  keyspaces.erase(std::unique(keyspaces.begin(), keyspaces.end()), keyspaces.end());
  keyspaces_ = std::move(keyspaces);
  gates_.reserve(keyspaces_.size());
  for (KeyspaceState* const keyspace : keyspaces_) {
    gates_.emplace_back(keyspace->gate());
    if (!everything_) MAYFLY_RETURN_IF_ERROR(store_.CheckUsable(*keyspace));
  }
  return {};
}

bool WorkCalls::HoldsGate(const KeyspaceState& keyspace) const {
  return only_ == &keyspace ||
         std::find(keyspaces_.begin(), keyspaces_.end(), &keyspace) != keyspaces_.end();
}

WorkSpace& WorkCalls::In(const Keyspace& keyspace) {
  if (first_ && first_->keyspace() == &keyspace) [[likely]]
    return *first_;
  return In(KeyspaceCalls::Of(keyspace, store_).state(), &keyspace);
}

OwnSpace& WorkCalls::In(KeyspaceState& state, const Keyspace* keyspace) {
  if (!first_) return first_.emplace(*this, store_, state, keyspace, HoldsGate(state));
  if (&first_->state() == &state) return *first_;
  for (const auto& space : others_) {
    if (&space->state() == &state) return *space;
  }
  return *others_.emplace_back(
      std::make_unique<OwnSpace>(*this, store_, state, keyspace, HoldsGate(state)));
}

Work::Mark WorkCalls::SetMark() {
  ++epoch_;
  marks_.push_back({undos_.size(), changed_.size()});
  return marks_.size() - 1;
}

void WorkCalls::RollBack(Mark mark) {
  ++epoch_;
  const Point& point = marks_.at(mark);
  while (undos_.size() > point.undos) {
    TakeBack(undos_.back());
    undos_.pop_back();
  }
  changed_.erase(changed_.begin() + static_cast<std::ptrdiff_t>(point.changed), changed_.end());
  marks_.resize(mark + 1);
}

void WorkCalls::TakeBack(Undo& undo) {
  if (auto* const row = std::get_if<RowFate>(&undo.before)) {
    undo.space->SetFate(undo.name, std::move(*row));
  } else if (auto* const part = std::get_if<PartUndo>(&undo.before)) {
    undo.space->SetFate(part->version, part->part, undo.name, std::move(part->before));
  } else {
    auto& clear = std::get<ClearUndo>(undo.before);
    undo.space->TakeBackClear(std::move(clear.before));
    changed_ = std::move(clear.changed);
  }
}

void WorkCalls::Changed(const Keyspace* keyspace, Bytes key) {
  changed_.push_back({keyspace, std::string(key)});
}

void WorkCalls::Save(OwnSpace& space, Bytes key, const RowFate& before) {
  if (marks_.empty()) return;
  undos_.push_back({&space, std::string(key), before});
}

void WorkCalls::Save(OwnSpace& space, std::uint64_t version, Part part, Bytes name,
                     const MemberFate& before) {
  if (marks_.empty()) return;
  undos_.push_back({&space, std::string(name), PartUndo{version, part, before}});
}

void WorkCalls::SaveClear(OwnSpace& space, OwnSpace::Cleared before) {
  std::vector<ChangedKey> kept;
  for (const ChangedKey& changed : changed_) {
    if (changed.keyspace != space.keyspace()) kept.push_back(changed);
  }
  std::swap(kept, changed_);
  if (marks_.empty()) return;
  undos_.push_back({&space, {}, ClearUndo{std::move(before), std::move(kept)}});
}

Status WorkCalls::Commit(Durability durability) {
  if (over_) return Status::Invalid("the work is over; begin another");
  std::vector<Event> events;
  const Status committed = CommitPlanned(durability, events);
  over_ = true;
  EndStaging(committed.ok());
  Release();
  MAYFLY_RETURN_IF_ERROR(committed);
  store_.events().Deliver(events);
  return {};
}

Status WorkCalls::CommitPlanned(Durability durability, std::vector<Event>& events) {
  CommitPlan plan(now_);
  if (first_) MAYFLY_RETURN_IF_ERROR(first_->Plan(plan));
  for (const auto& space : others_) MAYFLY_RETURN_IF_ERROR(space->Plan(plan));
  if (store_.IsNothing(plan)) return {};
  MAYFLY_RETURN_IF_ERROR(store_.CheckOpen());
  MAYFLY_RETURN_IF_ERROR(store_.Commit(plan, durability));
  store_.counts().last_write_ms.store(ToMs(now_), std::memory_order_relaxed);
  events = std::move(plan.events());
  return {};
}

void WorkCalls::EndStaging(bool committed) {
  if (first_) first_->EndStaging(committed);
  for (const auto& space : others_) space->EndStaging(committed);
}

void WorkCalls::Release() {
  latches_.reset();
  latch_ = {};
  shared_latch_ = {};
  gates_.clear();
  only_gate_ = {};
  frozen_.reset();
  state_.reset();
}

}  // namespace mayfly::core
