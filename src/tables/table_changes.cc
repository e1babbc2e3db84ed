#include "tables/table_changes.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "tables/schema/table_check.h"
#include "tables/schema/table_figures.h"
#include "tables/schema/table_limits.h"
#include "tables/schema/table_names.h"

namespace mayfly::tables {
namespace {

// A label as DynamoDB's, unique within the table.
StoredStream NewStream(const StoredTable& table, StreamView view, WallTime now) {
  StoredStream stream{.label = {},
                      .view = view,
                      .enabled = true,
                      .created_at = now,
                      .record_ttl = RecordTtl(table.spec)};
  for (std::int64_t ms = ToMs(now);; ++ms) {
    const auto seconds = static_cast<std::time_t>(ms / 1000);
    stream.label = fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}", fmt::gmtime(seconds), ms % 1000);
    const auto taken = [&](const StoredStream& other) { return other.label == stream.label; };
    if (std::none_of(table.streams.begin(), table.streams.end(), taken)) return stream;
  }
}

}  // namespace

// The plan of a change.
struct TableChanges::Plan {
  StoredTable next;
  bool ttl_changes = false;
  bool rewrite = false;          // Items must be rewritten.
  bool nothing_pending = false;  // Any more: there are no items to rewrite.
  std::optional<std::string> stream_begins = std::nullopt;
  std::optional<std::string> stream_ends = std::nullopt;
  bool sweeps_begin = false;
  std::vector<std::string> make = {};  // Keyspaces that `next` names and that do not exist yet.
};

Status TableChanges::Create(const TableSpec& spec) {
  MAYFLY_RETURN_IF_ERROR(CheckTable(spec));
  StoredTable stored{.spec = spec, .id = NewTableId(), .created_at = database_.clock_report().now};
  if (!spec.ttl_attribute.empty()) stored.ttl_status = TtlStatus::kEnabled;
  const auto number = [&] { return stored.next_number++; };
  for (std::size_t i = 0; i < spec.global_indexes.size(); ++i) {
    stored.global_indexes.push_back({.number = number()});
  }
  for (std::size_t i = 0; i < spec.local_indexes.size(); ++i) {
    stored.local_indexes.push_back({.number = number()});
  }
  if (spec.ttl_mode == TtlMode::kUntilSwept) stored.shadows = number();
  if (spec.stream != StreamView::kOff) {
    stored.streams.push_back(NewStream(stored, spec.stream, stored.created_at));
  }
  // No event so far is about this table.
  const std::string place = EncodePlace(database_.LastEventSequence());
  const auto also = [&](Transaction& transaction) -> Status {
    KeyspaceWriter& rows = transaction.In(catalog_.rows());
    if (stored.shadows != 0) MAYFLY_RETURN_IF_ERROR(rows.Put(SweepPlaceRow(stored.id), place));
    for (const StoredStream& stream : stored.streams) {
      MAYFLY_RETURN_IF_ERROR(rows.Put(StreamPlaceRow(stored.id, stream.label), place));
    }
    return {};
  };
  return catalog_.Create(stored, also, [&](const Table& table) -> Status {
    return stored.streams.empty() ? Status() : streams_.Refresh(stored, table);
  });
}

Status TableChanges::PlanIndexes(const TableChange& change, Plan& plan) const {
  StoredTable& next = plan.next;
  auto& specs = next.spec.global_indexes;
  const auto find = [&](const std::string& name) {
    return std::find_if(specs.begin(), specs.end(),
                        [&](const IndexSpec& index) { return index.name == name; });
  };
  if (!change.drop_global_index.empty()) {
    const auto found = find(change.drop_global_index);
    if (found == specs.end()) {
      return Status::NotFound(fmt::format("Requested resource not found: Index: {} not found",
                                          change.drop_global_index));
    }
    next.global_indexes.erase(next.global_indexes.begin() + (found - specs.begin()));
    specs.erase(found);
  }
  if (!change.add_global_index) return {};
  if (find(change.add_global_index->name) != specs.end()) {
    return Status::Invalid("Attempting to create an index which already exists");
  }
  specs.push_back(*change.add_global_index);
  next.global_indexes.push_back({.status = IndexStatus::kCreating, .number = next.next_number++});
  plan.make.push_back(IndexKeyspace(next.label(), change.add_global_index->name,
                                    next.global_indexes.back().number));
  plan.rewrite = true;
  return {};
}

