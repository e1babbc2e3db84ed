#include "server/session/jobs/backups.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "core/upkeep/backup_file.h"
#include "core/upkeep/recorded_copy.h"
#include "server/command/limits.h"

namespace mayfly::server {
namespace {

constexpr const char* kKind = "backup";
constexpr std::string_view kOwnPrefix = "dump-";
constexpr std::string_view kEnding = ".mayfly";

namespace fs = std::filesystem;

bool IsGoodName(const std::string& name) {
  return name.find('/') == std::string::npos && name.find('\0') == std::string::npos &&
         !name.starts_with('.') && name.size() <= 200;
}

// A pipe, say, would hold the job for ever.
bool IsFile(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

std::int64_t WrittenAt(const fs::path& path) {
  std::error_code error;
  const fs::file_time_type written = fs::last_write_time(path, error);
  if (error) return 0;
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::file_clock::to_sys(written).time_since_epoch())
      .count();
}

void WriteReport(ReplyWriter& reply, const std::string& folder, const RestoreReport& report) {
  const auto figure = [&](std::string_view name, std::uint64_t value) {
    reply.Bulk(name);
    reply.Integer(static_cast<std::int64_t>(value));
  };
  reply.Map(5);
  reply.Bulk("folder");
  reply.Bulk(folder);
  figure("keyspaces", report.keyspaces);
  figure("rows", report.rows);
  figure("dropped-rows", report.dropped_rows);
  figure("lost-collections", report.lost_collections);
}

void WriteReport(ReplyWriter& reply, const std::string& file, const BackupReport& report) {
  reply.Map(4);
  reply.Bulk("file");
  reply.Bulk(file);
  reply.Bulk("rows");
  reply.Integer(static_cast<std::int64_t>(report.rows));
  reply.Bulk("bytes");
  reply.Integer(static_cast<std::int64_t>(report.bytes));
  reply.Bulk("taken-at");
  reply.Integer(ToMs(report.taken_at));
}

}  // namespace

Result<std::string> Backups::Folder() const {
  const std::string directory = config_.Text(Setting::kDir);
  if (directory.empty()) {
    return Status::Unsupported(
        "the database is in memory and has no folder for a backup; serve it with --dir");
  }
  return (fs::path(directory) / "backups").string();
}

Result<std::string> Backups::MakeFolder() const {
  MAYFLY_TRY(std::string folder, Folder());
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    return Status::IoError(fmt::format("cannot make the folder {}: {}", folder, error.message()));
  }
  return folder;
}

Result<std::uint64_t> Backups::Start(const std::string& name) {
  if (!IsGoodName(name)) {
    return Status::Invalid("a backup's name has no slash and does not begin with a dot");
  }
  MAYFLY_TRY(const std::string folder, MakeFolder());
  const std::lock_guard lock(starting_);
  if (is_running()) return Status::Busy("Background save already in progress");
  const bool own_name = name.empty();
  const std::string file =
      fmt::format("{}/{}", folder,
                  own_name ? fmt::format("{}{}{}", kOwnPrefix, ToMs(clock_.Now()), kEnding) : name);
  return jobs_.Start(
      kKind, [this, file, own_name](JobControl& control) { return Run(file, own_name, control); });
}

Result<std::uint64_t> Backups::StartRestore(const std::string& name, const std::string& folder,
                                            RestoreMode mode) {
  if (restore_ == nullptr) return Status::Unsupported("this server cannot make another database");
  if (name.empty() || folder.empty() || !IsGoodName(name) || !IsGoodName(folder)) {
    return Status::Invalid(
        "the names of a backup and of a folder have no slash and do not begin with a dot");
  }
  MAYFLY_TRY(const std::string above, Folder());
  const std::string file = fmt::format("{}/{}", above, name);
  if (!IsFile(file)) return Status::NotFound(fmt::format("there is no backup {}", file));
  std::string target = fmt::format("{}/{}", above, folder);
  std::error_code error;
  if (fs::exists(fs::symlink_status(target, error))) {
    return Status::Invalid(fmt::format("{} exists already; name another folder", target));
  }
  return jobs_.Start("restore",
                     [this, file, target = std::move(target), mode](JobControl& control) {
                       return Restore(file, target, mode, control);
                     });
}

Result<JobResult> Backups::Restore(const std::string& file, const std::string& folder,
                                   RestoreMode mode, JobControl& control) {
  RestoreReport report;
  MAYFLY_RETURN_IF_ERROR(
      core::MakeRecordedCopy(database_, folder, [&](const std::string& partial) -> Status {
        MAYFLY_TRY(report,
                   restore_(file, partial, mode, [&](std::uint64_t done, std::uint64_t all) {
                     return control.Report(done, all);
                   }));
        return {};
      }));
  return JobResult([folder, report](ReplyWriter& reply) { WriteReport(reply, folder, report); });
}

Result<std::vector<BackupFile>> Backups::List() const {
  MAYFLY_TRY(const std::string folder, Folder());
  std::vector<BackupFile> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    std::error_code gone;  // It may have been removed meanwhile.
    if (!entry.is_regular_file(gone) || entry.path().native().ends_with(core::PartialOf("")))
      continue;
    const std::uint64_t bytes = entry.file_size(gone);
    if (gone) continue;
    files.push_back({entry.path().filename(), bytes, WrittenAt(entry.path())});
  }
  const auto later = [](const BackupFile& a, const BackupFile& b) {
    return a.written_ms != b.written_ms ? a.written_ms > b.written_ms : a.name > b.name;
  };
  std::sort(files.begin(), files.end(), later);
  if (files.size() > kBackupsListedMax) files.resize(kBackupsListedMax);
  return files;
}

bool Backups::is_running() const {
  const auto jobs = jobs_.List();
  return std::any_of(jobs.begin(), jobs.end(), [](const JobInfo& job) {
    return job.kind == kKind &&
           (job.state == JobState::kWaiting || job.state == JobState::kRunning);
  });
}

Result<JobResult> Backups::Run(const std::string& file, bool own_name, JobControl& control) {
  const SteadyTime began = clock_.Steady();
  const auto report = core::BackupWatched(
      database_, file,
      [&](std::uint64_t done, std::uint64_t all) { return control.Report(done, all); });
  last_ok_ = report.has_value();
  last_took_seconds_ =
      std::chrono::duration_cast<std::chrono::seconds>(clock_.Steady() - began).count();
  if (report) {
    last_ms_ = ToMs(clock_.Now());
    ++completed_;
    if (own_name) RemoveOld(fs::path(file).parent_path());
  }
  if (!report) return report.error();
  return JobResult([file, done = *report](ReplyWriter& reply) { WriteReport(reply, file, done); });
}

// Names contain the instant, so their order is that of time.
void Backups::RemoveOld(const std::string& folder) const {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename();
    const bool own = name.starts_with(kOwnPrefix) && name.ends_with(kEnding);
    if (own && IsFile(entry.path())) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  const auto keep = static_cast<std::size_t>(config_.Number(Setting::kBackupsKeep));
  for (std::size_t i = 0; i + keep < files.size(); ++i) fs::remove(files[i], error);
}

}  // namespace mayfly::server
