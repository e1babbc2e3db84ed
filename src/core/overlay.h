// overlay.h - what a transaction has written and not yet committed, by row key.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "core/lifetime_rule.h"
#include "core/row_codec.h"
#include "mayfly/clock.h"

namespace mayfly::core {

// The fate of one key. A row's deadline is provisional: its span becomes one at the commit.
struct Pending {
  bool present = false;  // False: deleted.
  std::string payload;
  Span span;
  std::optional<WallTime> deadline;

  RowView view() const { return {.deadline = deadline, .payload = payload}; }
};

// Ordered as the engine orders rows.
using Overlay = std::map<std::string, Pending, std::less<>>;

}  // namespace mayfly::core
