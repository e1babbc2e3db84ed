#include "engine/hot/hot_reencrypt.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "engine/hot/fold_marker.h"
#include "engine/hot/log/hot_log.h"
#include "engine/hot/log/log_recovery.h"
#include "engine/rocks/rocks_engine.h"

namespace mayfly::engine {
namespace {

// Small ones: room for two is allocated at once.
constexpr std::uint64_t kCopiedSegmentBytes = std::uint64_t{1} << 20;

struct LogCopy {
  hot::LogFiles& from;
  const crypto::DatabaseKey* key;  // Null: not encrypted, as the next.
  hot::LogFiles& to;
  std::shared_ptr<const crypto::DatabaseKey> new_key;
};

// Appends records to a log, many with one write.
class Appending {
 public:
  explicit Appending(hot::HotLog& log) : log_(log) {}

  Status Add(Bytes payload) {
    if (payload.empty()) return {};  // A mark, which says something about the old log.
    if (bytes_ + payload.size() > kAppendedBytes || payloads_.size() == kAppendedRecords) {
      MAYFLY_RETURN_IF_ERROR(Finish());
    }
    bytes_ += payload.size();
    payloads_.emplace_back(payload);
    return {};
  }

  Status Finish() {
    const std::vector<Bytes> views(payloads_.begin(), payloads_.end());
    if (!views.empty()) MAYFLY_RETURN_IF_ERROR(log_.Append(views).status());
    payloads_.clear();
    bytes_ = 0;
    return {};
  }

 private:
  static constexpr std::size_t kAppendedBytes = std::size_t{1} << 20;
  static constexpr std::size_t kAppendedRecords = 256;
  static_assert(kAppendedRecords <= hot::kGroupRecordsMax);

  hot::HotLog& log_;
  std::vector<std::string> payloads_;
  std::size_t bytes_ = 0;
};

Status CopyLog(const LogCopy& copy) {
  MAYFLY_TRY(const hot::Sequence folded, hot::ReadFoldMarker(copy.from));
  MAYFLY_TRY(const std::unique_ptr<hot::HotLog> log,
             hot::HotLog::Open({.files = &copy.to,
                                .segment_bytes = kCopiedSegmentBytes,
                                .mapped = false,
                                .key = copy.new_key},
                               [](const hot::LogRecord&) { return Status(); }));
  Appending appending(*log);
  const auto append = [&](const hot::LogRecord& record) { return appending.Add(record.payload); };
  MAYFLY_RETURN_IF_ERROR(hot::RecoverLog(copy.from, copy.key, folded + 1, append).status());
  MAYFLY_RETURN_IF_ERROR(appending.Finish());
  MAYFLY_RETURN_IF_ERROR(log->Close());
  return copy.to.SyncDirectory();
}

}  // namespace

Status ReencryptHot(const RocksCopy& copy, rocksdb::Env* env, hot::LogFiles* new_log) {
  RocksCopy whole = copy;
  whole.copy_log = [&](const RocksCopy::Key& key, const RocksCopy::Key& new_key) -> Status {
    if (!HasHotLog(copy.directory)) return {};
    const auto from = hot::NewLogFiles(copy.directory + "/" + kHotLogFolder, hot::LogAccess::kRead);
    std::unique_ptr<hot::LogFiles> owned;
    if (new_log == nullptr) {
      owned = hot::NewLogFiles(copy.new_directory + "/" + kHotLogFolder);
      new_log = owned.get();
    }
    const Status copied =
        CopyLog({.from = *from, .key = key.get(), .to = *new_log, .new_key = new_key});
    // On a full disk the log is Busy, which means open elsewhere here.
    if (copied.code() == StatusCode::kBusy) return Status::IoError(std::string(copied.message()));
    if (copied.code() != StatusCode::kCorruption) return copied;
    return Status::Corruption(fmt::format(
        "{}. Restore a backup, or save what can be read: mayfly backup --salvage {} FILE",
        copied.message(), copy.directory));
  };
  return ReencryptRocks(whole, env);
}

}  // namespace mayfly::engine
