#include "engine/hot/replay.h"

#include "engine/hot/log/change_codec.h"

namespace mayfly::engine::hot {

Replay::Replay(HotRows& rows, bool wipe_freed) : rows_(rows), flags_(kDirty) {
  if (wipe_freed) flags_ |= kPromised;
  if (!rows.is_resident) flags_ |= kOverCold;
}

Status Replay::Apply(const LogRecord& record) {
  PublishBefore(record.sequence);
  touches_.clear();
  changes_.clear();
  const auto add = [&](const Batch::Change& change) {
    Add(change, record.sequence);
    return Status();
  };
  MAYFLY_RETURN_IF_ERROR(DecodePayload(record.payload, add, [](Bytes) { return Status(); }));
  if (!rows_.index.HasRoomFor(changes_.size(), record.payload.size())) {
    return Status::Busy("the log has more rows than the reserved memory; reserve more");
  }
  HotIndex::Commit commit(rows_.index, touches_);
  commit.Apply(record.sequence, changes_);
  commit.Publish(record.sequence);
  return {};
}

void Replay::PublishBefore(Sequence end) {
  for (Sequence next = rows_.index.visible() + 1; next < end; ++next) {
    HotIndex::Commit(rows_.index, {}).Publish(next);
  }
}

void Replay::Add(const Batch::Change& change, Sequence sequence) {
  const bool is_range = change.kind == Batch::Kind::kDeleteRange;
  if (is_range && change.key >= change.value) return;
  Flags flags = flags_;
  if (is_range) {
    flags = static_cast<Flags>((flags & ~kOverCold) | kNotInCold);
    rows_.ranges.Add(change.at.role, change.key, change.value, sequence);
  }
  touches_.push_back({.role = change.at.role, .key = change.key, .all = is_range});
  changes_.push_back({.kind = static_cast<HotChange::Kind>(change.kind),
                      .role = change.at.role,
                      .flags = flags,
                      .key = change.key,
                      .value = change.value});
}

}  // namespace mayfly::engine::hot
