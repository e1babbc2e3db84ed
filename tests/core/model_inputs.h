// model_inputs.h - random calls that are likely to touch the same keys.
// Keys are short and from a small alphabet with both extreme bytes in it: many are prefixes or
// neighbours of others, and a few hundred of them are hit again and again. Lifetimes are mostly as
// short as the clock's steps.
#pragma once

#include <string>

#include "base/random.h"
#include "tests/core/model.h"
#include "tests/core/write_call.h"

namespace mayfly::core::suite {

class ModelInputs {
 public:
  ModelInputs(Random& random, const Model& model) : random_(random), model_(model) {}

  std::string Key();     // Rarely empty, which is bad.
  std::string Prefix();  // Often empty.
  std::string Value();
  Lifetime AnyLifetime();  // Rarely one that is refused.
  WallTime InstantNearNow();
  KeyspacePolicy Policy();  // Rarely one that contradicts itself.

  // A timestamp at or near the edges of this policy; mostly a valid one.
  WallTime Timestamp(const KeyspacePolicy& policy);
  WallTime AsOf(const KeyspacePolicy& policy, WallTime now);

  WriteCall Write(const ModelRows& living, const KeyspacePolicy& policy);
  std::string ExistingKeyspace();

 private:
  Random& random_;
  const Model& model_;
};

}  // namespace mayfly::core::suite
