#include "tables/upkeep/upkeep.h"

#include <algorithm>

#include "tables/items/item_writer.h"
#include "tables/schema/table_limits.h"
#include "tables/schema/table_names.h"

namespace mayfly::tables {

namespace {

using Stage = RewriteJob::Stage;

// Moves the job behind these keys.
void Advance(RewriteJob& job, const std::vector<std::string>& keys, bool at_end) {
  if (!keys.empty()) job.after = keys.back();
  job.walked += keys.size();
  if (!at_end) return;
  if (job.stage == Stage::kWalkingFirst) {
    job = {.table = job.table, .kind = job.kind};
  } else {
    job.stage = Stage::kDone;
  }
}

}  // namespace

Result<std::vector<Upkeep::Job>> Upkeep::Jobs(const std::string& table) const {
  std::vector<Job> jobs;
  MAYFLY_TRY(const auto cursor, context_.catalog.rows().NewCursor({.prefix = kJobRows}));
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
    MAYFLY_TRY(RewriteJob job, DecodeJob(cursor->value()));
    if (!table.empty() && job.table != table) continue;
    jobs.push_back({std::string(cursor->key().substr(kJobRows.size())), std::move(job)});
  }
  MAYFLY_RETURN_IF_ERROR(cursor->status());
  return jobs;
}

Result<std::uint64_t> Upkeep::Run(std::uint64_t items_max, const std::string& table) {
  const std::lock_guard alone(mutex_);
  MAYFLY_TRY(std::vector<Job> jobs, Jobs(table));
  std::uint64_t left = 0;
  for (Job& job : jobs) {
    MAYFLY_TRY(const std::uint64_t of_job, RunJob(std::move(job), items_max));
    left += of_job;
  }
  return left;
}

Result<std::uint64_t> Upkeep::RunJob(Job job, std::uint64_t& items_left) {
  while (items_left > 0 && job.job.stage != Stage::kDone) {
    auto use = context_.catalog.Use(job.job.table);
    if (!use && use.status().IsNotFound()) return std::uint64_t{0};  // Dropped, with the job.
    MAYFLY_RETURN_IF_ERROR(use.status());
    MAYFLY_TRY(const std::uint64_t seen, Step(**use, job, items_left));
    items_left -= std::min(items_left, seen);
  }
  if (job.job.stage == Stage::kDone) {
    MAYFLY_RETURN_IF_ERROR(Finish(job));
    // A change may have restarted it.
    MAYFLY_TRY(const bool begun, context_.catalog.rows().Exists(JobRow(job.id)));
    return std::uint64_t{begun ? 1U : 0U};
  }
  auto use = context_.catalog.Use(job.job.table);
  if (!use && use.status().IsNotFound()) return std::uint64_t{0};
  MAYFLY_RETURN_IF_ERROR(use.status());
  MAYFLY_TRY(const std::uint64_t items, (*use)->items->Count());
  return std::max<std::uint64_t>(1, items - std::min(items, job.job.walked));
}

Result<std::uint64_t> Upkeep::Step(const Table& table, Job& job, std::uint64_t items_max) {
  // The table is in use, so the job is not restarted meanwhile; it may have been before.
  const auto row = context_.catalog.rows().Get(JobRow(job.id));
  if (!row && row.status().IsNotFound()) {  // Another table has the name now.
    job.job.stage = Stage::kDone;
    return std::uint64_t{0};
  }
  MAYFLY_RETURN_IF_ERROR(row.status());
  MAYFLY_TRY(job.job, DecodeJob(*row));
  if (job.job.stage == Stage::kDone) return std::uint64_t{0};
  const std::uint64_t step_max = std::min<std::uint64_t>(items_max, kUpkeepStepItemsMax);
  std::vector<std::string> keys;
  std::vector<std::string> latches;
  std::vector<Streams::About> about;
  {
    const std::string begin = job.job.after.empty() ? std::string() : job.job.after + '\0';
    MAYFLY_TRY(const auto cursor, table.items->NewCursor({.begin = begin}));
    for (cursor->SeekToFirst(); cursor->Valid() && keys.size() < step_max; cursor->Next()) {
      keys.emplace_back(cursor->key());
      latches.push_back(table.id + keys.back());
      about.push_back({&table, keys.back()});
    }
    MAYFLY_RETURN_IF_ERROR(cursor->status());
    Advance(job.job, keys, /*at_end=*/!cursor->Valid());
  }
  const ItemLatches::Held held = context_.latches.Take(latches);
  // An item that dies while it is rewritten must be alive or dead for the stream, not both.
  MAYFLY_TRY(const Streams::Hold hold, context_.streams.BeginWrite(about));
  MAYFLY_RETURN_IF_ERROR(context_.database.Transact(
      [&](Transaction& transaction) -> Status {
        KeyspaceWriter& rows = transaction.In(context_.catalog.rows());
        MAYFLY_TRY(const std::string today, rows.Get(JobRow(job.id)));
        if (today != *row) {  // A sweep wants another walk: what was read here may be too old.
          job.job.stage = Stage::kWalking;
          return {};
        }
        for (const std::string& key : keys) {
          MAYFLY_RETURN_IF_ERROR(Rewrite(transaction, table, job.job.kind, key));
        }
        return rows.Put(JobRow(job.id), EncodeJob(job.job));
      },
      kUpkeepAttemptsMax));
  return keys.size();
}

