// row_progress.h - reports now and then how many of the rows, stored or in a backup, were passed.
#pragma once

#include <cstdint>
#include <utility>

#include "core/layout/limits.h"
#include "core/store/store.h"
#include "core/upkeep/watched_upkeep.h"

namespace mayfly::core {

class RowProgress {
 public:
  // `progress` may be null: then nothing is reported.
  RowProgress(Store& store, Progress progress) : progress_(std::move(progress)) {
    if (!progress_) return;
    for (const auto& keyspace : store.catalog().All()) {
      all_ += static_cast<std::uint64_t>(keyspace->TotalCounters().rows);
    }
  }

  // Of so many; 0: unknown.
  RowProgress(Progress progress, std::uint64_t all) : progress_(std::move(progress)), all_(all) {}

  std::uint64_t done() const { return done_; }

  // Call it after each row. Conflict: `progress` ended the scan.
  Status Passed() {
    if (++done_ % kProgressRows != 0 || !progress_ || progress_(done_, all_)) return {};
    return Status::Conflict("ended as asked");
  }

 private:
  const Progress progress_;
  std::uint64_t done_ = 0;
  std::uint64_t all_ = 0;
};

}  // namespace mayfly::core
