// counting_engine.h - counts what is asked of an engine, so that a test can say what a call costs
// without a clock.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <string>

#include "tests/engine/forwarding_engine.h"

namespace mayfly {

// Shared by the engine and the test that reads it.
struct EngineCosts {
  std::uint64_t gets = 0;
  std::uint64_t cursor_moves = 0;
  std::uint64_t commits = 0;
  std::uint64_t changes = 0;  // Of all batches.
  std::uint64_t largest_batch = 0;
  // Keys that were deleted and that cursors passed over: what they cost on an engine that keeps a
  // tombstone of each.
  std::uint64_t tombstones = 0;
  std::uint64_t syncs = 0;  // Persist() with kDisk.
  bool disk_fails = false;  // For the test to set: those fail.
};

class CountingEngine final : public engine::suite::ForwardingEngine {
 public:
  CountingEngine(std::unique_ptr<engine::Engine> inner, std::shared_ptr<EngineCosts> costs)
      : ForwardingEngine(std::move(inner)), costs_(std::move(costs)) {}

 private:
  using Keys = std::set<std::string, std::less<>>;

  class CountingCursor final : public engine::suite::ForwardingCursor {
   public:
    CountingCursor(std::unique_ptr<engine::Cursor> inner, std::atomic<std::uint64_t>& open,
                   EngineCosts& costs, const Keys& deleted, const engine::KeyRange& range)
        : ForwardingCursor(std::move(inner), open),
          costs_(costs),
          deleted_(deleted),
          begin_(range.begin),
          end_(range.end) {}

   private:
    void DoSeekToFirst() override {
      ForwardingCursor::DoSeekToFirst();
      PassForward(begin_);
    }
    void DoSeekAtOrAfter(Bytes target) override {
      ForwardingCursor::DoSeekAtOrAfter(target);
      PassForward(std::max<Bytes>(begin_, target));
    }
    void DoNext() override {
      ++costs_.cursor_moves;
      const std::string before(key());
      ForwardingCursor::DoNext();
      PassForward(before);
    }
    void DoPrev() override {
      ++costs_.cursor_moves;
      ForwardingCursor::DoPrev();
    }

    void PassForward(Bytes from) {
      const Bytes to = Valid() ? key() : Bytes(end_);
      for (auto at = deleted_.lower_bound(from); at != deleted_.end(); ++at) {
        if (!to.empty() && Bytes(*at) >= to) break;
        ++costs_.tombstones;
      }
    }

    EngineCosts& costs_;
    const Keys& deleted_;
    const std::string begin_;
    const std::string end_;
  };

  Status DoGet(engine::Address at, Bytes key, PinnedBytes& value,
               const engine::Snapshot* snapshot) const override {
    ++costs_->gets;
    return ForwardingEngine::DoGet(at, key, value, snapshot);
  }
  Result<std::unique_ptr<engine::Cursor>> DoNewCursor(
      engine::Address at, const engine::CursorOptions& options) const override {
    engine::CursorOptions inner_options = options;
    inner_options.snapshot = InnerOf(options.snapshot);
    MAYFLY_TRY(auto made, inner().NewCursor(at, inner_options));
    return std::unique_ptr<engine::Cursor>(std::make_unique<CountingCursor>(
        std::move(made), open_cursors(), *costs_, deleted_[static_cast<std::size_t>(at.role)],
        options.range));
  }
  Status DoCommit(const engine::Batch& batch, Durability durability) override {
    ++costs_->commits;
    costs_->changes += batch.change_count();
    costs_->largest_batch = std::max<std::uint64_t>(costs_->largest_batch, batch.change_count());
    for (std::size_t i = 0; i < batch.change_count(); ++i) {
      const engine::Batch::Change change = batch.change(i);
      Keys& deleted = deleted_[static_cast<std::size_t>(change.at.role)];
      if (change.kind == engine::Batch::Kind::kDelete) deleted.emplace(change.key);
      if (change.kind != engine::Batch::Kind::kPut) continue;
      if (const auto again = deleted.find(change.key); again != deleted.end()) deleted.erase(again);
    }
    return ForwardingEngine::DoCommit(batch, durability);
  }

  Status DoPersist(Durability durability) override {
    if (durability != Durability::kDisk) return ForwardingEngine::DoPersist(durability);
    if (costs_->disk_fails) return Status::IoError("the disk is gone");
    ++costs_->syncs;
    return ForwardingEngine::DoPersist(durability);
  }

  const std::shared_ptr<EngineCosts> costs_;  // Shared with the test.
  std::array<Keys, engine::kRoleCount> deleted_;
};

}  // namespace mayfly