Status Upkeep::Rewrite(Transaction& transaction, const Table& table, RewriteJob::Kind kind,
                       Bytes key) {
  MAYFLY_TRY(const auto item, ReadItem(transaction, table, key));
  if (!item) return {};
  if (kind == RewriteJob::Kind::kUnshadowed) {
    if (table.shadows == nullptr || !DeadlineOf(table, item->item, transaction.now())) return {};
    MAYFLY_TRY(const bool shadowed, transaction.In(*table.shadows).Exists(key));
    if (shadowed) return {};
  }
  return RewriteItem(transaction, table, key, *item);
}

Status Upkeep::Finish(const Job& job) {
  auto change = context_.catalog.BeginChange(job.job.table);
  if (!change && change.status().IsNotFound()) return {};
  MAYFLY_RETURN_IF_ERROR(change.status());
  if (change->stored().id != job.id) return {};
  const auto row = context_.catalog.rows().Get(JobRow(job.id));
  if (!row && row.status().IsNotFound()) return {};
  MAYFLY_RETURN_IF_ERROR(row.status());
  MAYFLY_TRY(const RewriteJob now, DecodeJob(*row));
  if (now.stage != Stage::kDone) return {};  // A change restarted it.
  StoredTable next = change->stored();
  const bool off = next.spec.ttl_attribute.empty();
  next.ttl_status = off ? TtlStatus::kDisabled : TtlStatus::kEnabled;
  for (StoredIndex& index : next.global_indexes) index.status = IndexStatus::kActive;
  return change->Store(std::move(next), [&](Transaction& transaction) -> Status {
    return transaction.In(context_.catalog.rows()).Delete(JobRow(job.id)).status();
  });
}

Result<Upkeep::Search> Upkeep::SearchUnshadowed(const std::string& table, std::uint64_t items_max) {
  const std::lock_guard alone(mutex_);
  MAYFLY_TRY(std::vector<Job> jobs, Jobs(table));
  std::uint64_t budget = items_max;
  Search search;
  for (Job& job : jobs) {
    if (job.job.kind != RewriteJob::Kind::kUnshadowed) continue;
    MAYFLY_TRY(const std::uint64_t left, RunJob(std::move(job), budget));
    search.more = search.more || left > 0;
  }
  search.seen = items_max - budget;
  return search;
}

Status Upkeep::FindUnshadowed(Transaction& transaction, const Table& table) {
  KeyspaceWriter& rows = transaction.In(context_.catalog.rows());
  const auto row = rows.Get(JobRow(table.id));
  if (!row && !row.status().IsNotFound()) return row.status();
  RewriteJob job{.table = table.spec.name, .kind = RewriteJob::Kind::kUnshadowed};
  if (row) {
    // Whatever its stage, all items are visited again.
    MAYFLY_TRY(const RewriteJob there, DecodeJob(*row));
    job.kind = there.kind;
    if (there.stage != Stage::kDone) {
      job = there;
      job.stage = Stage::kWalkingFirst;
    }
  }
  return rows.Put(JobRow(table.id), EncodeJob(job));
}

}  // namespace mayfly::tables
