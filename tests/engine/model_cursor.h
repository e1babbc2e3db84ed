// model_cursor.h - the model's cursor, over a list of pairs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

#include "engine/cursor.h"
#include "tests/engine/rig.h"

namespace mayfly::engine::suite {

class ModelCursor final : public Cursor {
 public:
  // `pairs` are in order.
  explicit ModelCursor(Pairs pairs) : pairs_(std::move(pairs)) {}

  Status status() const override { return {}; }

 private:
  static bool KeyBefore(const Pairs::value_type& pair, Bytes target) { return pair.first < target; }
  static bool BeforeKey(Bytes target, const Pairs::value_type& pair) { return target < pair.first; }

  void DoSeekToFirst() override { StandOn(0); }
  void DoSeekToLast() override { StandBefore(pairs_.size()); }
  void DoSeekAtOrAfter(Bytes target) override {
    StandOn(IndexOf(std::lower_bound(pairs_.begin(), pairs_.end(), target, KeyBefore)));
  }
  void DoSeekAtOrBefore(Bytes target) override {
    StandBefore(IndexOf(std::upper_bound(pairs_.begin(), pairs_.end(), target, BeforeKey)));
  }
  void DoNext() override { StandOn(at_ + 1); }
  void DoPrev() override { StandBefore(at_); }

  std::size_t IndexOf(Pairs::const_iterator pair) const {
    return static_cast<std::size_t>(pair - pairs_.begin());
  }
  void StandBefore(std::size_t index) {
    if (index == 0) return Hide();
    StandOn(index - 1);
  }
  void StandOn(std::size_t index) {
    if (index >= pairs_.size()) return Hide();
    at_ = index;
    Show(pairs_[at_].first, pairs_[at_].second);
  }

  const Pairs pairs_;
  std::size_t at_ = 0;  // Only when Valid().
};

}  // namespace mayfly::engine::suite
