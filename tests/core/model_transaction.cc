#include "tests/core/model_transaction.h"

namespace mayfly::core::suite {
namespace {

// The living row, or nothing.
std::optional<ModelRow> Find(const ModelRows* rows, const std::string& key, WallTime now) {
  if (rows == nullptr) return std::nullopt;
  const auto found = rows->find(key);
  if (found == rows->end() || !IsAlive(found->second, now)) return std::nullopt;
  return found->second;
}

const ModelRows* RowsOf(const Model::RowsById& all, std::uint32_t id) {
  const auto found = all.find(id);
  return found == all.end() ? nullptr : &found->second;
}

}  // namespace

ModelRows ModelTransaction::View(std::uint32_t id) const {
  const ModelRows* const stored = RowsOf(then_, id);
  ModelRows view = stored != nullptr ? Living(*stored, now_) : ModelRows();
  for (const auto& [at, pending] : overlay_) {
    if (at.first != id) continue;
    const ModelRow row{pending.value, pending.deadline};
    view.erase(at.second);
    if (pending.present && IsAlive(row, now_)) view[at.second] = row;
  }
  return view;
}

WriteAnswer ModelTransaction::Write(const ModelKeyspace& keyspace, const WriteCall& call) {
  Use(keyspace.id);
  const KeyOfAll at(keyspace.id, call.key);
  const auto own = overlay_.find(at);
  std::optional<ModelRow> living = Find(RowsOf(then_, keyspace.id), call.key, now_);
  const Asked* pending = nullptr;
  if (own != overlay_.end()) {
    const ModelRow row{own->second.value, own->second.deadline};
    const bool alive = own->second.present && IsAlive(row, now_);
    living = alive ? std::optional(row) : std::nullopt;
    if (alive) pending = &own->second.asked;
  }
  const Decision decision =
      Decide(call, keyspace.policy, living ? &*living : nullptr, pending, now_);
  // Keeping a deadline is no change of it, and refused before the row is looked at.
  const bool refused =
      (call.kind == WriteCall::Kind::kExpire || call.kind == WriteCall::Kind::kTouch) &&
      call.lifetime.kind() == Lifetime::Kind::kKeep;
  if (!refused) Touch(keyspace.id, call.key);
  switch (decision.fate.kind) {
    case Fate::Kind::kNothing: break;
    case Fate::Kind::kDelete: overlay_[at] = {}; break;
    case Fate::Kind::kPut:
      overlay_[at] = {true, decision.fate.value, decision.fate.asked,
                      *DeadlineOf(decision.fate.asked, now_)};
      break;
  }
  return decision.answer;
}

StatusCode ModelTransaction::RollbackToSavepoint() {
  if (savepoints_.empty()) return StatusCode::kInvalid;
  overlay_ = savepoints_.back();
  savepoints_.pop_back();
  return StatusCode::kOk;
}

bool ModelTransaction::IsChanged(const Model& model, const KeyOfAll& at) const {
  const ModelRows& present = model.keyspaces.at(*model.NameOf(at.first)).stored;
  return Find(RowsOf(then_, at.first), at.second, model.now) !=
         Find(&present, at.second, model.now);
}

StatusCode ModelTransaction::Commit(Model& model) const {
  if (overlay_.empty()) return StatusCode::kOk;
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
    if (pending.present && !DeadlineOf(pending.asked, model.now)) return StatusCode::kInvalid;
  }
  for (const auto& [at, pending] : overlay_) {
    model.Apply(
        *model.NameOf(at.first), at.second,
        {pending.present ? Fate::Kind::kPut : Fate::Kind::kDelete, pending.value, pending.asked});
  }
  return StatusCode::kOk;
}

}  // namespace mayfly::core::suite
