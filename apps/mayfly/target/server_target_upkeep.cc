// server_target_upkeep.cc - keyspaces, time and upkeep of a running server: TTL.* and INFO.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "apps/mayfly/target/policy_text.h"
#include "apps/mayfly/target/server_info.h"
#include "apps/mayfly/target/server_target.h"

namespace mayfly::app {
namespace {

constexpr std::size_t kPageMax = 10'000;  // Of TTL.EVENTS and TTL.FORECAST.

KeyspaceStatistics KeyspaceOf(const Reply& map) {
  const ReplyFields fields(map);
  KeyspaceStatistics keyspace{.name = fields.Text("name"),
                              .rows = fields.Number("rows"),
                              .mortal_rows = fields.Number("mortal-rows"),
                              .due_rows = fields.Number("due-rows"),
                              .lag = Millis(fields.Number("lag-ms"))};
  keyspace.purged_through = fields.Instant("purged-through");
  if (fields.Find("purge-within") != nullptr) {
    keyspace.purge_within = Millis(fields.Number("purge-within"));
    keyspace.promise_overdue = Millis(fields.Number("promise-overdue-ms"));
  }
  return keyspace;
}

EventCause CauseNamed(const std::string& name) {
  if (name == "read") return EventCause::kRead;
  if (name == "replaced") return EventCause::kReplaced;
  if (name == "evicted") return EventCause::kEvicted;
  return name == "born-dead" ? EventCause::kBornDead : EventCause::kPurged;
}

Event EventOf(const Reply& map) {
  const ReplyFields fields(map);
  Event event;
  event.sequence = fields.Number("sequence");
  event.keyspace_name = fields.Text("keyspace");
  event.key = fields.Text("key");
  event.deadline = fields.Instant("deadline");
  event.purged_at = fields.Instant("purged-at");
  event.cause = CauseNamed(fields.Text("cause"));
  if (fields.Find("value") != nullptr) event.value = fields.Text("value");
  if (fields.Find("field") != nullptr) event.member = fields.Text("field");
  return event;
}

KeyspaceProof ProofOf(const Reply& map) {
  const ReplyFields fields(map);
  KeyspaceProof proof;
  proof.name = fields.Text("name");
  if (fields.Number("purge-within") > 0) proof.purge_within = Millis(fields.Number("purge-within"));
  proof.purged_through = fields.Instant("purged-through");
  proof.purged_rows_through = fields.Instant("rows-purged-through");
  proof.rows = fields.Number("rows");
  proof.due_rows = fields.Number("due-rows");
  proof.kept = fields.Text("state") != "broken";
  return proof;
}

// Of a cluster: without a promise nothing is kept or broken there, and what cannot be known is to be
// known of.
void AddUnknown(const Reply::Items& unknown, Proof& proof) {
  for (const Reply& one : unknown) {
    proof.holders.push_back({.since = proof.taken_at, .description = "not known: " + one.text()});
  }
  if (unknown.empty()) return;
  for (KeyspaceProof& keyspace : proof.keyspaces) keyspace.kept = false;
}

}  // namespace

Status ServerTarget::CreateKeyspace(const std::string& /*name*/, const KeyspacePolicy& /*policy*/) {
  return Status::Unsupported(
      "a server makes its databases db0, db1 and so on when they are first used; set a policy with "
      "`mayfly keyspace policy`");
}

Status ServerTarget::DropKeyspace(const std::string& name) {
  if (name != keyspace()) {
    return Status::Unsupported(fmt::format(
        "a server can empty the database that the URL names, {}, and not '{}'", keyspace(), name));
  }
  return client_->Ask({"FLUSHDB"}).status();
}

Result<KeyspacePolicy> ServerTarget::Policy() {
  MAYFLY_TRY(const Reply reply, client_->Ask({"TTL.POLICY"}));
  KeyspacePolicy policy;
  const Reply::Items& items = reply.items();
  for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
    MAYFLY_RETURN_IF_ERROR(SetPolicyField(policy, items[i].text(), items[i + 1].text()));
  }
  return policy;
}

Status ServerTarget::SetPolicy(const KeyspacePolicy& policy) {
  if (policy.order != RowOrder::kArrival || policy.history != Millis(0) || policy.late_max) {
    return Status::Unsupported(
        "order, history and late-max are for a folder's keyspaces; a server's are ordered by "
        "arrival");
  }
  Request request = {"TTL.POLICY", "SET"};
  for (const auto& [name, value] : PolicyFields(policy)) {
    const bool none = value.kind() == Cell::Kind::kNothing;
    request.insert(request.end(), {name, none ? "none" : value.Raw()});
  }
  return client_->Ask(request).status();
}