Status TableChanges::PlanTtl(const TableChange& change, Plan& plan) const {
  StoredTable& next = plan.next;
  if (change.ttl_attribute && *change.ttl_attribute != next.spec.ttl_attribute) {
    next.spec.ttl_attribute = *change.ttl_attribute;
    plan.ttl_changes = true;
  }
  if (change.ttl_mode && *change.ttl_mode != next.spec.ttl_mode) {
    next.spec.ttl_mode = *change.ttl_mode;
    next.shadows = 0;
    plan.ttl_changes = true;
    if (next.spec.ttl_mode == TtlMode::kUntilSwept) {
      next.shadows = next.next_number++;
      plan.make.push_back(ShadowsKeyspace(next.label(), next.shadows));
      plan.sweeps_begin = true;
    }
  }
  plan.rewrite = plan.rewrite || plan.ttl_changes;
  return {};
}

Status TableChanges::PlanStream(const TableChange& change, Plan& plan) const {
  StoredTable& next = plan.next;
  if (!change.stream || *change.stream == next.spec.stream) return {};
  if (*change.stream == StreamView::kOff) {
    next.streams.back().enabled = false;
    plan.stream_ends = next.streams.back().label;
  } else if (next.spec.stream != StreamView::kOff) {
    return Status::Invalid(
        fmt::format("Table already has an enabled stream: {}; end it first", next.spec.name));
  } else {
    next.streams.push_back(NewStream(next, *change.stream, database_.clock_report().now));
    plan.stream_begins = next.streams.back().label;
    plan.make.push_back(StreamKeyspace(next.label(), *plan.stream_begins));
  }
  next.spec.stream = *change.stream;
  return {};
}

void TableChanges::PlanPromise(const TableChange& change, Plan& plan) const {
  if (!change.purge_within) return;
  TableSpec& spec = plan.next.spec;
  spec.purge_within = *change.purge_within;
  if (*change.purge_within == Millis(0)) spec.purge_within = std::nullopt;
  for (StoredStream& stream : plan.next.streams) {
    stream.record_ttl = std::min(stream.record_ttl, RecordTtl(spec));
  }
}

// Without items there is nothing to rewrite, and all pending changes are done.
Status TableChanges::SetStatuses(const Table& table, Plan& plan) const {
  if (!plan.rewrite) return {};
  MAYFLY_TRY(const auto cursor, table.items->NewCursor());
  cursor->SeekToFirst();
  MAYFLY_RETURN_IF_ERROR(cursor->status());
  plan.rewrite = cursor->Valid();
  plan.nothing_pending = !plan.rewrite;
  const bool off = plan.next.spec.ttl_attribute.empty();
  if (plan.nothing_pending) {
    plan.next.ttl_status = off ? TtlStatus::kDisabled : TtlStatus::kEnabled;
    for (StoredIndex& index : plan.next.global_indexes) index.status = IndexStatus::kActive;
  } else if (plan.ttl_changes) {
    plan.next.ttl_status = off ? TtlStatus::kDisabling : TtlStatus::kEnabling;
  }
  return {};
}

Status TableChanges::Revise(const std::string& name, const TableDecision& decide) {
  MAYFLY_TRY(Catalog::Change changing, catalog_.BeginChange(name));
  MAYFLY_TRY(const TableChange change, decide(changing.stored().spec));
  Plan plan{.next = changing.stored()};
  PlanPromise(change, plan);
  MAYFLY_RETURN_IF_ERROR(PlanIndexes(change, plan));
  MAYFLY_RETURN_IF_ERROR(PlanTtl(change, plan));
  MAYFLY_RETURN_IF_ERROR(PlanStream(change, plan));
  if (change.schemas) plan.next.spec.schemas = *change.schemas;
  if (change.notes) plan.next.spec.notes = *change.notes;
  MAYFLY_RETURN_IF_ERROR(CheckTable(plan.next.spec));
  MAYFLY_RETURN_IF_ERROR(SetStatuses(changing.table(), plan));
  return Apply(changing, plan);
}

