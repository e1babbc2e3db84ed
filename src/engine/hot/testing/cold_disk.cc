#include "engine/hot/testing/cold_disk.h"

#include <utility>

#include "engine/memory/memory_engine.h"

namespace mayfly::engine::hot {

// In memory, with its commits on the disk.
class ColdEngine final : public Engine {
 public:
  ColdEngine(ColdDisk& disk, std::unique_ptr<Engine> inner)
      : Engine("cold", {}), disk_(disk), generation_(disk.generation_), inner_(std::move(inner)) {}
  ~ColdEngine() override { static_cast<void>(CloseAtDestruction()); }

 private:
  Status DoGet(Address at, Bytes key, PinnedBytes& value, const Snapshot* snapshot) const override {
    ++disk_.gets_;
    return inner_->Get(at, key, value, snapshot);
  }
  void DoMultiGet(std::span<Lookup*> lookups, const Snapshot* snapshot) const override {
    for (Lookup* lookup : lookups) {
      lookup->status = DoGet(lookup->at, lookup->key, lookup->value, snapshot);
    }
  }
  Result<std::unique_ptr<Cursor>> DoNewCursor(Address at,
                                              const CursorOptions& options) const override {
    return inner_->NewCursor(at, options);
  }
  Result<std::unique_ptr<Snapshot>> DoNewSnapshot() const override { return inner_->NewSnapshot(); }
  Status DoCommit(const Batch& batch, Durability) override {
    MAYFLY_RETURN_IF_ERROR(disk_.Commit(batch, generation_));
    return inner_->Commit(batch);
  }
  Status DoSync(Durability durability) override {
    return durability == Durability::kDisk ? disk_.Sync(generation_) : Status();
  }
  Status DoCompact(Role role, const KeyRange& range) override {
    return inner_->Compact(role, range);
  }
  Result<bool> DoCompactFile(Role, const std::string&, std::uint64_t) override { return false; }
  Result<bool> DoDropFile(Role, const std::string&) override { return false; }
  Status DoFlush() override { return disk_.Sync(generation_); }
  Result<std::vector<Trace>> DoFind(Bytes needle, std::size_t traces_max,
                                    const FindProgress& progress) const override {
    return inner_->Find(needle, traces_max, progress);
  }
  Result<std::vector<FileInfo>> DoFiles(Role role) const override { return inner_->Files(role); }
  Result<EngineStats> DoStats() const override { return EngineStats(); }  // No memory.
  Status DoClose() override { return inner_->Close(); }

  ColdDisk& disk_;
  const std::uint64_t generation_;
  const std::unique_ptr<Engine> inner_;
};

std::unique_ptr<Engine> ColdDisk::Open() {
  auto inner = NewMemoryEngine({});
  for (const Batch& batch : batches_) static_cast<void>(inner->Commit(batch));
  return std::make_unique<ColdEngine>(*this, std::move(inner));
}

void ColdDisk::FailAt(std::uint64_t change, std::uint64_t count) {
  fail_begin_ = change;
  fail_end_ = change + count;
}

void ColdDisk::Restart() {
  ++generation_;
  fail_begin_ = fail_end_ = cut_at_ = FaultyLogDisk::kNever;
}

void ColdDisk::PowerCut(Random& random) {
  batches_.resize(synced_ + random.Below(batches_.size() - synced_ + 1));
  synced_ = batches_.size();
  Restart();
}

bool ColdDisk::Arrives() {
  const std::uint64_t change = disk_.changes();
  if (refuses_ || change >= cut_at_) return false;
  disk_.Tick();
  return change < fail_begin_ || change >= fail_end_;
}

Status ColdDisk::Commit(const Batch& batch, std::uint64_t generation) {
  if (on_commit_) on_commit_(batch);
  if (generation != generation_) return Status::IoError("of a process that is dead");
  if (!Arrives()) return Status::IoError("the cold store refuses");
  batches_.push_back(batch);
  for (std::size_t i = 0; i < batch.change_count(); ++i) {
    const Batch::Kind kind = batch.change(i).kind;
    puts_ += kind == Batch::Kind::kPut ? 1U : 0U;
    deletes_ += kind == Batch::Kind::kDelete ? 1U : 0U;
  }
  return {};
}

Status ColdDisk::Sync(std::uint64_t generation) {
  if (generation != generation_) return Status::IoError("of a process that is dead");
  if (!Arrives()) return Status::IoError("the cold store cannot sync");
  synced_ = batches_.size();
  return {};
}

namespace {

class ProcessFiles final : public LogFiles {
 public:
  ProcessFiles(FaultyLogDisk& disk, const ColdDisk& cold)
      : disk_(disk), cold_(cold), generation_(cold.generation()) {}

  Result<std::vector<std::string>> List() override { return disk_.List(); }
  Result<std::unique_ptr<LogFile>> Create(const std::string& name) override {
    MAYFLY_RETURN_IF_ERROR(CheckAlive());
    return disk_.Create(name);
  }
  Result<std::unique_ptr<LogFile>> Open(const std::string& name) override {
    MAYFLY_RETURN_IF_ERROR(CheckAlive());
    return disk_.Open(name);
  }
  Status Remove(const std::string& name) override {
    MAYFLY_RETURN_IF_ERROR(CheckAlive());
    return disk_.Remove(name);
  }
  Status SyncDirectory() override {
    MAYFLY_RETURN_IF_ERROR(CheckAlive());
    return disk_.SyncDirectory();
  }
  std::string PathOf(const std::string& name) const override { return disk_.PathOf(name); }

 private:
  Status CheckAlive() const {
    return generation_ == cold_.generation() ? Status() : Status::IoError("the process is dead");
  }

  FaultyLogDisk& disk_;
  const ColdDisk& cold_;
  const std::uint64_t generation_;
};

}  // namespace

std::unique_ptr<LogFiles> FilesOf(FaultyLogDisk& disk, const ColdDisk& cold) {
  return std::make_unique<ProcessFiles>(disk, cold);
}

}  // namespace mayfly::engine::hot
