// counting_engine.h - an engine that counts its calls, so that a test can measure what a call costs
// without a clock.
#pragma once

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "tests/engine/forwarding_engine.h"

namespace mayfly {

// Shared by the engine and the test that reads it.
struct EngineCosts {
  std::uint64_t gets = 0;
  std::uint64_t cursor_moves = 0;
  // Deleted keys that a cursor had to pass: an engine that merges its files passes them one by one
  // until it drops them, and this one counts as if it never did.
  std::uint64_t tombstones = 0;
  std::uint64_t commits = 0;
  std::uint64_t changes = 0;  // Of all batches.
  std::uint64_t bytes = 0;    // Of their keys and values.
  std::uint64_t largest_batch = 0;
  std::uint64_t syncs = 0;  // Sync() with kDisk.
  bool disk_fails = false;  // Set by the test: these syncs fail.
};

class CountingEngine final : public engine::suite::ForwardingEngine {
 public:
  CountingEngine(std::unique_ptr<engine::Engine> inner, std::shared_ptr<EngineCosts> costs)
      : ForwardingEngine(std::move(inner)), costs_(std::move(costs)) {}

 private:
  // The deleted keys of one role.
  struct Graves {
    std::mutex mutex;
    std::set<std::string, std::less<>> keys;
  };

  class CountingCursor final : public engine::suite::ForwardingCursor {
   public:
    CountingCursor(std::unique_ptr<engine::Cursor> inner, std::atomic<std::uint64_t>& open,
                   EngineCosts& costs, Graves& graves, const engine::CursorOptions& options)
        : ForwardingCursor(std::move(inner), open),
          costs_(costs),
          graves_(graves),
          begin_(options.range.begin),
          end_(options.range.end) {}

   private:
    void DoSeekToFirst() override {
      ForwardingCursor::DoSeekToFirst();
      PassUp(begin_);
    }
    void DoSeekToLast() override {
      ForwardingCursor::DoSeekToLast();
      PassDown(end_);
    }
    void DoSeekAtOrAfter(Bytes target) override {
      const std::string from(std::max(target, Bytes(begin_)));
      ForwardingCursor::DoSeekAtOrAfter(target);
      PassUp(from);
    }
    void DoSeekAtOrBefore(Bytes target) override {
      const std::string from(end_.empty() ? target : std::min(target, Bytes(end_)));
      ForwardingCursor::DoSeekAtOrBefore(target);
      PassDown(from);
    }
    void DoNext() override {
      ++costs_.cursor_moves;
      const std::string from(key());
      ForwardingCursor::DoNext();
      PassUp(from);
    }
    void DoPrev() override {
      ++costs_.cursor_moves;
      const std::string from(key());
      ForwardingCursor::DoPrev();
      PassDown(from);
    }

    // Counts from `from` to the current key, or to the bound.
    void PassUp(Bytes from) { Count(from, Valid() ? key() : Bytes(end_)); }
    void PassDown(Bytes from) { Count(Valid() ? key() : Bytes(begin_), from); }
    void Count(Bytes begin, Bytes end) {
      const std::lock_guard lock(graves_.mutex);
      const auto& keys = graves_.keys;
      const auto last = end.empty() ? keys.end() : keys.lower_bound(end);
      costs_.tombstones += static_cast<std::uint64_t>(std::distance(keys.lower_bound(begin), last));
    }

    EngineCosts& costs_;
    Graves& graves_;
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
        std::move(made), open_cursors(), *costs_, GravesOf(at.role), options));
  }
  Status DoCommit(const engine::Batch& batch, Durability durability) override {
    ++costs_->commits;
    costs_->changes += batch.change_count();
    for (std::size_t i = 0; i < batch.change_count(); ++i) {
      costs_->bytes += batch.change(i).key.size() + batch.change(i).value.size();
    }
    costs_->largest_batch = std::max<std::uint64_t>(costs_->largest_batch, batch.change_count());
    MAYFLY_RETURN_IF_ERROR(ForwardingEngine::DoCommit(batch, durability));
    for (std::size_t i = 0; i < batch.change_count(); ++i) {
      const engine::Batch::Change change = batch.change(i);
      Graves& graves = GravesOf(change.at.role);
      const std::lock_guard lock(graves.mutex);
      if (change.kind == engine::Batch::Kind::kPut) graves.keys.erase(std::string(change.key));
      if (change.kind == engine::Batch::Kind::kDelete) graves.keys.emplace(change.key);
    }
    return {};
  }

  Status DoSync(Durability durability) override {
    if (durability != Durability::kDisk) return ForwardingEngine::DoSync(durability);
    if (costs_->disk_fails) return Status::IoError("the disk is gone");
    ++costs_->syncs;
    return ForwardingEngine::DoSync(durability);
  }

  Graves& GravesOf(engine::Role role) const { return graves_[static_cast<std::size_t>(role)]; }

  mutable std::array<Graves, engine::kRoleCount> graves_;
  const std::shared_ptr<EngineCosts> costs_;  // Shared with the test.
};

}  // namespace mayfly
