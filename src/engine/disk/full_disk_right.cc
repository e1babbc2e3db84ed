#include "engine/disk/full_disk_right.h"

#include <fmt/format.h>

#include "engine/disk/limits.h"

namespace mayfly::engine {

FullDiskRight RightByItself(const Batch& batch) {
  std::uint64_t deletes = 0;
  std::uint64_t brings = 0;
  std::uint64_t keeps_house = 0;
  for (std::size_t i = 0; i < batch.change_count(); ++i) {
    const Batch::Change change = batch.change(i);
    const Role role = change.at.role;
    if (change.kind == Batch::Kind::kDeleteRange) return FullDiskRight::kRangeDelete;
    if (change.kind == Batch::Kind::kDelete) {
      deletes += role == Role::kRows || role == Role::kMembers || role == Role::kEvents ? 1 : 0;
    } else if (role == Role::kMeta) {
      keeps_house += change.key.size() + change.value.size();
    } else if (role != Role::kEvents) {
      brings += change.key.size() + change.value.size();
    }
  }
  const bool makes_room = brings <= deletes * kFullDiskBytesPerDelete &&
                          keeps_house <= (deletes + 1) * kFullDiskHousekeepingBytes;
  return makes_room ? FullDiskRight::kRowDelete : FullDiskRight::kNone;
}

bool FreesWhatItAdds(const Batch& batch, StoredValueBytes stored) {
  std::uint64_t adds = 0;
  std::uint64_t frees = 0;
  for (std::size_t i = 0; i < batch.change_count(); ++i) {
    const Batch::Change change = batch.change(i);
    if (change.kind == Batch::Kind::kPut) adds += change.key.size() + change.value.size();
  }
  for (std::size_t i = 0; i < batch.change_count() && frees < adds; ++i) {
    const Batch::Change change = batch.change(i);
    if (change.kind != Batch::Kind::kDelete) continue;
    if (const auto bytes = stored(change.at, change.key)) {
      frees += change.key.size() + *bytes + kFullDiskBytesPerDelete;
    }
  }
  return frees > 0 && frees >= adds;
}

Status RefusedForSpace(const std::string& engine, FullDiskRight right, bool deletes_go_on) {
  if (right != FullDiskRight::kNone) {
    return Status::IoError(
        fmt::format("committing to {}: the disk is full, and there is no space left for deletes, "
                    "either; free some space and retry, nothing was written",
                    engine));
  }
  return Status::IoError(fmt::format(
      "committing to {}: the disk is full; free some space and retry, nothing was written{}",
      engine,
      deletes_go_on ? ". Deletes and the removal of dead rows go on with space that was set aside"
                    : ""));
}

}  // namespace mayfly::engine
