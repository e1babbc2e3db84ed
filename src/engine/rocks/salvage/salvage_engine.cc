#include "engine/rocks/salvage/salvage_engine.h"

#include "base/log.h"
#include "engine/rocks/files/encrypted_files.h"
#include "engine/rocks/files/format_file.h"
#include "engine/rocks/salvage/salvage_cursor.h"
#include "engine/rocks/salvage/salvaged_state.h"

namespace mayfly::engine {
namespace {

class SalvageSnapshot final : public Snapshot {
 public:
  explicit SalvageSnapshot(std::atomic<std::uint64_t>& open) : ticket_(open) {}

 private:
  const HandleTicket ticket_;
};

// The state, and the Env it reads through, which is destroyed after it.
struct SalvagedFiles {
  std::shared_ptr<const crypto::DatabaseKey> key;  // Null: they are not encrypted.
  std::unique_ptr<rocksdb::Env> encrypted;
  std::unique_ptr<SalvagedState> state;
};

class SalvageEngine final : public Engine {
 public:
  SalvageEngine(const std::string& directory, DirectoryLock lock, std::shared_ptr<DamageLog> damage,
                SalvagedFiles files, Logger& logger)
      : Engine("rocks at " + directory,
               {.atomic_across_slots = true, .persistent = true, .writable = false}),
        lock_(std::move(lock)),
        damage_(std::move(damage)),
        files_(std::move(files)),
        logger_(logger) {}

  std::shared_ptr<const crypto::DatabaseKey> encryption_key() const override { return files_.key; }

  ~SalvageEngine() override {
    if (const Status closed = CloseAtDestruction(); !closed.ok()) {
      Log(logger_, LogLevel::kError, "{}", closed.ToString());
    }
  }

 private:
  Status DoGet(Address at, Bytes key, PinnedBytes& value, const Snapshot*) const override {
    const std::string end = std::string(key) + '\0';
    SalvageCursor cursor(*files_.state, at.role, {.range = {key, end}}, open_cursors());
    cursor.SeekToFirst();
    if (!cursor.Valid()) {
      value.Show({});
      return Status::NotFound();
    }
    auto& held = value.Hold<std::string>();
    held = cursor.value();
    value.Show(held);
    return {};
  }

  void DoMultiGet(std::span<Lookup*> lookups, const Snapshot* snapshot) const override {
    for (Lookup* const lookup : lookups) {
      lookup->status = DoGet(lookup->at, lookup->key, lookup->value, snapshot);
    }
  }

  Result<std::unique_ptr<Cursor>> DoNewCursor(Address at,
                                              const CursorOptions& options) const override {
    return std::make_unique<SalvageCursor>(*files_.state, at.role, options, open_cursors());
  }
  Result<std::unique_ptr<Snapshot>> DoNewSnapshot() const override {
    return std::make_unique<SalvageSnapshot>(open_snapshots());
  }

  Result<EngineStats> DoStats() const override {
    EngineStats stats;
    stats.disk_bytes = files_.state->disk_bytes();
    stats.damage_seen = damage_->times();
    stats.first_damage = damage_->first();
    stats.given_up = files_.state->GivenUp();
    return stats;
  }
  Result<std::vector<FileInfo>> DoFiles(Role) const override { return std::vector<FileInfo>(); }
  Result<std::vector<Trace>> DoFind(Bytes, std::size_t, const FindProgress&) const override {
    return NotHere();
  }

  Status DoCommit(const Batch&, Durability) override { return NotHere(); }
  Status DoSync(Durability) override { return NotHere(); }
  Status DoCompact(Role, const KeyRange&) override { return NotHere(); }
  Result<bool> DoCompactFile(Role, const std::string&, std::uint64_t) override { return NotHere(); }
  Result<bool> DoDropFile(Role, const std::string&) override { return NotHere(); }
  Status DoFlush() override { return NotHere(); }

  Status DoClose() override {
    lock_.Release();
    return {};
  }

  static Status NotHere() {
    return Status::Unsupported("a database that is opened to be salvaged can be read, no more");
  }

  DirectoryLock lock_;
  const std::shared_ptr<DamageLog> damage_;  // Shared with the state.
  const SalvagedFiles files_;
  Logger& logger_;
};

}  // namespace

Result<std::unique_ptr<Engine>> OpenSalvageEngine(SalvageOptions options) {
  SalvagedFiles files;
  files.key = std::move(options.key);
  rocksdb::Env* env = &options.env;
  if (files.key != nullptr) {
    files.encrypted = NewEncryptedFiles(*env, files.key);
    env = files.encrypted.get();
  }
  Logger& logger = options.logger != nullptr ? *options.logger : SilentLogger();
  // Stats() lists the damaged places; the log's advice to salvage would be of no use here.
  auto damage = std::make_shared<DamageLog>(SilentLogger());
  files.state = std::make_unique<SalvagedState>(*env, options.directory, damage);
  SalvagedState* const state = files.state.get();
  if (!options.is_marked) state->Note(kFormatFileName, "MAYFLY is missing or damaged");
  MAYFLY_RETURN_IF_ERROR(state->Open(options.may_be_empty));
  return std::unique_ptr<Engine>(std::make_unique<SalvageEngine>(
      options.directory, std::move(options.lock), std::move(damage), std::move(files), logger));
}

}  // namespace mayfly::engine
