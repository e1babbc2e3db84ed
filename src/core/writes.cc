#include "core/writes.h"

namespace mayfly::core {
namespace {

bool Holds(const PutCondition& condition, const RowView* row) {
  switch (condition.kind()) {
    case PutCondition::Kind::kAlways: return true;
    case PutCondition::Kind::kAbsent: return row == nullptr;
    case PutCondition::Kind::kPresent: return row != nullptr;
    case PutCondition::Kind::kEquals: return row != nullptr && row->payload == condition.expected();
  }
  return false;
}

// Nothing dies later than a row without a deadline.
bool Holds(DeadlineIf condition, const RowView& row, const std::optional<WallTime>& fresh) {
  switch (condition) {
    case DeadlineIf::kAlways: return true;
    case DeadlineIf::kNone: return !row.deadline;
    case DeadlineIf::kPresent: return row.deadline.has_value();
    case DeadlineIf::kLater: return row.deadline && (!fresh || *fresh > *row.deadline);
    case DeadlineIf::kEarlier: return fresh && (!row.deadline || *fresh < *row.deadline);
  }
  return false;
}

std::optional<std::optional<WallTime>> DeadlineOf(const RowView* row) {
  if (row == nullptr) return std::nullopt;
  return row->deadline;
}

Status KeepIsNoChange() {
  return Status::Invalid("keeping the deadline is no change of it; name another lifetime");
}

}  // namespace

Result<bool> WriteIf(const WriteRule& rule, Apply apply, Bytes key, Bytes value,
                     const PutCondition& condition, Lifetime lifetime) {
  bool written = false;
  MAYFLY_RETURN_IF_ERROR(apply(key, [&](const RowView* row, WallTime now) -> Result<Change> {
    // A bad lifetime is refused whether or not the condition holds.
    MAYFLY_TRY(const Span span, rule.rule.Apply(lifetime, key, DeadlineOf(row), now));
    written = Holds(condition, row);
    return written ? Change::Put(value, span) : Change::Nothing();
  }));
  return written;
}

Result<bool> DeleteRow(Apply apply, Bytes key) {
  bool was_there = false;
  MAYFLY_RETURN_IF_ERROR(apply(key, [&](const RowView* row, WallTime) -> Result<Change> {
    was_there = row != nullptr;
    return Change::Delete();
  }));
  return was_there;
}

Status UpdateRow(const WriteRule& rule, Apply apply, Bytes key,
                 const KeyspaceWriter::UpdateFunction& update, Lifetime lifetime) {
  std::optional<std::string> fresh;
  return apply(key, [&](const RowView* row, WallTime now) -> Result<Change> {
    MAYFLY_TRY(const Span span, rule.rule.Apply(lifetime, key, DeadlineOf(row), now));
    fresh = update(row != nullptr ? std::optional(row->payload) : std::nullopt);
    if (fresh) return Change::Put(*fresh, span);
    return row != nullptr ? Change::Delete() : Change::Nothing();
  });
}

Result<bool> ExpireRow(const WriteRule& rule, Apply apply, Bytes key, Lifetime lifetime,
                       DeadlineIf condition) {
  if (lifetime.kind() == Lifetime::Kind::kKeep) return KeepIsNoChange();
  bool changed = false;
  MAYFLY_RETURN_IF_ERROR(apply(key, [&](const RowView* row, WallTime now) -> Result<Change> {
    MAYFLY_TRY(const Span span, rule.rule.Apply(lifetime, key, DeadlineOf(row), now));
    if (row == nullptr) return Status::NotFound();
    MAYFLY_TRY(const auto deadline, core::DeadlineOf(span, now));
    changed = Holds(condition, *row, deadline);
    return changed ? Change::Put(row->payload, span) : Change::Nothing();
  }));
  return changed;
}

Result<Row> TouchRow(const WriteRule& rule, Apply apply, Bytes key, Lifetime lifetime) {
  if (lifetime.kind() == Lifetime::Kind::kKeep) return KeepIsNoChange();
  Row touched;
  MAYFLY_RETURN_IF_ERROR(apply(key, [&](const RowView* row, WallTime now) -> Result<Change> {
    MAYFLY_TRY(const Span span, rule.rule.Apply(lifetime, key, DeadlineOf(row), now));
    if (row == nullptr) return Status::NotFound();
    MAYFLY_TRY(touched.deadline, core::DeadlineOf(span, now));
    touched.value = row->payload;
    return Change::Put(row->payload, span);
  }));
  return touched;
}

}  // namespace mayfly::core
