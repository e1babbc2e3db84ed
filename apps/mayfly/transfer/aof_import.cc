#include "apps/mayfly/transfer/aof_import.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <vector>

#include "apps/mayfly/terminal/interrupt.h"
#include "apps/mayfly/transfer/open_file.h"
#include "apps/mayfly/transfer/rdb_transfer.h"
#include "base/line_logger.h"
#include "base/temporary_directory.h"
#include "server/assembly/assembly.h"
#include "server/command/core_transaction_source.h"
#include "server/follow/full_copy.h"
#include "server/follow/leader_session.h"

namespace mayfly::app {
namespace {

namespace fs = std::filesystem;

// A server without a network, on a folder.
class Replay {
 public:
  static Result<std::unique_ptr<Replay>> Open(const std::string& folder) {
    auto replay = std::make_unique<Replay>(folder);
    MAYFLY_RETURN_IF_ERROR(replay->config_.SetAtStart(server::Setting::kDatabases, "128"));
    MAYFLY_TRY(replay->database_, Database::Open({.directory = folder,
                                                  .create_if_missing = true,
                                                  .purge_on_read = false,
                                                  .allow_any_instant = true,
                                                  .logger = replay->logger_.get()}));
    replay->transactions_ = std::make_unique<server::CoreTransactionSource>(*replay->database_);
    const Clock& clock = SystemClock::Process();
    MAYFLY_TRY(replay->server_, server::Server::Open({.database = *replay->database_,
                                                      .transactions = *replay->transactions_,
                                                      .config = replay->config_,
                                                      .clock = clock,
                                                      .real_clock = clock,
                                                      .logger = *replay->logger_,
                                                      .table = replay->front_.table(),
                                                      .authorizer = &replay->front_.authorizer(),
                                                      .publisher = &replay->front_,
                                                      .extensions = &replay->front_}));
    replay->session_ = std::make_unique<server::LeaderSession>(*replay->server_);
    return replay;
  }

  explicit Replay(std::string folder)
      : folder_(std::move(folder)),
        logger_(NewStderrLogger(LogLevel::kError)),
        front_(SystemClock::Process(), kLuaBytes) {
    position_.host = "file";
    position_.judged_at = WallTimeFromMs(1);  // Before every deadline.
  }

  // A part of the whole: an RDB, commands, or an RDB and then commands.
  Status Read(const std::string& path) {
    const OpenFile file(path, "rb", stdin);
    if (file.get() == nullptr) {
      return Status::IoError(fmt::format("{}: {}", path, std::strerror(errno)));
    }
    FileSource source(file.get(), [](std::uint64_t) { return !Interrupted(); });
    std::string bytes(kPieceBytes, '\0');
    MAYFLY_TRY(const std::size_t count, source.Read(bytes.data(), bytes.size()));
    bytes.resize(count);
    if (bytes.starts_with("REDIS")) MAYFLY_RETURN_IF_ERROR(ReadRdb(path, source, bytes));
    server::FollowPosition begin = position_;
    begin.offset = 0;
    session_->Begin(begin);
    bool ignored = false;
    while (!bytes.empty()) {
      MAYFLY_RETURN_IF_ERROR(session_->Run(bytes, ignored));
      bytes.resize(kPieceBytes);
      MAYFLY_TRY(const std::size_t more, source.Read(bytes.data(), bytes.size()));
      bytes.resize(more);
    }
    cut_off_ = session_->received() - session_->position().offset;
    position_.database = session_->position().database;
    return {};
  }

  // Of the last part: bytes of a command or transaction that is not complete.
  std::int64_t cut_off() const { return cut_off_; }

  std::string LeftOut() const {
    std::string text = left_out_;
    if (session_->failed() > 0) {
      text += fmt::format("{}{} x command, the last: {}", text.empty() ? "" : ", ",
                          session_->failed(), session_->last_failure());
    }
    return text;
  }

 private:
  static constexpr std::size_t kPieceBytes = std::size_t{256} << 10;
  static constexpr std::size_t kLuaBytes = std::size_t{64} << 20;

  // The bytes in front, then the rest of the file.
  class Joined final : public rdb::ByteSource {
   public:
    Joined(std::string first, rdb::ByteSource& rest) : first_(std::move(first)), rest_(rest) {}

    Result<std::size_t> Read(char* to, std::size_t bytes_max) override {
      if (first_.empty()) return rest_.Read(to, bytes_max);
      const std::size_t count = first_.copy(to, bytes_max);
      first_.erase(0, count);
      return count;
    }

