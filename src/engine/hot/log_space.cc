#include "engine/hot/log_space.h"

#include <algorithm>

#include "engine/disk/limits.h"

namespace mayfly::engine::hot {
namespace {

constexpr std::uint64_t kBlockBytes = 4096;

thread_local LogSpace::For used_for = LogSpace::For::kGrowth;

LogSpace::For ForRight(FullDiskRight right) {
  switch (right) {
    case FullDiskRight::kNone: return LogSpace::For::kGrowth;
    case FullDiskRight::kRowDelete: return LogSpace::For::kRowDelete;
    case FullDiskRight::kRangeDelete: return LogSpace::For::kRangeDelete;
  }
  return LogSpace::For::kGrowth;
}

// About as long as wanted, in whole blocks, within the bounds.
std::uint64_t Fit(std::uint64_t wanted, std::uint64_t usual, std::uint64_t least) {
  const std::uint64_t blocks = wanted / kBlockBytes * kBlockBytes;
  return std::max(least, std::min(usual, std::max(blocks, kShortSegmentBytes)));
}

}  // namespace

LogSpace::Use::Use(For what) : before_(used_for) { used_for = what; }
LogSpace::Use::Use(FullDiskRight right) : Use(ForRight(right)) {}
LogSpace::Use::~Use() { used_for = before_; }

std::optional<std::uint64_t> LogSpace::LengthOf(std::uint64_t usual, std::uint64_t least) const {
  if (reserve_ == nullptr) return usual;
  const std::uint64_t free = reserve_->FreeBytes();
  if (!reserve_->is_given_up()) {
    const std::uint64_t kept = is_opening_ ? std::min(free, reserve_->bytes()) : 0;
    return Fit((free - kept) / kSegmentsOfFreeSpace, usual, least);
  }
  if (used_for == For::kGrowth) return std::nullopt;
  const std::uint64_t length = Fit(reserve_->bytes() / kSegmentsOfReserve, usual, least);
  if (free < length + LeftBy(used_for)) return std::nullopt;
  return length;
}

bool LogSpace::MayFold(std::uint64_t bytes) const {
  if (bytes == 0 || reserve_ == nullptr || !reserve_->is_given_up()) return true;
  return reserve_->FreeBytes() >=
         std::max(reserve_->LeftByPieces(), kFlushMargin) + kRangeDeleteMargin + kFoldTakes * bytes;
}

bool LogSpace::LetsDelete() const {
  return reserve_ != nullptr && reserve_->exists() &&
         reserve_->FreeBytes() >= kShortSegmentBytes + LeftBy(For::kRowDelete);
}

// The fold needs what the cold store leaves to a commit that makes much room, and its own batch.
std::uint64_t LogSpace::LeftBy(For what) const {
  const std::uint64_t fold = std::max(reserve_->LeftByPieces(), kFlushMargin) + kRangeDeleteMargin +
                             kCommitTakes * kShortFoldBatchBytes;
  switch (what) {
    case For::kGrowth:
    case For::kRowDelete: return fold + reserve_->LeftByRowDeletes();
    case For::kRangeDelete: return fold + kRangeDeleteMargin;
    case For::kFold: return fold;
  }
  return fold;
}

HotOptions FitToDisk(const HotOptions& asked, const RocksOptions& cold, DiskSpace& space) {
  HotOptions options = asked;
  std::uint64_t room = space.TotalBytes(cold.directory) / kReserveShareOfDisk;
  if (room == 0) return options;  // Unknown.
  if (room < kSmallDiskRoom && cold.reserve_bytes != 0) room = std::min(room, cold.reserve_bytes);
  options.segment_bytes = Fit(room / kSegmentsOfRoom, asked.segment_bytes, kSegmentBytesMin);
  options.log_bytes_max = std::min(asked.log_bytes_max, room / kLogsOfRoom);
  return options;
}

}  // namespace mayfly::engine::hot
