// numbered_keys.h - keys behind an argument that says how many there are.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "server/arguments.h"
#include "server/command.h"

namespace mayfly::server {

// For KeySpec::find: the number stands at kNumberAt and the keys behind it; kTargetAt, unless 0, is
// a key as well.
template <int kNumberAt, int kTargetAt = 0>
bool FindNumberedKeys(std::span<const Bytes> args, std::vector<int>& positions) {
  const auto size = static_cast<std::int64_t>(args.size());
  if (kNumberAt >= size) return false;
  const auto number = IntegerArgument(args[kNumberAt], 1, size - kNumberAt - 1);
  if (!number) return false;
  if (kTargetAt != 0) positions.push_back(kTargetAt);
  for (int i = 1; i <= static_cast<int>(*number); ++i) positions.push_back(kNumberAt + i);
  return true;
}

}  // namespace mayfly::server
