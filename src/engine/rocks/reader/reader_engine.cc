#include "engine/rocks/reader/reader_engine.h"

#include "base/directory_lock.h"
#include "base/log.h"
#include "engine/rocks/files/format_file.h"
#include "engine/rocks/reader/layered_cursor.h"
#include "engine/rocks/reader/log_follower.h"
#include "engine/rocks/reader/look_thread.h"

namespace mayfly::engine {
namespace {

class ReaderEngine final : public Engine {
 public:
  explicit ReaderEngine(const ReaderOptions& options)
      : Engine("rocks at " + options.rocks.directory,
               {.persistent = true, .writable = false, .follows = true}),
        logger_(options.rocks.logger != nullptr ? *options.rocks.logger : SilentLogger()),
        directory_(options.rocks.directory),
        mark_(DirectoryLock::Beside(directory_, kLockFileName)),
        follower_(std::make_unique<LogFollower>(options)) {}

  ~ReaderEngine() override {
    if (!is_owner()) {
      Abandon(std::move(looker_));
      Abandon(std::move(follower_));
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

  std::uint64_t ChangedAt(Role role, unsigned char first) const override {
    return follower_->ChangedAt(role, first);
  }

  bool HasReadersBeside() const override { return mark_.HasReadersBeside(); }

 private:
  Status DoGet(Address at, Bytes key, PinnedBytes& value, const Snapshot* snapshot) const override {
    if (snapshot != nullptr) {
      const auto& frozen = static_cast<const LayeredSnapshot&>(*snapshot);
      return GetFrom(*frozen.state(), frozen.tail(), frozen.hidden(), at, key, value);
    }
    const auto lock = follower_->LockToRead();
    const LayeredState& state = *follower_->state();
    return GetFrom(state, nullptr, state.hidden, at, key, value);
  }

  static Status GetFrom(const LayeredState& state, const Snapshot* tail_snapshot,
                        const HiddenByRole& hidden, Address at, Bytes key, PinnedBytes& value) {
    const Status in_tail = state.tail->Get(at, key, value, tail_snapshot);
    if (in_tail.ok()) {
      Bytes shown;
      const TailWord word = ReadTailValue(value.view(), shown);
      if (word == TailWord::kPut) {
        value.Show(shown);
        return {};
      }
      value.Reset();
      return Status::NotFound();
    }
    if (!in_tail.IsNotFound()) return in_tail;
    if (hidden[static_cast<std::size_t>(at.role)]->Find(key) != nullptr) {
      value.Reset();
      return Status::NotFound();
    }
    return state.tables->Get(at, key, value);
  }

  void DoMultiGet(std::span<Lookup*> lookups, const Snapshot* snapshot) const override {
    std::unique_ptr<Snapshot> own;
    if (snapshot == nullptr) {
      auto taken = DoNewSnapshot();
      if (!taken) {
        for (Lookup* lookup : lookups) lookup->status = taken.error();
        return;
      }
      own = *std::move(taken);
      snapshot = own.get();
    }
    for (Lookup* lookup : lookups) {
      lookup->status = DoGet(lookup->at, lookup->key, lookup->value, snapshot);
    }
  }

  Result<std::unique_ptr<Snapshot>> DoNewSnapshot() const override {
    const auto lock = follower_->LockToRead();
    MAYFLY_TRY(auto tail, follower_->state()->tail->NewSnapshot());
    return std::make_unique<LayeredSnapshot>(follower_->state(), std::move(tail), open_snapshots());
  }

  Result<std::unique_ptr<Cursor>> DoNewCursor(Address at,
                                              const CursorOptions& options) const override {
    const auto role = static_cast<std::size_t>(at.role);
    LayeredCursor::Layers layers;
    CursorOptions of_tail = options;
    CursorOptions of_tables = options;
    of_tables.snapshot = nullptr;  // The tables do not change.
    if (options.snapshot != nullptr) {
      const auto& frozen = static_cast<const LayeredSnapshot&>(*options.snapshot);
      layers.state = frozen.state();
      layers.hidden = frozen.hidden()[role];
      of_tail.snapshot = frozen.tail();
      MAYFLY_TRY(layers.tail, layers.state->tail->NewCursor(at, of_tail));
    } else {
      const auto lock = follower_->LockToRead();
      layers.state = follower_->state();
      layers.hidden = layers.state->hidden[role];
      MAYFLY_TRY(layers.tail, layers.state->tail->NewCursor(at, of_tail));
    }
    MAYFLY_TRY(layers.tables, layers.state->tables->NewCursor(at, of_tables));
    return std::make_unique<LayeredCursor>(std::move(layers), open_cursors());
  }

  Result<std::uint64_t> DoRefresh() const override { return follower_->Refresh(); }

  // Refused by Engine, since it cannot be written to.
  Status DoCommit(const Batch& /*batch*/, Durability /*durability*/) override { return Refused(); }
  Status DoSync(Durability /*durability*/) override { return Refused(); }
  Status DoCompact(Role /*role*/, const KeyRange& /*range*/) override { return Refused(); }
  Result<bool> DoCompactFile(Role /*role*/, const std::string& /*name*/,
                             std::uint64_t /*bytes_per_second*/) override {
    return Refused();
  }
  Result<bool> DoDropFile(Role /*role*/, const std::string& /*name*/) override { return Refused(); }
  Status DoFlush() override { return Refused(); }
  static Status Refused() { return Status::ReadOnly("a reader changes nothing"); }

  Result<std::vector<Trace>> DoFind(Bytes needle, std::size_t traces_max,
                                    const FindProgress& progress) const override {
    MAYFLY_TRY(const DirectoryLock alone, KeepWritersOut());
    return State()->tables->Find(needle, traces_max, progress);
  }
  Result<std::vector<FileInfo>> DoFiles(Role role) const override {
    MAYFLY_TRY(const DirectoryLock alone, KeepWritersOut());
    return State()->tables->Files(role);
  }
  Result<EngineStats> DoStats() const override {
    const auto state = State();
    MAYFLY_TRY(EngineStats stats, state->tables->Stats());
    MAYFLY_TRY(const EngineStats tail, state->tail->Stats());
    stats.memory_bytes += tail.memory_bytes;
    stats.last_commit = follower_->last_commit();
    return stats;
  }

  Status DoClose() override {
    looker_.reset();
    follower_->Close();
    mark_.Release();
    return {};
  }

  // Busy beside a writer, which may change the files meanwhile.
  Result<DirectoryLock> KeepWritersOut() const {
    MAYFLY_TRY(auto lock,
               DirectoryLock::Take(directory_, kLockFileName, DirectoryLock::Mode::kShared));
    MAYFLY_RETURN_IF_ERROR(follower_->Refresh().status());
    return lock;
  }

  std::shared_ptr<const LayeredState> State() const {
    const auto lock = follower_->LockToRead();
    return follower_->state();
  }

  Logger& logger_;
  const std::string directory_;
  DirectoryLock mark_;  // Held before any file is opened, and until all are closed.
  std::unique_ptr<LogFollower> follower_;
  std::unique_ptr<LookThread> looker_;
};

}  // namespace

Result<std::unique_ptr<Engine>> OpenReaderEngine(const ReaderOptions& options) {
  RocksOptions rocks = options.rocks;
  rocks.read_only = true;
  MAYFLY_RETURN_IF_ERROR(CheckDirectory(rocks));
  auto engine = std::make_unique<ReaderEngine>(options);
  MAYFLY_RETURN_IF_ERROR(engine->Start(options.has_thread));
  return std::unique_ptr<Engine>(std::move(engine));
}

}  // namespace mayfly::engine
