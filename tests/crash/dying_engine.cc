#include "crash/dying_engine.h"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <utility>

#include "base/check.h"
#include "engine/hot/hot_engine.h"
#include "engine/rocks/rocks_engine.h"

namespace mayfly::crash {
namespace {

using engine::hot::LogFile;
using engine::hot::LogFiles;

// Changes of all files of a log.
class Changes {
 public:
  explicit Changes(std::uint64_t die_at) : die_at_(die_at) {}

  // Counts a change; true if the process is to die in it.
  bool IsLast() { return ++count_ == die_at_; }

  void Count() {
    if (IsLast()) Die();
  }

  [[noreturn]] static void Die() {
    for (;;) ::kill(::getpid(), SIGKILL);
  }

 private:
  const std::uint64_t die_at_;  // 0: never.
  std::atomic<std::uint64_t> count_{0};
};

class DyingLogFile final : public LogFile {
 public:
  DyingLogFile(std::unique_ptr<LogFile> inner, Changes& changes)
      : inner_(std::move(inner)), changes_(changes) {}

  Status Allocate(std::uint64_t bytes) override {
    changes_.Count();
    return inner_->Allocate(bytes);
  }
  Status Write(std::uint64_t offset, Bytes bytes) override {
    if (!changes_.IsLast()) return inner_->Write(offset, bytes);
    static_cast<void>(inner_->Write(offset, bytes.substr(0, bytes.size() / 2)));
    Changes::Die();
  }
  Result<std::string> Read(std::uint64_t offset, std::uint64_t bytes) override {
    return inner_->Read(offset, bytes);
  }
  Result<std::uint64_t> Size() override { return inner_->Size(); }
  Status Truncate(std::uint64_t bytes) override {
    changes_.Count();
    return inner_->Truncate(bytes);
  }
  Status Sync() override {
    changes_.Count();
    return inner_->Sync();
  }
  Result<char*> Map(std::uint64_t bytes) override { return inner_->Map(bytes); }
  void Populate(std::uint64_t offset, std::uint64_t bytes) override {
    inner_->Populate(offset, bytes);
  }

 private:
  const std::unique_ptr<LogFile> inner_;
  Changes& changes_;  // Of the DyingLogFiles.
};

class DyingLogFiles final : public LogFiles {
 public:
  DyingLogFiles(std::unique_ptr<LogFiles> inner, std::uint64_t die_at)
      : inner_(std::move(inner)), changes_(die_at) {}

  Result<std::vector<std::string>> List() override { return inner_->List(); }
  Result<std::unique_ptr<LogFile>> Create(const std::string& name) override {
    changes_.Count();
    return Wrapped(inner_->Create(name));
  }
  Result<std::unique_ptr<LogFile>> Open(const std::string& name) override {
    return Wrapped(inner_->Open(name));
  }
  Status Remove(const std::string& name) override {
    changes_.Count();
    return inner_->Remove(name);
  }
  Status SyncDirectory() override {
    changes_.Count();
    return inner_->SyncDirectory();
  }
  std::string PathOf(const std::string& name) const override { return inner_->PathOf(name); }

 private:
  Result<std::unique_ptr<LogFile>> Wrapped(Result<std::unique_ptr<LogFile>> file) {
    if (!file) return file;
    return std::unique_ptr<LogFile>(std::make_unique<DyingLogFile>(*std::move(file), changes_));
  }

  const std::unique_ptr<LogFiles> inner_;
  Changes changes_;
};

}  // namespace

Result<std::unique_ptr<engine::Engine>> OpenDyingEngine(const DyingEngineOptions& options,
                                                        engine::FaultyDisk& disk) {
  if (options.die_at_operation > 0) disk.KillProcessAt(options.die_at_operation);
  engine::RocksOptions rocks{.directory = options.directory,
                             .profile = engine::Profile::kTiny,
                             .write_buffer_bytes = 32 << 10,
                             .drop_policy = options.drop_policy,
                             .env = disk.env()};
  if (options.engine != StorageEngine::kMemoryFirst) return engine::OpenRocksEngine(rocks);
  rocks.beneath_log = true;
  engine::HotStorage storage;
  storage.name = "hot at " + options.directory;
  MAYFLY_TRY(storage.cold, engine::OpenRocksEngine(rocks));
  storage.files = std::make_unique<DyingLogFiles>(
      engine::hot::NewLogFiles(options.directory + "/" + engine::kHotLogFolder),
      options.die_at_operation);
  return engine::OpenHotEngineOn(std::move(storage),
                                 {.segment_bytes = engine::hot::kSegmentBytesMin,
                                  .log_bytes_max = 2 * engine::hot::kSegmentBytesMin,
                                  // Records that are written are changes, too.
                                  .map_log = options.die_at_operation % 2 == 0,
                                  .memory_bytes_max = std::uint64_t{192} << 10,
                                  .reserved_bytes = std::size_t{1} << 30,
                                  .huge_pages = false,
                                  .drop_policy = options.drop_policy});
}

}  // namespace mayfly::crash