Status TableChanges::Apply(Catalog::Change& change, Plan& plan) {
  const Table& table = change.table();
  const std::shared_ptr<Keyspace> items = table.items;
  const std::string id = table.id;
  if (plan.stream_begins || plan.stream_ends) {
    // A row dead by now died before a stream begins, and is recorded before it ends.
    MAYFLY_RETURN_IF_ERROR(database_.Purge({.keyspace = items.get()}).status());
    MAYFLY_RETURN_IF_ERROR(streams_.CatchUp(table.spec.name));
  }
  const std::string place = EncodePlace(database_.LastEventSequence());
  const StoredTable next = plan.next;
  const auto also = [&](Transaction& transaction) -> Status {
    KeyspaceWriter& rows = transaction.In(catalog_.rows());
    if (plan.rewrite) {
      MAYFLY_RETURN_IF_ERROR(rows.Put(JobRow(id), EncodeJob({.table = next.spec.name})));
    }
    if (plan.nothing_pending) MAYFLY_RETURN_IF_ERROR(rows.Delete(JobRow(id)).status());
    if (plan.sweeps_begin) MAYFLY_RETURN_IF_ERROR(rows.Put(SweepPlaceRow(id), place));
    if (plan.stream_begins) {
      MAYFLY_RETURN_IF_ERROR(rows.Put(StreamPlaceRow(id, *plan.stream_begins), place));
    }
    if (!plan.stream_ends) return {};
    MAYFLY_TRY(const auto ended,
               database_.OpenKeyspace(StreamKeyspace(next.label(), *plan.stream_ends)));
    return transaction.In(*ended).Put(EndMarkerKey(), {},
                                      Lifetime::For(next.streams.back().record_ttl));
  };
  const Status stored = [&]() -> Status {
    for (const std::string& keyspace : plan.make) {
      MAYFLY_RETURN_IF_ERROR(database_.CreateKeyspace(keyspace, PolicyOf(next, keyspace)).status());
    }
    // Events of a stream that begins must not be missed; too many do no harm.
    if (plan.stream_begins) {
      MAYFLY_RETURN_IF_ERROR(items->SetPolicy(PolicyOf(next, items->name())));
    }
    return change.Store(next, also);
  }();
  if (!stored.ok()) {
    for (const std::string& keyspace : plan.make) (void)database_.DropKeyspace(keyspace);
    return stored;
  }
  // The change has happened, so the streams must follow it even if the policies fail; the next
  // Open() applies those.
  MAYFLY_RETURN_IF_ERROR(streams_.Refresh(next, change.table()));
  return change.ApplyPolicies();
}

Result<TableDescription> TableChanges::Drop(const std::string& name, const TableCheck& check) {
  MAYFLY_TRY(Catalog::Change change, catalog_.BeginChange(name));
  if (check) MAYFLY_RETURN_IF_ERROR(check(change.table().spec));
  MAYFLY_TRY(TableDescription last, DescribeTable(change.table()));
  const StoredTable stored = change.stored();
  streams_.Forget(name);
  const Status dropped = change.Drop([&](Transaction& transaction) -> Status {
    KeyspaceWriter& rows = transaction.In(catalog_.rows());
    MAYFLY_RETURN_IF_ERROR(rows.Delete(JobRow(stored.id)).status());
    MAYFLY_RETURN_IF_ERROR(rows.Delete(SweepPlaceRow(stored.id)).status());
    for (const StoredStream& stream : stored.streams) {
      MAYFLY_RETURN_IF_ERROR(rows.Delete(StreamPlaceRow(stored.id, stream.label)).status());
    }
    return {};
  });
  if (dropped.ok()) return last;
  MAYFLY_RETURN_IF_ERROR(streams_.Refresh(stored, change.table()));
  return dropped;
}

Status TableChanges::ForgetEndedStreams(const std::string& name) {
  MAYFLY_TRY(Catalog::Change change, catalog_.BeginChange(name));
  StoredTable next = change.stored();
  std::vector<std::string> gone;
  for (const StoredStream& stream : next.streams) {
    if (stream.enabled) continue;
    MAYFLY_TRY(const auto records,
               database_.OpenKeyspace(StreamKeyspace(next.label(), stream.label)));
    MAYFLY_TRY(const std::uint64_t left, records->Count());
    if (left == 0) gone.push_back(stream.label);
  }
  if (gone.empty()) return {};
  std::erase_if(next.streams, [&](const StoredStream& stream) {
    return std::find(gone.begin(), gone.end(), stream.label) != gone.end();
  });
  MAYFLY_RETURN_IF_ERROR(change.Store(next, [&](Transaction& transaction) -> Status {
    for (const std::string& label : gone) {
      MAYFLY_RETURN_IF_ERROR(
          transaction.In(catalog_.rows()).Delete(StreamPlaceRow(next.id, label)).status());
    }
    return {};
  }));
  return streams_.Refresh(next, change.table());
}

}  // namespace mayfly::tables
