// log_space.h - what the log may take of a disk that is full, or nearly.
// The log takes space by segments. On a disk that is nearly full they are short. Once the reserve is
// given up, a new one must leave room for others, in steps, so that each has a way on when the one
// before it has none: deletes of rows leave most, then deletes of ranges, then the fold, which gives
// segments back. All of them leave what the cold store needs to write its memory out.
// Threads: every call from any thread; AfterOpen() before any other thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "engine/disk/disk_reserve.h"
#include "engine/disk/full_disk_right.h"
#include "engine/hot/hot_engine.h"

namespace mayfly::engine::hot {

class LogSpace {
 public:
  // What a thread takes a segment for.
  enum class For : std::uint8_t { kGrowth, kRowDelete, kRangeDelete, kFold };

  // On this thread, for as long as it lives. Without one: kGrowth.
  class Use {
   public:
    explicit Use(For what);
    explicit Use(FullDiskRight right);
    ~Use();
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    const For before_;
  };

  // The reserve is shared with the cold store; null: the disk is never full for us.
  explicit LogSpace(std::shared_ptr<DiskReserve> reserve) : reserve_(std::move(reserve)) {}

  // Opening may have released the reserve, which is not to be used up then.
  void AfterOpen() { is_opening_ = false; }

  // As SegmentLength of the log says.
  std::optional<std::uint64_t> LengthOf(std::uint64_t usual, std::uint64_t least) const;

  // True if a fold may write so many bytes of rows to the cold store.
  bool MayFold(std::uint64_t bytes) const;

  // Enough of the reserve is left for another segment of deletes.
  bool LetsDelete() const;

 private:
  std::uint64_t LeftBy(For what) const;

  const std::shared_ptr<DiskReserve> reserve_;
  bool is_opening_ = true;
};

// Log and segments of a small disk are small, as its reserve is, with and without one.
HotOptions FitToDisk(const HotOptions& asked, const RocksOptions& cold, DiskSpace& space);

}  // namespace mayfly::engine::hot
