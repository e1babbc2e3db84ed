// counting_engine.h - counts what is asked of an engine, so that a test can say what a call costs
// without a clock.
#pragma once

#include <algorithm>
#include <memory>

#include "tests/engine/forwarding_engine.h"

namespace mayfly {

// Shared by the engine and the test that reads it.
struct EngineCosts {
  std::uint64_t gets = 0;
  std::uint64_t cursor_moves = 0;
  std::uint64_t commits = 0;
  std::uint64_t changes = 0;  // Of all batches.
  std::uint64_t largest_batch = 0;
};

class CountingEngine final : public engine::suite::ForwardingEngine {
 public:
  CountingEngine(std::unique_ptr<engine::Engine> inner, std::shared_ptr<EngineCosts> costs)
      : ForwardingEngine(std::move(inner)), costs_(std::move(costs)) {}

 private:
  class CountingCursor final : public engine::suite::ForwardingCursor {
   public:
    CountingCursor(std::unique_ptr<engine::Cursor> inner, std::atomic<std::uint64_t>& open,
                   EngineCosts& costs)
        : ForwardingCursor(std::move(inner), open), costs_(costs) {}

   private:
    void DoNext() override {
      ++costs_.cursor_moves;
      ForwardingCursor::DoNext();
    }
    void DoPrev() override {
      ++costs_.cursor_moves;
      ForwardingCursor::DoPrev();
    }

    EngineCosts& costs_;
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
    return std::unique_ptr<engine::Cursor>(
        std::make_unique<CountingCursor>(std::move(made), open_cursors(), *costs_));
  }
  Status DoCommit(const engine::Batch& batch, Durability durability) override {
    ++costs_->commits;
    costs_->changes += batch.change_count();
    costs_->largest_batch = std::max<std::uint64_t>(costs_->largest_batch, batch.change_count());
    return ForwardingEngine::DoCommit(batch, durability);
  }

  const std::shared_ptr<EngineCosts> costs_;  // Shared with the test.
};

}  // namespace mayfly
