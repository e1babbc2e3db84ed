// counted_cursor.h - shows another engine's cursor as one of this engine's, which counts it.
// May be over nothing: it then has no keys.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "engine/cursor.h"
#include "engine/engine.h"

namespace mayfly::engine::cluster {

class CountedCursor final : public Cursor {
 public:
  // `inner` may be null. `keeps` is what must live as long as it; may be null.
  CountedCursor(std::unique_ptr<Cursor> inner, std::atomic<std::uint64_t>& open_cursors,
                std::shared_ptr<const void> keeps = nullptr)
      : ticket_(open_cursors), keeps_(std::move(keeps)), inner_(std::move(inner)) {}

  Status status() const override { return inner_ ? inner_->status() : Status(); }

 private:
  template <typename Move>
  void Do(Move&& move) {
    if (inner_ != nullptr) move(*inner_);
    inner_ != nullptr && inner_->Valid() ? Show(inner_->key(), inner_->value()) : Hide();
  }

  void DoSeekToFirst() override {
    Do([](Cursor& c) { c.SeekToFirst(); });
  }
  void DoSeekToLast() override {
    Do([](Cursor& c) { c.SeekToLast(); });
  }
  void DoSeekAtOrAfter(Bytes target) override {
    Do([target](Cursor& c) { c.SeekAtOrAfter(target); });
  }
  void DoSeekAtOrBefore(Bytes target) override {
    Do([target](Cursor& c) { c.SeekAtOrBefore(target); });
  }
  void DoNext() override {
    Do([](Cursor& c) { c.Next(); });
  }
  void DoPrev() override {
    Do([](Cursor& c) { c.Prev(); });
  }

  const HandleTicket ticket_;
  const std::shared_ptr<const void> keeps_;
  const std::unique_ptr<Cursor> inner_;
};

}  // namespace mayfly::engine::cluster
