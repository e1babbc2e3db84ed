#include "core/transactions/writes.h"

#include "core/reads/reads.h"

namespace mayfly::core {
namespace {

Result<bool> Holds(const PutCondition& condition, const RowView* row) {
  switch (condition.kind()) {
    case PutCondition::Kind::kAlways: return true;
    case PutCondition::Kind::kAbsent: return row == nullptr;
    case PutCondition::Kind::kPresent: return row != nullptr;
    case PutCondition::Kind::kEquals:
      if (row != nullptr && row->collection_id) return CollectionHasNoValue();
      return row != nullptr && row->payload == condition.expected();
  }
  return false;
}

// A row without a deadline counts as dying last.
bool Holds(DeadlineIf condition, const std::optional<WallTime>& old,
           const std::optional<WallTime>& fresh) {
  switch (condition) {
    case DeadlineIf::kAlways: return true;
    case DeadlineIf::kNone: return !old;
    case DeadlineIf::kPresent: return old.has_value();
    case DeadlineIf::kLater: return old && (!fresh || *fresh > *old);
    case DeadlineIf::kEarlier: return fresh && (!old || *fresh < *old);
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

Status CheckByTimestamp(const LifetimeRule& rule) {
  if (rule.policy.order == RowOrder::kTimestamp) return {};
  return Status::Invalid(
      "the keyspace orders its rows by arrival; timestamps are for one made with "
      "RowOrder::kTimestamp");
}

bool IsLast(WallTime timestamp, const Known& known) {
  return !known.newest || timestamp >= *known.newest;
}

}  // namespace

Result<bool> WriteIf(WriteTarget& target, Bytes key, Bytes value, const PutCondition& condition,
                     Lifetime lifetime) {
  const WriteRule rule = target.Rule();
  bool written = false;
  MAYFLY_RETURN_IF_ERROR(target.Apply(key, [&](const Known& known) -> Result<Change> {
    // A bad lifetime is refused whether or not the condition holds.
    MAYFLY_TRY(const Span span, rule->Apply(lifetime, key, DeadlineOf(known.row), known.now));
    MAYFLY_TRY(written, Holds(condition, known.row));
    return written ? Change::Put(value, span) : Change::Nothing();
  }));
  return written;
}

Result<bool> DeleteRow(WriteTarget& target, Bytes key) {
  bool was_there = false;
  MAYFLY_RETURN_IF_ERROR(target.Apply(key, [&](const Known& known) -> Result<Change> {
    was_there = known.row != nullptr;
    return Change::Delete();
  }));
  return was_there;
}

Result<bool> EvictRow(WriteTarget& target, Bytes key) {
  bool was_there = false;
  MAYFLY_RETURN_IF_ERROR(target.Apply(key, [&](const Known& known) -> Result<Change> {
    was_there = known.row != nullptr;
    return was_there ? Change::Evict() : Change::Nothing();
  }));
  return was_there;
}

Result<bool> WriteAt(WriteTarget& target, Bytes key, Bytes value, WallTime timestamp,
                     Lifetime lifetime) {
  const WriteRule rule = target.Rule();
  MAYFLY_RETURN_IF_ERROR(CheckByTimestamp(*rule));
  bool last = false;
  MAYFLY_RETURN_IF_ERROR(target.Apply(key, [&](const Known& known) -> Result<Change> {
    MAYFLY_RETURN_IF_ERROR(CheckTimestamp(timestamp, *rule, known.now));
    MAYFLY_TRY(const Span span, rule->Apply(lifetime, key, DeadlineOf(known.row), known.now));
    last = IsLast(timestamp, known);
    return Change::Put(value, span).At(timestamp);
  }));
  return last;
}

Result<bool> DeleteAt(WriteTarget& target, Bytes key, WallTime timestamp) {
  const WriteRule rule = target.Rule();
  MAYFLY_RETURN_IF_ERROR(CheckByTimestamp(*rule));
  bool last = false;
  MAYFLY_RETURN_IF_ERROR(target.Apply(key, [&](const Known& known) -> Result<Change> {
    MAYFLY_RETURN_IF_ERROR(CheckTimestamp(timestamp, *rule, known.now));
    last = IsLast(timestamp, known);
    return Change::Delete().At(timestamp);
  }));
  return last;
}

Status UpdateRow(WriteTarget& target, Bytes key, const KeyspaceWriter::UpdateFunction& update,
                 Lifetime lifetime) {
  const WriteRule rule = target.Rule();
  std::optional<std::string> fresh;
  return target.Apply(key, [&](const Known& known) -> Result<Change> {
    MAYFLY_TRY(const Span span, rule->Apply(lifetime, key, DeadlineOf(known.row), known.now));
    if (known.row != nullptr && known.row->collection_id) return CollectionHasNoValue();
    fresh = update(known.row != nullptr ? std::optional(known.row->payload) : std::nullopt);
    if (fresh) return Change::Put(*fresh, span);
    return known.row != nullptr ? Change::Delete() : Change::Nothing();
  });
}

Result<bool> ExpireRow(WriteTarget& target, Bytes key, Lifetime lifetime, DeadlineIf condition) {
  const WriteRule rule = target.Rule();
  if (lifetime.kind() == Lifetime::Kind::kKeep) return KeepIsNoChange();
  bool changed = false;
  MAYFLY_RETURN_IF_ERROR(target.Apply(key, [&](const Known& known) -> Result<Change> {
    MAYFLY_TRY(const Span span, rule->Apply(lifetime, key, DeadlineOf(known.row), known.now));
    if (known.row == nullptr) return Status::NotFound();
    MAYFLY_TRY(const auto deadline, core::DeadlineOf(span, known.now));
    changed = Holds(condition, *DeadlineOf(known.row), deadline);
    if (!changed) return Change::Nothing();
    const Change change = Change::Put(known.row->payload, span).AtTheSame();
    return known.row->collection_id ? change.OfCollection() : change;
  }));
  return changed;
}

Result<Row> TouchRow(WriteTarget& target, Bytes key, Lifetime lifetime) {
  const WriteRule rule = target.Rule();
  if (lifetime.kind() == Lifetime::Kind::kKeep) return KeepIsNoChange();
  Row touched;
  MAYFLY_RETURN_IF_ERROR(target.Apply(key, [&](const Known& known) -> Result<Change> {
    MAYFLY_TRY(const Span span, rule->Apply(lifetime, key, DeadlineOf(known.row), known.now));
    if (known.row == nullptr) return Status::NotFound();
    if (known.row->collection_id) return CollectionHasNoValue();
    MAYFLY_TRY(touched.deadline, core::DeadlineOf(span, known.now));
    touched.value = known.row->payload;
    touched.timestamp = known.row->timestamp;
    return Change::Put(known.row->payload, span).AtTheSame();
  }));
  return touched;
}

}  // namespace mayfly::core
