#include "engine/hot/reader/hot_reader_engine.h"

#include <utility>

#include "base/directory_lock.h"
#include "base/log.h"
#include "engine/hot/reader/hot_follower.h"
#include "engine/hot/reading_engine.h"
#include "engine/hot/segment_changes.h"
#include "engine/rocks/files/format_file.h"
#include "engine/rocks/reader/look_thread.h"

namespace mayfly::engine {
namespace {

using hot::HotFollower;
using hot::LogFiles;

class HotReaderEngine final : public hot::ReadingEngine {
 public:
  HotReaderEngine(const HotReaderOptions& options, std::unique_ptr<Engine> cold)
      : ReadingEngine("hot at " + options.reader.rocks.directory,
                      {.persistent = true, .writable = false, .follows = true}),
        logger_(options.reader.rocks.logger != nullptr ? *options.reader.rocks.logger
                                                       : SilentLogger()),
        directory_(options.reader.rocks.directory),
        cold_(std::move(cold)),
        files_(hot::NewLogFiles(directory_ + "/" + kHotLogFolder, hot::LogAccess::kRead)),
        follower_(std::make_unique<HotFollower>(options, *cold_, *files_)) {}

  ~HotReaderEngine() override {
    if (!is_owner()) {
      Abandon(std::move(looker_));
      Abandon(std::move(follower_));
      Abandon(std::move(cold_));
      return;
    }
    if (const Status closed = CloseAtDestruction(); !closed.ok()) {
      Log(logger_, LogLevel::kError, "{}", closed.ToString());
    }
  }

  Status Start(bool has_thread) {
    MAYFLY_RETURN_IF_ERROR(follower_->Refresh().status());
    if (!has_thread) return {};
    // The next read returns the error.
    looker_ = std::make_unique<LookThread>([this] { static_cast<void>(follower_->Refresh()); });
    return {};
  }

  std::shared_ptr<const crypto::DatabaseKey> encryption_key() const override {
    return cold_->encryption_key();
  }
  bool HasReadersBeside() const override { return cold_->HasReadersBeside(); }
  std::uint64_t ChangedAt(Role role, unsigned char first) const override {
    return follower_->ChangedAt(role, first);
  }

 private:
  std::shared_ptr<const hot::HotRows> rows() const override { return follower_->rows(); }

  Result<std::uint64_t> DoRefresh() const override { return follower_->Refresh(); }

  // Busy beside a writer, which may change the files meanwhile.
  Result<std::vector<Trace>> DoFind(Bytes needle, std::size_t traces_max,
                                    const FindProgress& progress) const override {
    MAYFLY_TRY(const DirectoryLock alone,
               DirectoryLock::Take(directory_, kLockFileName, DirectoryLock::Mode::kShared));
    MAYFLY_TRY(const auto paused, follower_->Pause());
    std::vector<Trace> traces;
    MAYFLY_TRY(const auto numbers, hot::ListSegments(*files_));
    for (const std::uint64_t number : numbers) {
      if (traces.size() == traces_max) return traces;
      const std::string name = hot::SegmentName(number);
      MAYFLY_TRY(const auto file, files_->Open(name));
      MAYFLY_TRY(const auto header, hot::ReadSegmentHeader(*files_, *file, number));
      if (!header.has_value()) continue;
      const hot::SegmentInfo segment = {.number = number, .path = files_->PathOf(name)};
      MAYFLY_TRY(const bool contains,
                 hot::SegmentContains(*files_, segment, encryption_key().get(), needle));
      if (contains) traces.push_back({.where = segment.path, .what = "a record of the log"});
    }
    if (traces.size() == traces_max) return traces;
    MAYFLY_TRY(const auto cold, cold_->Find(needle, traces_max - traces.size(), progress));
    traces.insert(traces.end(), cold.begin(), cold.end());
    return traces;
  }

  Result<std::vector<FileInfo>> DoFiles(Role role) const override {
    MAYFLY_TRY(const auto paused, follower_->Pause());
    MAYFLY_TRY(std::vector<FileInfo> files, cold_->Files(role));
    for (FileInfo& file : files) file.first_commit = 0;  // Counted by the cold store alone.
    return files;
  }

  Result<EngineStats> DoStats() const override {
    MAYFLY_TRY(EngineStats stats, cold_->Stats());
    const auto rows = follower_->rows();
    stats.disk_bytes += follower_->log_bytes();
    stats.memory_bytes += rows->index.memory().used_bytes;
    stats.last_commit = rows->index.visible();
    return stats;
  }

  Status DoClose() override {
    looker_.reset();
    follower_->Close();
    return cold_->Close();
  }

  Logger& logger_;
  const std::string directory_;
  std::unique_ptr<Engine> cold_;
  const std::unique_ptr<LogFiles> files_;
  std::unique_ptr<HotFollower> follower_;
  std::unique_ptr<LookThread> looker_;
};

Result<std::unique_ptr<Engine>> OpenCold(const ReaderOptions& options) {
  ReaderOptions below = options;
  below.rocks.read_only = true;
  below.rocks.beneath_log = true;
  below.has_thread = false;  // What is below changes only when the log is read, too.
  if (!below.rocks.password.empty()) return OpenRocksEngine(below.rocks);
  return OpenReaderEngine(below);
}

}  // namespace

Result<std::unique_ptr<Engine>> OpenHotReaderEngine(const HotReaderOptions& options) {
  MAYFLY_TRY(auto cold, OpenCold(options.reader));
  auto engine = std::make_unique<HotReaderEngine>(options, std::move(cold));
  MAYFLY_RETURN_IF_ERROR(engine->Start(options.reader.has_thread));
  return std::unique_ptr<Engine>(std::move(engine));
}

}  // namespace mayfly::engine
