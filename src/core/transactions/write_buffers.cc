#include "core/transactions/write_buffers.h"

#include <algorithm>

#include "core/transactions/keyspace_impl.h"

namespace mayfly::core {

WriteBuffers::~WriteBuffers() {
  if (lent_ == nullptr) return;
  if (first_) first_->LeaveMemory(*lent_);
  for (const auto& space : others_) space->LeaveMemory(*lent_);
  changed_.clear();
  std::swap(changed_, lent_->changed);
}

WriteBuffer& WriteBuffers::In(const Keyspace& keyspace) {
  if (first_ && first_->keyspace() == &keyspace) [[likely]]
    return *first_;
  return In(KeyspaceImpl::Of(keyspace, store_).state(), &keyspace);
}

WriteBuffer& WriteBuffers::In(KeyspaceState& state, const Keyspace* keyspace) {
  if (!first_) return first_.emplace(*this, store_, state, keyspace);
  if (&first_->state() == &state) return *first_;
  for (const auto& space : others_) {
    if (&space->state() == &state) return *space;
  }
  return *others_.emplace_back(std::make_unique<WriteBuffer>(*this, store_, state, keyspace));
}

WriteBuffers::Mark WriteBuffers::SetMark() {
  ++epoch_;
  marks_.push_back({undos_.size(), changed_.size()});
  return marks_.size() - 1;
}

void WriteBuffers::RollBack(Mark mark) {
  ++epoch_;
  const Point& point = marks_.at(mark);
  while (undos_.size() > point.undos) {
    TakeBack(undos_.back());
    undos_.pop_back();
  }
  changed_.erase(changed_.begin() + static_cast<std::ptrdiff_t>(point.changed), changed_.end());
  marks_.resize(mark + 1);
}

void WriteBuffers::Release(Mark mark) {
  marks_.resize(mark);
  if (marks_.empty()) undos_.clear();
}

void WriteBuffers::TakeBack(Undo& undo) {
  if (auto* const row = std::get_if<RowUndo>(&undo.before)) {
    undo.space->SetDraft(*row->row, row->before, std::move(row->value));
  } else if (auto* const late = std::get_if<LateUndo>(&undo.before)) {
    undo.space->SetLateDraft(late->key, late->timestamp, std::move(late->before));
  } else if (auto* const part = std::get_if<PartUndo>(&undo.before)) {
    part->part->draft = std::move(part->before);
  } else {
    ClearUndo& clear = *std::get<LargeUndo>(undo.before);
    undo.space->TakeBackClear(std::move(clear.before));
    changed_ = std::move(clear.changed);
  }
}

void WriteBuffers::Save(WriteBuffer& space, BufferedRows::value_type& row) {
  if (marks_.empty()) return;
  const RowDraft& draft = row.second.draft;
  AddUndo(space, RowUndo{&row, draft, draft.value});
}

void WriteBuffers::Save(WriteBuffer& space, Bytes key, WallTime late,
                        std::optional<RowDraft> before) {
  if (marks_.empty()) return;
  AddUndo(space, LateUndo{std::string(key), late, std::move(before)});
}

void WriteBuffers::Save(WriteBuffer& space, BufferedMember& part) {
  if (!marks_.empty()) AddUndo(space, PartUndo{&part, part.draft});
}

void WriteBuffers::SaveClear(WriteBuffer& space, WriteBuffer::Cleared before) {
  std::vector<ChangedKey> kept;
  for (const ChangedKey& changed : changed_) {
    if (changed.keyspace != space.keyspace()) kept.push_back(changed);
  }
  std::swap(kept, changed_);
  if (marks_.empty()) return;
  AddUndo(space, std::make_unique<ClearUndo>(ClearUndo{std::move(before), std::move(kept)}));
}

bool WriteBuffers::HasDrafts() const {
  return (first_ && first_->HasDrafts()) ||
         std::any_of(others_.begin(), others_.end(),
                     [](const auto& space) { return space->HasDrafts(); });
}

// By keyspace, so that events come in an order that does not depend on who was asked first.
Status WriteBuffers::Plan(CommitPlan& plan) {
  if (others_.empty()) [[likely]]
    return first_ ? first_->Plan(plan) : Status();
  std::vector<WriteBuffer*> spaces = {&*first_};
  for (const auto& space : others_) spaces.push_back(space.get());
  std::sort(spaces.begin(), spaces.end(), [](const WriteBuffer* a, const WriteBuffer* b) {
    return a->state().id() < b->state().id();
  });
  for (WriteBuffer* const space : spaces) MAYFLY_RETURN_IF_ERROR(space->Plan(plan));
  return {};
}

void WriteBuffers::EndStaging(bool committed) {
  if (first_) first_->EndStaging(committed);
  for (const auto& space : others_) space->EndStaging(committed);
}

Status WriteBuffers::Rebase(RowSource& present, WallTime now) {
  rows_ = &present;
  now_ = now;
  if (first_) MAYFLY_RETURN_IF_ERROR(first_->Rebase());
  for (const auto& space : others_) MAYFLY_RETURN_IF_ERROR(space->Rebase());
  return {};
}

void WriteBuffers::Discard(RowSource& rows) {
  rows_ = &rows;
  if (first_) first_->Discard();
  for (const auto& space : others_) space->Discard();
  undos_.clear();
  marks_.clear();
  changed_.clear();
}

}  // namespace mayfly::core
