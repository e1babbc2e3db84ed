// disk_reserve.h - space set aside for a full disk, so that there is a way out of it.
// Deleting takes space before it gives any: tombstones go to the log, memory is written out, files
// are rewritten. On a disk that is full to the last byte nothing can be deleted any more, and the
// database cannot even be opened. So a file of the directory keeps some space:
//   kept      the file has its bytes; nobody uses them
//   given up  the disk was met full: the file is empty, and its bytes are for what makes room.
//             Commits that add bytes are refused, or they would use it up.
// It is kept again when there is room for it and for something else besides, which is looked for
// when a commit would be refused. Threads: any.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

#include "mayfly/clock.h"
#include "mayfly/logger.h"

namespace mayfly::engine {

inline constexpr const char* kReserveFileName = "RESERVE";

// What a disk is asked for; tests bring their own.
class DiskSpace {
 public:
  virtual ~DiskSpace() = default;

  // Of the file system with this directory; 0 when it does not tell.
  virtual std::uint64_t FreeBytes(const std::string& directory) = 0;
  virtual std::uint64_t TotalBytes(const std::string& directory) = 0;

  // Makes the file have so many bytes of the disk, or none. False: it could not, and has none.
  virtual bool Allocate(const std::string& path, std::uint64_t bytes) = 0;

  // The machine's.
  static DiskSpace& System();
};

class DiskReserve {
 public:
  // 0 bytes: nothing is ever kept, and every commit may go on.
  DiskReserve(DiskSpace& space, std::string directory, std::uint64_t bytes, Logger& logger);

  // Before the database is opened, which needs space on a disk that has none; and after.
  void BeforeOpen();
  void AfterOpen();

  // The disk was met full. True: there is a reserve to be used, or was before.
  bool GiveUp();

  // A commit that adds bytes went through.
  void Grew() {
    if (full_.load(std::memory_order_relaxed) && bytes_ == 0) [[unlikely]]
      EndFull();
  }

  // Whether commits that add bytes are refused. Looks for room now and then while they are, so that
  // its end shows where nobody writes, too.
  bool IsFull();

  // Whether a commit that adds bytes may go on. Looks for room as IsFull() does.
  bool MayGrow() { return !given_up_.load(std::memory_order_relaxed) || KeepAgain(); }

 private:
  bool KeepAgain();
  bool IsTimeToLook();  // With mutex_ held.
  void BeginFull();     // Both tell the log, once.
  void EndFull();

  DiskSpace& space_;
  const std::string directory_;
  const std::string path_;
  std::uint64_t bytes_;  // Constant once the database is open.
  Logger& logger_;
  std::atomic<bool> given_up_{false};
  std::atomic<bool> full_{false};  // As given_up_, but also without a reserve.

  std::mutex mutex_;
  SteadyTime looked_at_;  // Guarded by mutex_.
};

}  // namespace mayfly::engine
