#include "tests/core/model_transaction.h"

#include <algorithm>
#include <tuple>

namespace mayfly::core::suite {
namespace {

// The living row, or nothing.
std::optional<ModelRow> Find(const ModelRows* rows, const std::string& key, WallTime now) {
  if (rows == nullptr) return std::nullopt;
  const auto found = rows->find(key);
  if (found == rows->end() || !IsAlive(found->second, now)) return std::nullopt;
  return found->second;
}

const ModelState& StateOf(const Model::StatesById& all, std::uint32_t id) {
  static const ModelState kNone;
  const auto found = all.find(id);
  return found == all.end() ? kNone : found->second;
}

// The timestamp of the newest write, as long as it matters: the row lives, or a write that it holds
// back may still come.
std::optional<WallTime> LastWord(const ModelState& state, const KeyspacePolicy& policy,
                                 const std::string& key, WallTime now) {
  const auto newest = NewestOf(state.past, key);
  if (!newest || !policy.late_max || Find(&state.stored, key, now)) return newest;
  return *newest + std::max(*policy.late_max, policy.history) > now ? newest : std::nullopt;
}

}  // namespace

ModelDraft ModelTransaction::Pending::draft() const {
  ModelDraft draft{present ? ModelDraft::Kind::kPut : ModelDraft::Kind::kDelete, value, asked};
  (own_timestamp ? draft.timestamp : draft.not_before) = timestamp;
  draft.same_timestamp = same_timestamp;
  draft.ttl_from_now = ttl_from_commit;
  return draft;
}

ModelRows ModelTransaction::View(std::uint32_t id) const {
  ModelRows view = Living(StateOf(then_, id).stored, now_);
  for (const auto& [at, pending] : overlay_) {
    if (at.first != id) continue;
    view.erase(at.second);
    if (pending.present && IsAlive(pending.row(), now_)) view[at.second] = pending.row();
  }
  return view;
}

const ModelPast& ModelTransaction::Past(std::uint32_t id) const { return StateOf(then_, id).past; }

WriteAnswer ModelTransaction::Write(const ModelKeyspace& keyspace, const WriteCall& call) {
  Use(keyspace.id);
  const KeyOfAll at(keyspace.id, call.key);
  const auto own = overlay_.find(at);
  std::optional<ModelRow> living = Find(&StateOf(then_, keyspace.id).stored, call.key, now_);
  auto newest = NewestOf(Past(keyspace.id), call.key);
  const Asked* pending = nullptr;
  if (own != overlay_.end()) {
    const bool alive = own->second.present && IsAlive(own->second.row(), now_);
    living = alive ? std::optional(own->second.row()) : std::nullopt;
    // A ttl that counts from a timestamp has become a deadline already.
    const bool settled = own->second.own_timestamp && !own->second.ttl_from_commit;
    if (alive && !settled) pending = &own->second.asked;
    newest = own->second.timestamp;
  }
  const Decision decision =
      Decide(call, keyspace.policy, living ? &*living : nullptr, pending, newest, now_);
  // Keeping a deadline is no change of it, and timestamps are not for every keyspace: refused
  // before the row is read.
  const bool keeps =
      (call.kind == WriteCall::Kind::kExpire || call.kind == WriteCall::Kind::kTouch) &&
      call.lifetime.kind() == Lifetime::Kind::kKeep;
  const bool stamped =
      call.kind == WriteCall::Kind::kPutAt || call.kind == WriteCall::Kind::kDeleteAt;
  if (!keeps && (!stamped || keyspace.by_timestamp())) Touch(keyspace.id, call.key);
  if (decision.draft.kind != ModelDraft::Kind::kNothing) {
    Keep(at, decision.draft, newest, keyspace.by_timestamp());
  }
  return decision.answer;
}

// A pending write with a timestamp of its own that is overtaken becomes part of the past.
void ModelTransaction::Keep(const KeyOfAll& at, const ModelDraft& draft,
                            std::optional<WallTime> newest, bool by_timestamp) {
  const auto own = overlay_.find(at);
  Pending pending{.present = draft.kind == ModelDraft::Kind::kPut,
                  .value = draft.value,
                  .asked = draft.asked,
                  .deadline = {},
                  .own_timestamp = draft.timestamp.has_value(),
                  .same_timestamp = draft.same_timestamp,
                  .ttl_from_commit = draft.ttl_from_now};
  if (pending.present) pending.deadline = *DeadlineOf(draft.asked, draft.TtlFrom(now_));
  if (!by_timestamp) {
    overlay_[at] = pending;
    return;
  }
  pending.timestamp = draft.timestamp ? *draft.timestamp : std::max(now_, newest.value_or(now_));
  if (draft.same_timestamp) {
    pending.timestamp = newest;
    if (own != overlay_.end()) {
      pending.own_timestamp = own->second.own_timestamp;
      pending.same_timestamp = own->second.same_timestamp;
    }
  }
  if (draft.timestamp && newest && *draft.timestamp < *newest) {
    late_[{at, *draft.timestamp}] = pending;
    return;
  }
  if (own != overlay_.end() && own->second.own_timestamp && !draft.same_timestamp &&
      *own->second.timestamp <= *pending.timestamp) {
    late_[{at, *own->second.timestamp}] = own->second;
  }
  overlay_[at] = pending;
}

StatusCode ModelTransaction::RollbackToSavepoint() {
  if (savepoints_.empty()) return StatusCode::kInvalid;
  std::tie(overlay_, late_) = savepoints_.back();
  savepoints_.pop_back();
  return StatusCode::kOk;
}

bool ModelTransaction::IsChanged(const Model& model, const KeyOfAll& at) const {
  const ModelKeyspace& present = model.keyspaces.at(*model.NameOf(at.first));
  const ModelState& then = StateOf(then_, at.first);
  return Find(&then.stored, at.second, model.now) != Find(&present.stored, at.second, model.now) ||
         LastWord(then, present.policy, at.second, model.now) !=
             LastWord(present, present.policy, at.second, model.now);
}

// The write takes effect at the commit, and may be too late by then.
bool ModelTransaction::IsBad(const Model& model, const KeyOfAll& at, const Pending& pending) const {
  const ModelKeyspace& keyspace = model.keyspaces.at(*model.NameOf(at.first));
  if (pending.own_timestamp && !IsGoodTimestamp(*pending.timestamp, keyspace.policy, model.now)) {
    return true;
  }
  return pending.present && !DeadlineOf(pending.asked, pending.draft().TtlFrom(model.now));
}

StatusCode ModelTransaction::Commit(Model& model) const {
  if (overlay_.empty() && late_.empty()) return StatusCode::kOk;
  for (const std::uint32_t id : used_) {
    if (model.NameOf(id) == nullptr) return StatusCode::kInvalid;
  }
  std::set<KeyOfAll> watched = touched_;
  for (const auto& [at, pending] : overlay_) watched.insert(at);
  for (const KeyOfAll& at : watched) {
    if (!IsChanged(model, at)) continue;
    ++model.statistics.conflicts;
    return StatusCode::kConflict;
  }
  for (const auto& [at, pending] : overlay_) {
    if (IsBad(model, at, pending)) return StatusCode::kInvalid;
  }
  for (const auto& [at, pending] : late_) {
    if (IsBad(model, at.first, pending)) return StatusCode::kInvalid;
  }
  for (const auto& [at, pending] : overlay_) {
    model.Apply(*model.NameOf(at.first), at.second, pending.draft());
  }
  for (const auto& [at, pending] : late_) {
    const auto& [key, timestamp] = at;
    const std::string& name = *model.NameOf(key.first);
    // Overtaken by a write of this transaction at the same timestamp: never visible.
    const bool replaced = NewestOf(model.keyspaces.at(name).past, key.second) == timestamp;
    if (!replaced) model.Apply(name, key.second, pending.draft());
  }
  return StatusCode::kOk;
}

}  // namespace mayfly::core::suite
