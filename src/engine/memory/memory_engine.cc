#include "engine/memory/memory_engine.h"

#include <utility>

#include "base/check.h"
#include "engine/memory/memory_cursor.h"
#include "engine/memory/memory_store.h"

namespace mayfly::engine {
namespace {

class MemorySnapshot final : public Snapshot {
 public:
  MemorySnapshot(MemoryStore& store, std::atomic<std::uint64_t>& open_snapshots)
      : ticket_(open_snapshots), frozen_(store) {}

  const MemoryStore::FrozenState& frozen() const { return frozen_; }

 private:
  const HandleTicket ticket_;  // First, so that it is destroyed last.
  const MemoryStore::FrozenState frozen_;
};

class MemoryEngine final : public Engine {
 public:
  explicit MemoryEngine(MemoryOptions options)
      : Engine("memory", {.persistent = false}), options_(std::move(options)) {}

  ~MemoryEngine() override {
    MAYFLY_CHECK(CloseAtDestruction().ok(), "a memory engine has nothing that could fail to close");
  }

 private:
  static const MemoryStore::FrozenState* FrozenOf(const Snapshot* snapshot) {
    return snapshot ? &static_cast<const MemorySnapshot*>(snapshot)->frozen() : nullptr;
  }
  static Sequence StateOf(const Snapshot* snapshot) {
    return snapshot ? FrozenOf(snapshot)->sequence() : kNewest;
  }

  Status DoGet(Address at, Bytes key, PinnedBytes& value, const Snapshot* snapshot) const override {
    return Pin(store_.Get(at.role, key, StateOf(snapshot)), value);
  }

  void DoMultiGet(std::span<Lookup*> lookups, const Snapshot* snapshot) const override {
    store_.MultiGet(lookups, StateOf(snapshot));
  }

  Result<std::unique_ptr<Cursor>> DoNewCursor(Address at,
                                              const CursorOptions& options) const override {
    return std::make_unique<MemoryCursor>(store_, at.role, options.range,
                                          FrozenOf(options.snapshot), open_cursors());
  }

  Result<std::unique_ptr<Snapshot>> DoNewSnapshot() const override {
    return std::make_unique<MemorySnapshot>(store_, open_snapshots());
  }

  Status DoCommit(const Batch& batch, Durability) override {
    const auto broken = store_.Commit(batch);
    return broken ? ConditionFailed(*broken) : Status();
  }

  Status DoSync(Durability) override { return {}; }

  Status DoCompact(Role role, const KeyRange& range) override {
    if (!options_.drop_policy) return {};
    if (const auto judge = options_.drop_policy->NewJudge(role)) {
      store_.Compact(role, range, *judge);
    }
    return {};
  }

  // There are no files to rewrite or remove, and nothing to write out.
  Result<bool> DoCompactFile(Role, const std::string&, std::uint64_t) override { return false; }
  Result<bool> DoDropFile(Role, const std::string&) override { return false; }
  Status DoFlush() override { return {}; }

  Result<std::vector<Trace>> DoFind(Bytes needle, std::size_t traces_max,
                                    const FindProgress&) const override {
    return store_.Find(needle, traces_max);
  }

  Result<std::vector<FileInfo>> DoFiles(Role) const override { return std::vector<FileInfo>(); }

  Result<EngineStats> DoStats() const override {
    return EngineStats{.memory_bytes = store_.memory_bytes()};
  }

  Status DoClose() override {
    store_.Clear();
    return {};
  }

  const MemoryOptions options_;
  mutable MemoryStore store_;  // Opening a state changes nothing a caller can see.
};

}  // namespace

std::unique_ptr<Engine> NewMemoryEngine(MemoryOptions options) {
  return std::make_unique<MemoryEngine>(std::move(options));
}

}  // namespace mayfly::engine
