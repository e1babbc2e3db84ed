// must.h - ends a benchmark with a message when a call fails.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "mayfly/result.h"
#include "mayfly/status.h"

namespace mayfly::bench {

[[noreturn]] void GiveUp(std::string_view why);

inline void Must(bool fine, std::string_view why) {
  if (!fine) [[unlikely]]
    GiveUp(why);
}

inline void Must(const Status& status) {
  if (!status.ok()) [[unlikely]]
    GiveUp(status.ToString());
}

template <typename T>
T Must(Result<T> result) {
  Must(result.status());
  return *std::move(result);
}

}  // namespace mayfly::bench
