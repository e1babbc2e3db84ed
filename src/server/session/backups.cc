#include "server/session/backups.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include "core/upkeep/watched_upkeep.h"

namespace mayfly::server {
namespace {

constexpr const char* kKind = "backup";
constexpr std::string_view kOwnPrefix = "dump-";
constexpr std::string_view kEnding = ".mayfly";

bool IsGoodName(const std::string& name) {
  return name.find('/') == std::string::npos && name.find('\0') == std::string::npos &&
         !name.starts_with('.') && name.size() <= 200;
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

Result<std::string> Backups::MakeFolder() const {
  const std::string directory = config_.Text(Setting::kDir);
  if (directory.empty()) {
    return Status::Unsupported(
        "the database is in memory and has no folder for a backup; serve it with --dir");
  }
  const std::filesystem::path folder = std::filesystem::path(directory) / "backups";
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    return Status::IoError(
        fmt::format("cannot make the folder {}: {}", folder.string(), error.message()));
  }
  return folder.string();
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
    if (own_name) RemoveOld(std::filesystem::path(file).parent_path());
  }
  if (!report) return report.error();
  return JobResult([file, done = *report](ReplyWriter& reply) { WriteReport(reply, file, done); });
}

// Names contain the instant, so their order is that of time.
void Backups::RemoveOld(const std::string& folder) const {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename();
    if (name.starts_with(kOwnPrefix) && name.ends_with(kEnding)) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  const auto keep = static_cast<std::size_t>(config_.Number(Setting::kBackupsKeep));
  for (std::size_t i = 0; i + keep < files.size(); ++i) std::filesystem::remove(files[i], error);
}

}  // namespace mayfly::server
