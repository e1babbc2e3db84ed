// directory_target_upkeep.cc - keyspaces, time and upkeep of a database in a folder.
#include <fmt/format.h>

#include <atomic>
#include <thread>

#include "apps/mayfly/target/directory_target.h"
#include "core/upkeep/watched_upkeep.h"
#include "mayfly/types.h"

namespace mayfly::app {

Status DirectoryTarget::CreateKeyspace(const std::string& name, const KeyspacePolicy& policy) {
  return database_->CreateKeyspace(name, policy).status();
}

Status DirectoryTarget::DropKeyspace(const std::string& name) {
  return database_->DropKeyspace(name);
}

Result<std::vector<ForecastBucket>> DirectoryTarget::Forecast(Millis bucket, std::size_t buckets) {
  return rows_->Forecast({.bucket = bucket, .buckets = buckets});
}

Result<std::vector<Event>> DirectoryTarget::ReadEvents(std::uint64_t after,
                                                       std::size_t events_max) {
  MAYFLY_TRY(auto events, database_->ReadEvents(after, events_max));
  for (Event& event : events) event.member = Hash::FieldOf(event);  // As a person knows it.
  return events;
}

Result<Activity> DirectoryTarget::ReadActivity(std::size_t next_max) {
  MAYFLY_TRY(Statistics statistics, database_->GetStatistics());
  MAYFLY_TRY(auto next, rows_->ScanDeadlines({.rows_max = next_max}));
  return Activity{.statistics = std::move(statistics),
                  .next = std::move(next),
                  .commands_total = std::nullopt,
                  .commands = {}};
}

Result<PurgeReport> DirectoryTarget::Purge(std::uint64_t rows_max, Millis time_max) {
  return database_->Purge({.rows_max = rows_max, .time_max = time_max});
}

// The library's call cannot be ended half way, and shows its progress in the statistics alone.
Result<ReclaimReport> DirectoryTarget::Compact(const Progress& progress) {
  MAYFLY_TRY(const Statistics before, database_->GetStatistics());
  std::optional<Result<ReclaimReport>> report;
  Waker done;
  std::atomic<bool> ended = false;
  std::thread work([&] {
    report = database_->Reclaim({.everything = true});
    ended = true;
    done.Wake();
  });
  while (!ended) {
    const auto now = database_->GetStatistics();
    if (now) progress(now->bytes_rewritten - before.bytes_rewritten, before.disk_bytes);
    done.WaitFor(std::chrono::milliseconds(100));
  }
  work.join();
  return *std::move(report);
}

Result<std::pair<std::string, BackupReport>> DirectoryTarget::Backup(const std::string& file,
                                                                     const Progress& progress) {
  MAYFLY_TRY(const BackupReport report, core::BackupWatched(*database_, file, progress));
  return std::pair(file, report);
}

Result<CheckReport> DirectoryTarget::Check(bool repair, const Progress& progress) {
  return core::CheckWatched(*database_, {.repair = repair}, progress);
}

Result<Proof> DirectoryTarget::Prove(const ProveRequest& request, const Progress& progress) {
  return core::ProveWatched(*database_, {.find = request.find}, progress);
}

Result<Reply> DirectoryTarget::Command(const std::vector<std::string>& /*args*/) {
  return Status::Unsupported("a folder answers no commands; `mayfly shell` serves it to itself");
}

Status DirectoryTarget::Listen(const std::vector<std::string>& args,
                               const std::function<bool(const Reply&)>& /*visit*/) {
  return Command(args).status();
}

}  // namespace mayfly::app
