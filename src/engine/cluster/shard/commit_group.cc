#include "engine/cluster/shard/commit_group.h"

#include <algorithm>

#include "engine/cluster/shard/limits.h"

namespace mayfly::engine::cluster {

bool CommitGroup::HasRoomFor(const Batch& batch) const {
  return batches_ == 0 || (bytes_ + batch.bytes() <= kGroupBytesMax &&
                           changes_ + batch.change_count() <= kGroupChangesMax);
}

Result<CommitGroup::Added> CommitGroup::Add(const Batch& batch) {
  for (std::size_t i = 0; i < batch.condition_count(); ++i) {
    MAYFLY_TRY(const bool holds, Holds(batch.condition(i)));
    if (!holds) return Added{.done = false, .broken = i};
  }
  for (std::size_t i = 0; i < batch.change_count(); ++i) {
    const Batch::Change change = batch.change(i);
    switch (change.kind) {
      case Batch::Kind::kPut:
        pending_[RowKey(Normal(change.at), change.key)] = {.at = Normal(change.at),
                                                           .value = change.value};
        break;
      case Batch::Kind::kDelete: MAYFLY_RETURN_IF_ERROR(AddDelete(change.at, change.key)); break;
      case Batch::Kind::kDeleteRange: MAYFLY_RETURN_IF_ERROR(AddRange(change)); break;
    }
  }
  ++batches_;
  bytes_ += batch.bytes();
  changes_ += batch.change_count();
  return Added{};
}

Result<bool> CommitGroup::Holds(const Batch::Condition& condition) const {
  const auto place = pending_.find(RowKey(Normal(condition.at), condition.key));
  if (place != pending_.end()) return place->second.value == condition.expected;
  PinnedBytes value;
  const Engine* const engine = state_.Find(condition.at.slot);
  const Status status = engine == nullptr ? Status::NotFound()
                                          : engine->Get(Normal(condition.at), condition.key, value);
  if (status.IsNotFound()) return !condition.expected.has_value();
  if (!status.ok()) return status;
  return condition.expected == value.view();
}

Result<bool> CommitGroup::Exists(Address at, Bytes key) const {
  PinnedBytes value;
  const Engine* const engine = state_.Find(at.slot);
  if (engine == nullptr) return false;
  const Status status = engine->Get(Normal(at), key, value);
  if (!status.ok() && !status.IsNotFound()) return status;
  return status.ok();
}

// A key that no row has needs no removal. What the group puts is removed from the group.
Status CommitGroup::AddDelete(Address at, Bytes key) {
  std::string row = RowKey(Normal(at), key);
  MAYFLY_TRY(const bool exists, Exists(at, key));
  if (exists) {
    pending_[std::move(row)] = {.at = Normal(at)};
  } else {
    pending_.erase(row);
  }
  return {};
}

Status CommitGroup::AddRange(const Batch::Change& change) {
  const Bytes begin = change.key;
  const Bytes end = change.value;
  if (begin == end) return {};
  const auto first = pending_.lower_bound(RowKey(Normal(change.at), begin));
  const auto last = pending_.lower_bound(RowKey(Normal(change.at), end));
  pending_.erase(first, last);
  const Engine* const engine = state_.Find(change.at.slot);
  if (engine == nullptr) return {};
  MAYFLY_TRY(const auto cursor,
             engine->NewCursor(Normal(change.at), {.range = {.begin = begin, .end = end}}));
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
    pending_[RowKey(Normal(change.at), cursor->key())] = {.at = Normal(change.at)};
  }
  return cursor->status();
}

std::vector<CommitGroup::NewLarge> CommitGroup::AssignLarge() {
  std::vector<NewLarge> news;
  for (auto& [row, pending] : pending_) {
    if (!pending.value || pending.value->size() <= kLargeValueBytes) continue;
    pending.large = large_.New(pending.value->size());
    news.push_back({*pending.large, *pending.value});
  }
  return news;
}

MapWrite CommitGroup::ToWrite() const {
  MapWrite write;
  for (const auto& [row, pending] : pending_) {
    if (!pending.value) {
      write.removals.push_back(row);
    } else {
      write.sets.emplace_back(
          row, pending.large ? EncodeLarge(*pending.large) : EncodeInline(*pending.value));
    }
  }
  return write;
}

std::vector<KeyChange> CommitGroup::changes() const {
  std::vector<KeyChange> changes;
  changes.reserve(pending_.size());
  for (const auto& [row, pending] : pending_) {
    const Bytes key = Bytes(row).substr(RowKey(pending.at, {}).size());
    changes.push_back({.at = pending.at, .key = key, .value = pending.value});
  }
  std::stable_sort(changes.begin(), changes.end(),
                   [](const KeyChange& a, const KeyChange& b) { return a.at.slot < b.at.slot; });
  return changes;
}

std::vector<LargeValue> CommitGroup::SettleLarge() {
  std::vector<LargeValue> dropped;
  for (const auto& [row, pending] : pending_) {
    if (const LargeValue* const former = large_.Find(row)) {
      dropped.push_back(*former);
      large_.Erase(row);
    }
    if (pending.large) large_.Set(row, *pending.large);
  }
  return dropped;
}

}  // namespace mayfly::engine::cluster
