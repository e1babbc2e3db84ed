// importer.h - writes rows to a target in batches, and counts them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "apps/mayfly/target/target.h"

namespace mayfly::app {

// Rows go to the target in batches, which says how many of them live.
class Importer {
 public:
  // `unit`: what rows are counted by in messages, "line" or "key".
  explicit Importer(Target& target, std::string_view unit = "line")
      : target_(target), unit_(unit) {}

  // `line`: where the row stands, for messages.
  Status Add(TargetRow row, std::uint64_t line);
  Status Flush();

  // A row that was written otherwise.
  void Count(std::uint64_t written, std::uint64_t living) {
    rows_ += living;
    dead_ += written - living;
  }

  std::uint64_t rows() const { return rows_; }
  std::uint64_t dead() const { return dead_; }

 private:
  Status OneByOne(const Status& refused);

  Target& target_;
  const std::string_view unit_;
  std::vector<TargetRow> batch_;
  std::vector<std::uint64_t> lines_;
  std::size_t bytes_ = 0;
  std::uint64_t rows_ = 0;
  std::uint64_t dead_ = 0;
};

}  // namespace mayfly::app
