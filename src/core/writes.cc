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

Status CheckByTimestamp(const WriteRule& rule) {
  if (rule.policy->order == RowOrder::kTimestamp) return {};
  return Status::Invalid(
      "the keyspace orders its rows by arrival; timestamps are for one made with "
      "RowOrder::kTimestamp");
}

bool IsLast(WallTime timestamp, const Known& known) {
  return !known.newest || timestamp >= *known.newest;
}

}  // namespace

Result<bool> WriteIf(const WriteRule& rule, Apply apply, Bytes key, Bytes value,
                     const PutCondition& condition, Lifetime lifetime) {
  bool written = false;
  MAYFLY_RETURN_IF_ERROR(apply(key, [&](const Known& known) -> Result<Change> {
    // A bad lifetime is refused whether or not the condition holds.
    MAYFLY_TRY(const Span span, rule.rule.Apply(lifetime, key, DeadlineOf(known.row), known.now));
    written = Holds(condition, known.row);
    return written ? Change::Put(value, span) : Change::Nothing();
  }));
  return written;
}

Result<bool> DeleteRow(Apply apply, Bytes key) {
  bool was_there = false;
  MAYFLY_RETURN_IF_ERROR(apply(key, [&](const Known& known) -> Result<Change> {
    was_there = known.row != nullptr;
    return Change::Delete();
  }));
  return was_there;
}

Result<bool> WriteAt(const WriteRule& rule, Apply apply, Bytes key, Bytes value, WallTime timestamp,
                     Lifetime lifetime) {
  MAYFLY_RETURN_IF_ERROR(CheckByTimestamp(rule));
  bool last = false;
  MAYFLY_RETURN_IF_ERROR(apply(key, [&](const Known& known) -> Result<Change> {
    MAYFLY_RETURN_IF_ERROR(CheckTimestamp(timestamp, rule.rule, known.now));
    MAYFLY_TRY(const Span span, rule.rule.Apply(lifetime, key, DeadlineOf(known.row), known.now));
    last = IsLast(timestamp, known);
    return Change::Put(value, span).At(timestamp);
  }));
  return last;
}

Result<bool> DeleteAt(const WriteRule& rule, Apply apply, Bytes key, WallTime timestamp) {
  MAYFLY_RETURN_IF_ERROR(CheckByTimestamp(rule));
  bool last = false;
  MAYFLY_RETURN_IF_ERROR(apply(key, [&](const Known& known) -> Result<Change> {
    MAYFLY_RETURN_IF_ERROR(CheckTimestamp(timestamp, rule.rule, known.now));
    last = IsLast(timestamp, known);
    return Change::Delete().At(timestamp);
  }));
  return last;
}

Status UpdateRow(const WriteRule& rule, Apply apply, Bytes key,
                 const KeyspaceWriter::UpdateFunction& update, Lifetime lifetime) {
  std::optional<std::string> fresh;
  return apply(key, [&](const Known& known) -> Result<Change> {
    MAYFLY_TRY(const Span span, rule.rule.Apply(lifetime, key, DeadlineOf(known.row), known.now));
    fresh = update(known.row != nullptr ? std::optional(known.row->payload) : std::nullopt);
    if (fresh) return Change::Put(*fresh, span);
    return known.row != nullptr ? Change::Delete() : Change::Nothing();
  });
}

Result<bool> ExpireRow(const WriteRule& rule, Apply apply, Bytes key, Lifetime lifetime,
                       DeadlineIf condition) {
  if (lifetime.kind() == Lifetime::Kind::kKeep) return KeepIsNoChange();
  bool changed = false;
  MAYFLY_RETURN_IF_ERROR(apply(key, [&](const Known& known) -> Result<Change> {
    MAYFLY_TRY(const Span span, rule.rule.Apply(lifetime, key, DeadlineOf(known.row), known.now));
    if (known.row == nullptr) return Status::NotFound();
    MAYFLY_TRY(const auto deadline, core::DeadlineOf(span, known.now));
    changed = Holds(condition, *known.row, deadline);
    return changed ? Change::Put(known.row->payload, span).AtTheSame() : Change::Nothing();
  }));
  return changed;
}

Result<Row> TouchRow(const WriteRule& rule, Apply apply, Bytes key, Lifetime lifetime) {
  if (lifetime.kind() == Lifetime::Kind::kKeep) return KeepIsNoChange();
  Row touched;
  MAYFLY_RETURN_IF_ERROR(apply(key, [&](const Known& known) -> Result<Change> {
    MAYFLY_TRY(const Span span, rule.rule.Apply(lifetime, key, DeadlineOf(known.row), known.now));
    if (known.row == nullptr) return Status::NotFound();
    MAYFLY_TRY(touched.deadline, core::DeadlineOf(span, known.now));
    touched.value = known.row->payload;
    touched.timestamp = known.row->timestamp;
    return Change::Put(known.row->payload, span).AtTheSame();
  }));
  return touched;
}

}  // namespace mayfly::core
