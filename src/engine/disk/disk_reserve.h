// disk_reserve.h - space set aside for a full disk, so that rows can still be deleted.
// Deleting takes space before it frees any: tombstones go to the log, memory is written out, files
// are rewritten. On a disk that is full to the last byte nothing can be deleted any more, and the
// database cannot even be opened. So a file of the directory keeps some space:
//   kept      the file has its bytes, unused
//   given up  a write failed on a full disk: the file is empty, and its bytes are for calls that
//             make room. Commits that add bytes are refused, or they would use it up.
// It is kept again when there is room for it and some more, which is checked when a commit would be
// refused. Safe from any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "mayfly/clock.h"
#include "mayfly/logger.h"

namespace mayfly::engine {

inline constexpr const char* kReserveFileName = "RESERVE";

class BackgroundRounds;

// The calls to the file system; tests bring their own.
class DiskSpace {
 public:
  virtual ~DiskSpace() = default;

  // Of the file system with this directory; 0 when unknown.
  virtual std::uint64_t FreeBytes(const std::string& directory) = 0;
  virtual std::uint64_t TotalBytes(const std::string& directory) = 0;

  // Gives the file this many bytes of the disk, or none. False: it failed, and the file has none.
  virtual bool Allocate(const std::string& path, std::uint64_t bytes) = 0;

  // The machine's.
  static DiskSpace& System();
};

class DiskReserve {
 public:
  // 0 bytes: nothing is ever kept, and every commit may go on. References must outlive it.
  DiskReserve(DiskSpace& space, std::string directory, std::uint64_t bytes, const Clock& clock,
              Logger& logger);

  // What of `bytes` is reserved on the disk of this directory.
  static std::uint64_t BytesOn(DiskSpace& space, const std::string& directory, std::uint64_t bytes);

  // Call these before the database is opened, which needs about this much space, also on a full
  // disk; and after.
  void BeforeOpen(std::uint64_t needed_bytes);
  void AfterOpen();

  // Call it after a write failed on a full disk, which this many free bytes would have let pass.
  // True: there is a reserve to be used, or was before.
  bool GiveUp(std::uint64_t needed_bytes);

  bool exists() const { return bytes_ > 0; }
  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t FreeBytes() const { return space_.FreeBytes(directory_); }

  // True if a compaction may write this many bytes. While the reserve is given up, a part of it is
  // left to others, a smaller one by pieces; see compaction_piece.h.
  bool LetsCompact(std::uint64_t bytes, bool is_piece) const {
    return !given_up_.load(std::memory_order_relaxed) ||
           FreeBytes() >= bytes + (is_piece ? LeftByPieces() : LeftByCompactions());
  }
  std::uint64_t LeftByCompactions() const;

  std::uint64_t LeftByPieces() const { return left_by_pieces_; }

  // What commits that delete row by row leave, besides what a flush needs: a piece must find room as
  // well, or what was deleted would never go.
  std::uint64_t LeftByRowDeletes() const;

  // Bytes that are left from now on.
  struct Left {
    std::uint64_t by_pieces;
    std::uint64_t by_compactions;  // At least.
  };
  void SetLeft(Left left) {
    left_by_pieces_ = left.by_pieces;
    left_by_compactions_ = left.by_compactions;
  }

  // The rounds by which the engine with the tables makes room, for the engine above, which must not use
  // them once the one below closes. Null: there are none.
  BackgroundRounds* rounds() const { return rounds_; }
  void SetRounds(BackgroundRounds* rounds) { rounds_ = rounds; }

  // The next of those rounds makes room even if the disk is not full: a large commit may be refused
  // although there is room for small ones.
  void WantRoom() { room_wanted_ = true; }

  // True if room was wanted since the last call.
  bool TakeWantedRoom() { return room_wanted_.exchange(false); }

  // True while the reserve is being used.
  bool is_given_up() const { return given_up_.load(std::memory_order_relaxed); }

  // Call it after a commit that adds bytes succeeded.
  void Grew() {
    if (full_.load(std::memory_order_relaxed) && bytes_ == 0) [[unlikely]]
      EndFull();
  }

  // True while commits that add bytes are refused. Checks for room now and then, so that the state
  // ends without commits, too.
  bool IsFull();

  // As IsFull(), as far as is known without a check.
  bool was_full() const { return full_.load(std::memory_order_relaxed); }

  // True if a commit that adds bytes may go on. Checks for room as IsFull() does.
  bool MayGrow() { return !given_up_.load(std::memory_order_relaxed) || KeepAgain(); }

 private:
  bool KeepAgain();
  bool IsTimeToLook();  // With mutex_ held.
  void BeginFull();     // Both write one line to the log.
  void EndFull();

  DiskSpace& space_;
  const std::string directory_;
  const std::string path_;
  std::uint64_t bytes_;  // Constant once the database is open.
  const Clock& clock_;
  Logger& logger_;
  std::atomic<bool> given_up_{false};
  std::atomic<bool> full_{false};  // As given_up_, but also without a reserve.
  std::atomic<std::uint64_t> left_by_pieces_{0};
  std::atomic<std::uint64_t> left_by_compactions_{0};
  std::atomic<BackgroundRounds*> rounds_{nullptr};
  std::atomic<bool> room_wanted_{false};

  std::mutex mutex_;
  std::optional<SteadyTime> looked_at_;  // Guarded by mutex_.
  std::uint64_t needed_bytes_ = 0;  // Guarded by mutex_. Without a reserve: free, to be enough.
};

}  // namespace mayfly::engine
