// model_inputs.h - random keys, values, ranges and batches that are likely to overlap.
// Keys are short and from a small alphabet with both extreme bytes in it: many are prefixes or
// neighbours of others, and a few hundred of them are hit again and again.
// Values of kDyingRole begin with a deadline (deadline_policy.h) around kDyingNow.
#pragma once

#include <cstdint>
#include <string>

#include "base/random.h"
#include "engine/batch.h"
#include "tests/engine/model.h"

namespace mayfly::engine::suite {

inline constexpr Role kDyingRole = Role::kEvents;
inline constexpr std::int64_t kDyingNowMs = 1'000'000;

struct OwnedRange {
  std::string begin;
  std::string end;

  KeyRange view() const { return {.begin = begin, .end = end}; }
};

class ModelInputs {
 public:
  explicit ModelInputs(Random& random) : random_(random) {}

  Address AnyRole();
  Address LastingRole();  // Any but kDyingRole, whose pairs may vanish at any time.
  std::string Key();
  std::string Value(Role role);
  OwnedRange Range();  // Either bound may be missing.
  Durability AnyDurability();

  // Adds one change.
  void AddChange(Batch& batch);

  // Adds a condition on a lasting role that holds in `model` more often than not.
  void AddCondition(Batch& batch, const Model& model);

 private:
  Random& random_;
};

// One line: the changes and conditions of a batch.
std::string Describe(const Batch& batch);

}  // namespace mayfly::engine::suite