Result<WallTime> ServerTarget::Now() {
  MAYFLY_TRY(const Statistics statistics, Stats());
  return statistics.clock.now;
}

// Spans without a death are left out of the reply. Their places follow from those of the others,
// which all begin a whole number of spans after the instant of the first call.
Result<std::vector<ForecastBucket>> ServerTarget::Forecast(Millis bucket, std::size_t buckets) {
  std::vector<ForecastBucket> told;
  std::string cursor = "0";
  do {
    Request request = {"TTL.FORECAST", "BUCKET", std::to_string(bucket.count()), "BUCKETS",
                       std::to_string(buckets)};
    if (cursor != "0") request.insert(request.end(), {"CURSOR", cursor});
    MAYFLY_TRY(const Reply reply, client_->Ask(request));
    cursor = reply.items().at(0).text();
    for (const Reply& one : reply.items().at(1).items()) {
      const ReplyFields fields(one);
      told.push_back({fields.Instant("begin"), fields.Instant("end"), fields.Number("keys"),
                      fields.Number("bytes")});
    }
  } while (cursor != "0");
  MAYFLY_TRY(WallTime begin, Now());
  if (!told.empty() && bucket.count() > 0) {
    const std::int64_t first = ToMs(told.front().begin);
    const std::int64_t spans =
        (std::max<std::int64_t>(first - ToMs(begin), 0) + bucket.count() - 1) / bucket.count();
    begin = WallTimeFromMs(first - spans * bucket.count());
  }
  std::vector<ForecastBucket> all;
  for (std::size_t i = 0; i < buckets; ++i) {
    const WallTime from = begin + bucket * static_cast<std::int64_t>(i);
    all.push_back({from, from + bucket, 0, 0});
  }
  for (const ForecastBucket& one : told) {
    const auto index = static_cast<std::size_t>((one.begin - begin) / bucket);
    if (index >= all.size()) continue;
    all[index].rows += one.rows;
    all[index].bytes += one.bytes;
  }
  return all;
}

Result<std::vector<Event>> ServerTarget::ReadEvents(std::uint64_t after, std::size_t events_max) {
  MAYFLY_TRY(const Reply reply, client_->Ask({"TTL.EVENTS", "AFTER", std::to_string(after), "COUNT",
                                              std::to_string(std::min(events_max, kPageMax))}));
  std::vector<Event> events;
  for (const Reply& one : reply.items()) events.push_back(EventOf(one));
  return events;
}

Result<Statistics> ServerTarget::Stats() {
  MAYFLY_TRY(const Reply reply, client_->Ask({"TTL.STATS"}));
  const ReplyFields fields(reply);
  Statistics statistics;
  statistics.clock.now = fields.Instant("now");
  statistics.clock.physical_deletion_stopped = fields.Number("deletion-stopped-by-clock") != 0;
  statistics.purged_rows = fields.Number("purged-rows");
  statistics.purged_by_reads = fields.Number("purged-by-reads");
  statistics.clamped_lifetimes = fields.Number("clamped-lifetimes");
  statistics.events_first = fields.Number("events-first");
  statistics.events_last = fields.Number("events-last");
  statistics.disk_bytes = fields.Number("disk-bytes");
  statistics.memory_bytes = fields.Number("memory-bytes");
  for (const Reply& one : fields.Items("keyspaces")) {
    statistics.keyspaces.push_back(KeyspaceOf(one));
  }
  return statistics;
}

Result<Activity> ServerTarget::ReadActivity(std::size_t next_max) {
  Activity activity;
  MAYFLY_TRY(activity.statistics, Stats());
  MAYFLY_TRY(
      const std::vector<Reply> replies,
      client_->RunAll({{"TTL.SCAN", "FROM", std::to_string(ToMs(activity.statistics.clock.now)),
                        "COUNT", std::to_string(next_max)},
                       {"INFO", "clients", "stats", "commandstats", "latencystats"}}));
  for (const Reply& reply : replies) {
    if (reply.is_error()) return StatusOf(reply);
  }
  for (const Reply& one : replies[0].items().at(1).items()) {
    activity.next.push_back(
        {one.items().at(0).text(), WallTimeFromMs(one.items().at(1).integer())});
  }
  ReadInfo(replies[1], activity);
  return activity;
}

Result<PurgeReport> ServerTarget::Purge(std::uint64_t rows_max, Millis time_max) {
  MAYFLY_TRY(const Reply reply, client_->Ask({"TTL.PURGE", "ROWS", std::to_string(rows_max), "TIME",
                                              std::to_string(time_max.count())}));
  const ReplyFields fields(reply);
  PurgeReport report;
  report.rows = fields.Number("rows");
  report.more_due = fields.Number("more-due") != 0;
  report.stopped_by_clock = fields.Number("stopped-by-clock") != 0;
  return report;
}

