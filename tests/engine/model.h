// model.h - the reference model of an engine: a plain map per role.
// A copy of a model is a snapshot of it. The code is simple, so that it is right.
#pragma once

#include <array>
#include <map>
#include <string>

#include "engine/address.h"
#include "engine/batch.h"
#include "engine/key_range.h"
#include "tests/engine/rig.h"

namespace mayfly::engine::suite {

class Model {
 public:
  using Map = std::map<std::string, std::string, std::less<>>;

  const Map& map(Role role) const { return maps_[static_cast<std::size_t>(role)]; }

  // The value of `key`; null when absent.
  const std::string* Find(Address at, Bytes key) const;

  // The pairs in `range`, in order.
  Pairs Within(Role role, const KeyRange& range) const;

  // Whether all conditions of the batch hold.
  bool Allows(const Batch& batch) const;

  // Makes the changes of the batch, conditions aside.
  void Apply(const Batch& batch);

  void Clear();

 private:
  std::array<Map, kRoleCount> maps_;
};

}  // namespace mayfly::engine::suite
