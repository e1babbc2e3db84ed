// forwarding_engine.h - an engine that forwards every call to another one.
// Tests override the one call they want to break, slow down or count. It has the inner engine's
// name, and its capabilities unless others are given, and counts its own handles.
#pragma once

#include <memory>
#include <optional>

#include "engine/engine.h"

namespace mayfly::engine::suite {

class ForwardingEngine : public Engine {
 public:
  explicit ForwardingEngine(std::unique_ptr<Engine> inner,
                            std::optional<Capabilities> capabilities = std::nullopt);
  ~ForwardingEngine() override;

  bool HasReadersBeside() const override { return inner_->HasReadersBeside(); }

 protected:
  Engine& inner() const { return *inner_; }

  // The inner engine's snapshot behind one of this engine's.
  static const Snapshot* InnerOf(const Snapshot* snapshot);

  // A cursor of this engine over one of the inner engine's.
  std::unique_ptr<Cursor> Forward(std::unique_ptr<Cursor> inner) const;

  Status DoGet(Address at, Bytes key, PinnedBytes& value, const Snapshot* snapshot) const override;
  void DoMultiGet(std::span<Lookup*> lookups, const Snapshot* snapshot) const override;
  void DoPrefetch(Address at, std::span<const Bytes> keys) const override {
    inner_->Prefetch(at, keys);
  }
  Result<std::unique_ptr<Cursor>> DoNewCursor(Address at,
                                              const CursorOptions& options) const override;
  Result<std::unique_ptr<Snapshot>> DoNewSnapshot() const override;
  Status DoCommit(const Batch& batch, Durability durability) override;
  Status DoSync(Durability durability) override;
  Status DoCompact(Role role, const KeyRange& range) override;
  Result<bool> DoCompactFile(Role role, const std::string& name,
                             std::uint64_t bytes_per_second) override;
  Result<bool> DoDropFile(Role role, const std::string& name) override;
  Status DoFlush() override;
  Result<std::vector<Trace>> DoFind(Bytes needle, std::size_t traces_max,
                                    const FindProgress& progress) const override;
  Result<std::vector<FileInfo>> DoFiles(Role role) const override;
  Result<EngineStats> DoStats() const override;
  Status DoClose() override;

 private:
  const std::unique_ptr<Engine> inner_;
};

// A ForwardingEngine that breaks nothing.
std::unique_ptr<Engine> NewForwardingEngine(std::unique_ptr<Engine> inner);

// Shows what the inner cursor shows. Derived cursors change moves and call Mirror() after each.
class ForwardingCursor : public Cursor {
 public:
  ForwardingCursor(std::unique_ptr<Cursor> inner, std::atomic<std::uint64_t>& open_cursors)
      : ticket_(open_cursors), inner_(std::move(inner)) {}

  Status status() const override { return inner_->status(); }

 protected:
  Cursor& inner() { return *inner_; }
  void Replace(std::unique_ptr<Cursor> inner) { inner_ = std::move(inner); }
  void Mirror();

  void DoSeekToFirst() override;
  void DoSeekToLast() override;
  void DoSeekAtOrAfter(Bytes target) override;
  void DoSeekAtOrBefore(Bytes target) override;
  void DoNext() override;
  void DoPrev() override;

 private:
  const HandleTicket ticket_;
  std::unique_ptr<Cursor> inner_;
};

}  // namespace mayfly::engine::suite
