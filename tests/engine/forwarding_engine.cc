#include "tests/engine/forwarding_engine.h"

#include <utility>

#include "base/check.h"

namespace mayfly::engine::suite {
namespace {

class ForwardingSnapshot final : public Snapshot {
 public:
  ForwardingSnapshot(std::unique_ptr<Snapshot> inner, std::atomic<std::uint64_t>& open_snapshots)
      : ticket_(open_snapshots), inner_(std::move(inner)) {}

  const Snapshot* inner() const { return inner_.get(); }

 private:
  const HandleTicket ticket_;
  const std::unique_ptr<Snapshot> inner_;
};

}  // namespace

ForwardingEngine::ForwardingEngine(std::unique_ptr<Engine> inner,
                                   std::optional<Capabilities> capabilities)
    : Engine(inner->name(), capabilities.value_or(inner->capabilities())),
      inner_(std::move(inner)) {}

ForwardingEngine::~ForwardingEngine() {
  MAYFLY_CHECK(CloseAtDestruction().ok(), "the engine behind a forwarding engine did not close");
}

const Snapshot* ForwardingEngine::InnerOf(const Snapshot* snapshot) {
  return snapshot ? static_cast<const ForwardingSnapshot*>(snapshot)->inner() : nullptr;
}

std::unique_ptr<Cursor> ForwardingEngine::Forward(std::unique_ptr<Cursor> inner) const {
  return std::make_unique<ForwardingCursor>(std::move(inner), open_cursors());
}

Status ForwardingEngine::DoGet(Address at, Bytes key, PinnedBytes& value,
                               const Snapshot* snapshot) const {
  return inner_->Get(at, key, value, InnerOf(snapshot));
}

// Lookups cannot be moved, so the values of the outer ones keep the inner ones alive.
void ForwardingEngine::DoMultiGet(std::span<Lookup*> lookups, const Snapshot* snapshot) const {
  const auto answers = std::make_shared<std::vector<Lookup>>(lookups.size());
  for (std::size_t i = 0; i < lookups.size(); ++i) {
    (*answers)[i].at = lookups[i]->at;
    (*answers)[i].key = lookups[i]->key;
  }
  const Status all = inner_->MultiGet(*answers, InnerOf(snapshot));
  for (std::size_t i = 0; i < lookups.size(); ++i) {
    const Lookup& answer = (*answers)[i];
    lookups[i]->status = answer.status.ok() && !all.ok() ? all : answer.status;
    lookups[i]->value.Reset();
    if (!answer.status.ok()) continue;
    lookups[i]->value.Hold<std::shared_ptr<std::vector<Lookup>>>() = answers;
    lookups[i]->value.Show(answer.value.view());
  }
}

Result<std::unique_ptr<Cursor>> ForwardingEngine::DoNewCursor(Address at,
                                                              const CursorOptions& options) const {
  CursorOptions inner_options = options;
  inner_options.snapshot = InnerOf(options.snapshot);
  MAYFLY_TRY(auto cursor, inner_->NewCursor(at, inner_options));
  return Forward(std::move(cursor));
}

Result<std::unique_ptr<Snapshot>> ForwardingEngine::DoNewSnapshot() const {
  MAYFLY_TRY(auto snapshot, inner_->NewSnapshot());
  return std::make_unique<ForwardingSnapshot>(std::move(snapshot), open_snapshots());
}

Status ForwardingEngine::DoCommit(const Batch& batch, Durability durability) {
  return inner_->Commit(batch, durability);
}

Status ForwardingEngine::DoSync(Durability durability) { return inner_->Sync(durability); }

Status ForwardingEngine::DoCompact(Role role, const KeyRange& range) {
  return inner_->Compact(role, range);
}

Result<bool> ForwardingEngine::DoCompactFile(Role role, const std::string& name,
                                             std::uint64_t bytes_per_second) {
  return inner_->CompactFile(role, name, bytes_per_second);
}

Result<bool> ForwardingEngine::DoDropFile(Role role, const std::string& name) {
  return inner_->DropFile(role, name);
}

Status ForwardingEngine::DoFlush() { return inner_->Flush(); }

Result<std::vector<Trace>> ForwardingEngine::DoFind(Bytes needle, std::size_t traces_max,
                                                    const FindProgress& progress) const {
  return inner_->Find(needle, traces_max, progress);
}

Result<std::vector<FileInfo>> ForwardingEngine::DoFiles(Role role) const {
  return inner_->Files(role);
}

Result<EngineStats> ForwardingEngine::DoStats() const { return inner_->Stats(); }

Status ForwardingEngine::DoClose() { return inner_->Close(); }

std::unique_ptr<Engine> NewForwardingEngine(std::unique_ptr<Engine> inner) {
  return std::make_unique<ForwardingEngine>(std::move(inner));
}

void ForwardingCursor::Mirror() {
  if (inner_->Valid()) {
    Show(inner_->key(), inner_->value());
  } else {
    Hide();
  }
}

void ForwardingCursor::DoSeekToFirst() {
  inner_->SeekToFirst();
  Mirror();
}

void ForwardingCursor::DoSeekToLast() {
  inner_->SeekToLast();
  Mirror();
}

void ForwardingCursor::DoSeekAtOrAfter(Bytes target) {
  inner_->SeekAtOrAfter(target);
  Mirror();
}

void ForwardingCursor::DoSeekAtOrBefore(Bytes target) {
  inner_->SeekAtOrBefore(target);
  Mirror();
}

void ForwardingCursor::DoNext() {
  inner_->Next();
  Mirror();
}

void ForwardingCursor::DoPrev() {
  inner_->Prev();
  Mirror();
}

}  // namespace mayfly::engine::suite