    const std::string& first() const { return first_; }  // What is left of it.

   private:
    std::string first_;
    rdb::ByteSource& rest_;
  };

  Status ReadRdb(const std::string& path, rdb::ByteSource& source, std::string& bytes) {
    Joined joined(std::move(bytes), source);
    const auto copied = server::TakeFullCopy(*server_, joined, "", position_, bytes);
    if (!copied) {
      return Status(copied.error().code(), fmt::format("{}: {}", path, copied.error().message()));
    }
    left_out_ = copied->left_out;
    bytes += joined.first();
    return {};
  }

  const std::string folder_;
  const std::unique_ptr<Logger> logger_;
  server::Config config_;
  server::Assembly front_;
  std::unique_ptr<Database> database_;
  std::unique_ptr<server::CoreTransactionSource> transactions_;
  std::unique_ptr<server::Server> server_;
  std::unique_ptr<server::LeaderSession> session_;
  server::FollowPosition position_;
  std::string left_out_;
  std::int64_t cut_off_ = 0;
};

// The parts that a manifest names, in order: "file NAME seq N type b".
Result<std::vector<std::string>> PartsOf(const fs::path& manifest) {
  std::ifstream lines(manifest);
  std::vector<std::string> parts;
  std::string line;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string key;
    std::string value;
    std::string name;
    std::string type;
    while (words >> key >> value) {
      if (key == "file") name = value;
      if (key == "type") type = value;
    }
    if (name.empty() || type == "h") continue;  // History: replaced by newer parts.
    parts.push_back((manifest.parent_path() / name).string());
  }
  if (!parts.empty()) return parts;
  return Status::Invalid(fmt::format("{} names no file", manifest.string()));
}

Result<std::vector<std::string>> FilesOf(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    for (const auto& entry : fs::directory_iterator(path, ignored)) {
      if (entry.path().extension() == ".manifest") return PartsOf(entry.path());
    }
    return Status::Invalid(fmt::format("{} holds no manifest of an AOF", path.string()));
  }
  if (path.extension() == ".manifest") return PartsOf(path);
  return std::vector{path.string()};
}

Status CopyRows(const std::string& folder, Target& target, Importer& importer,
                std::string& left_out) {
  TargetFlags flags;
  flags.target = folder;
  MAYFLY_TRY(const auto source, OpenTarget(flags, Access::kRead));
  ScanRange all;
  all.with_collections = true;
  MAYFLY_TRY(const auto databases, source->ListDatabases());
  std::uint64_t keys = 0;
  for (const int database : databases) {
    MAYFLY_RETURN_IF_ERROR(source->UseDatabase(database));
    MAYFLY_TRY(const std::uint64_t rows, source->Count(""));
    if (rows == 0) continue;
    MAYFLY_RETURN_IF_ERROR(target.UseDatabase(database));
    Status added;
    MAYFLY_RETURN_IF_ERROR(source->Scan(all, [&](const TargetRow& row) {
      if (row.key.empty() && !HoldsEmptyKey(target)) {
        left_out += fmt::format("{}{}", left_out.empty() ? "" : ", ", kEmptyKey);
        return true;
      }
      added = importer.Add(row, ++keys);
      return added.ok() && !Interrupted();
    }));
    MAYFLY_RETURN_IF_ERROR(added);
    MAYFLY_RETURN_IF_ERROR(importer.Flush());
  }
  MAYFLY_TRY(const auto libraries, source->Libraries());
  return target.AddLibraries(libraries);
}

}  // namespace

Status ImportAof(const std::string& path, Target& target, Importer& importer,
                 std::string& left_out) {
  MAYFLY_TRY(const auto files, FilesOf(path));
  const TemporaryDirectory folder;
  const std::string data = folder.Inside("data");
  {
    MAYFLY_TRY(const auto replay, Replay::Open(data));
    for (const std::string& file : files) {
      MAYFLY_RETURN_IF_ERROR(replay->Read(file));
      if (replay->cut_off() > 0 && file != files.back()) {
        return Status::Corruption(fmt::format("{} ends within a command", file));
      }
    }
    left_out = replay->LeftOut();
    if (replay->cut_off() > 0) {
      left_out += fmt::format("{}{} bytes of a command or transaction that is cut off",
                              left_out.empty() ? "" : ", ", replay->cut_off());
    }
  }
  return CopyRows(data, target, importer, left_out);
}

}  // namespace mayfly::app
