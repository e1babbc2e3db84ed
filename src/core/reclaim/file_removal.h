// file_removal.h - removes or rewrites one file, and counts it.
#pragma once

#include "core/store/store.h"
#include "mayfly/maintenance.h"

namespace mayfly::core {

class FileRemoval {
 public:
  FileRemoval(Store& store, ReclaimReport& report) : store_(store), report_(report) {}

  // Removes, unread, a file in which no reader can see anything. False when that cannot be done:
  // the file is gone, the engine is compacting it, or another file lies beneath it.
  Result<bool> Drop(engine::Role role, const engine::FileInfo& file) {
    MAYFLY_TRY(const bool dropped, store_.engine().DropFile(role, file.name));
    if (!dropped) return false;
    ++report_.files_dropped;
    ++store_.counts().files_dropped;
    return true;
  }

  // Rewrites a file. False when the file is gone, or the engine is compacting it.
  Result<bool> Rewrite(engine::Role role, const engine::FileInfo& file,
                       std::uint64_t bytes_per_second) {
    MAYFLY_TRY(const bool rewritten,
               store_.engine().CompactFile(role, file.name, bytes_per_second));
    if (!rewritten) return false;
    ++report_.files_rewritten;
    report_.bytes_rewritten += file.bytes;
    ++store_.counts().files_rewritten;
    store_.counts().bytes_rewritten += file.bytes;
    return true;
  }

 private:
  Store& store_;
  ReclaimReport& report_;
};

}  // namespace mayfly::core