Result<ReclaimReport> ServerTarget::Compact(const Progress& progress) {
  MAYFLY_TRY(const Reply result, RunJob({"TTL.COMPACT"}, progress));
  const ReplyFields fields(result);
  ReclaimReport report;
  report.files_dropped = fields.Number("files-dropped");
  report.files_rewritten = fields.Number("files-rewritten");
  report.bytes_rewritten = fields.Number("bytes-rewritten");
  report.held_up = fields.Number("held-up") != 0;
  report.stopped_by_clock = fields.Number("stopped-by-clock") != 0;
  return report;
}

Result<Reply> ServerTarget::RunJob(const Request& request, const Progress& progress) {
  MAYFLY_TRY(const Reply started, client_->Ask(request));
  const std::string id = std::to_string(started.integer());
  Waker pause;
  while (true) {
    MAYFLY_TRY(const Reply job, client_->Ask({"TTL.JOB", "GET", id}));
    const ReplyFields fields(job);
    const std::string state = fields.Text("state");
    if (state == "done") {
      const Reply* const result = fields.Find("result");
      if (result == nullptr) return Status::Internal("the job has no result");
      return *result;
    }
    if (state == "failed" || state == "cancelled") {
      const std::string error = fields.Text("error");
      return Status(
          error.starts_with("Corruption") ? StatusCode::kCorruption : StatusCode::kIoError,
          fmt::format("the server's job {}: {}", state, error));
    }
    if (!progress(fields.Number("done"), fields.Number("all"))) {
      MAYFLY_RETURN_IF_ERROR(client_->Ask({"TTL.JOB", "CANCEL", id}).status());
      return Status::Conflict("interrupted; the server's job is cancelled");
    }
    pause.WaitFor(std::chrono::milliseconds(50));
  }
}

Result<std::pair<std::string, BackupReport>> ServerTarget::Backup(const std::string& file,
                                                                  const Progress& progress) {
  Request request = {"TTL.BACKUP"};
  if (!file.empty()) request.push_back(file);
  MAYFLY_TRY(const Reply result, RunJob(request, progress));
  const ReplyFields fields(result);
  BackupReport report;
  report.keyspaces = fields.Number("keyspaces");
  report.rows = fields.Number("rows");
  report.bytes = fields.Number("bytes");
  report.taken_at = fields.Instant("taken-at");
  return std::pair(fields.Text("file"), report);
}

Result<CheckReport> ServerTarget::Check(bool repair, const Progress& progress) {
  Request request = {"TTL.CHECK"};
  if (repair) request.emplace_back("REPAIR");
  MAYFLY_TRY(const Reply result, RunJob(request, progress));
  const ReplyFields fields(result);
  CheckReport report;
  report.rows = fields.Number("rows");
  report.members = fields.Number("members");
  report.entries = fields.Number("entries");
  report.missing_entries = fields.Number("missing-entries");
  report.stale_entries = fields.Number("stale-entries");
  report.wrong_counts = fields.Number("wrong-counts");
  report.repaired = fields.Number("repaired");
  for (const Reply& one : fields.Items("findings")) report.findings.push_back(one.text());
  // The server reports unreadable rows and strays in words alone.
  if (fields.Number("clean") == 0 && report.clean()) report.unreadable_rows = 1;
  return report;
}

Result<Proof> ServerTarget::Prove(const ProveRequest& request, const Progress& progress) {
  Request prove = {"TTL.PROVE"};
  if (!request.find.empty()) prove.insert(prove.end(), {"FIND", request.find});
  MAYFLY_TRY(const Reply result, RunJob(prove, progress));
  const ReplyFields fields(result);
  Proof proof;
  proof.taken_at = fields.Instant("taken-at");
  for (const Reply& one : fields.Items("keyspaces")) proof.keyspaces.push_back(ProofOf(one));
  proof.keyspaces.resize(proof.keyspaces.size() + fields.Number("empty-keyspaces"));
  for (const Reply& one : fields.Items("holders")) {
    const ReplyFields holder(one);
    proof.holders.push_back(
        {.since = holder.Instant("since"), .description = holder.Text("description")});
  }
  for (const Reply& one : fields.Items("traces")) {
    const ReplyFields trace(one);
    proof.traces.push_back({trace.Text("where"), trace.Text("what")});
  }
  AddUnknown(fields.Items("unknown"), proof);
  return proof;
}

}  // namespace mayfly::app
