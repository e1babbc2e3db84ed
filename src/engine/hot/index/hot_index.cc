#include "engine/hot/index/hot_index.h"

#include <unistd.h>

#include <algorithm>

#include "base/check.h"
#include "base/random.h"
#include "engine/hot/index/words.h"

namespace mayfly::engine::hot {
namespace {

constexpr std::size_t kNodesPerArenaByte = 512;  // Nodes are far fewer than units of rows.
constexpr std::size_t kRowBytesLeast = 48;       // For the reservation of buckets.
constexpr std::size_t kAddressesPerByte = 4;     // All reservations together, rounded up.

}  // namespace

std::size_t HotIndex::ReservableBytes(std::size_t wanted) {
  const std::uint64_t memory = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                               static_cast<std::uint64_t>(::sysconf(_SC_PAGE_SIZE));
  if (memory <= kFineArenaBytesMax) wanted = std::min(wanted, kFineArenaBytesMax);
  return ReservableAddresses(kAddressesPerByte * wanted) / kAddressesPerByte;
}

HotIndex::HotIndex(const HotIndexOptions& options)
    : options_(options),
      arena_(options.bytes_max, options.huge_pages),
      nodes_(options.bytes_max / kNodesPerArenaByte + 64, options.huge_pages),
      reader_(arena_, states_),
      uses_(options.bytes_max, arena_.unit_shift(), options.count_uses),
      newcomers_(options.missed_keys_max) {
  const std::uint64_t seed = FreshSeed();
  for (std::uint32_t number = 0; number < maps_.size(); ++number) {
    maps_[number] = std::make_unique<RoleMap>(arena_, nodes_, number + 1, seed,
                                              options.bytes_max / kRowBytesLeast);
  }
  states_.StartAt(options.visible);
}

HotIndex::~HotIndex() {
  MAYFLY_CHECK(states_.open_count() == 0, "a memory index is destroyed under an open state");
}

Presence HotIndex::Get(Role role, Bytes key, std::string& value) const {
  return Read(role, key, 0, false, value);
}

Presence HotIndex::Get(Role role, Bytes key, Sequence open_state, std::string& value) const {
  return Read(role, key, open_state, true, value);
}

Presence HotIndex::Read(Role role, Bytes key, Sequence state, bool is_open,
                        std::string& value) const {
  const RoleMap& rows = map(role);
  const std::uint64_t hash = rows.Hash(key);
  for (;;) {
    value.clear();
    if (!is_open) state = states_.visible();
    const RowTable::Found found = rows.table().Find(key, hash);
    if (found.row == 0) return Presence::kNothing;
    RowImage image;
    const auto is_current = [&] { return found.IsCurrent(); };
    switch (reader_.Read(found.row, state, is_open, is_current, value, image)) {
      case RowRead::kValue:
        if (!image.external.empty()) value.assign(image.external);
        uses_.Mark(found.row);
        return Presence::kValue;
      case RowRead::kDeleted: value.clear(); return Presence::kDeleted;
      case RowRead::kNothing: value.clear(); return Presence::kNothing;
      case RowRead::kChanged: break;
      case RowRead::kUnpublished: states_.AwaitVisible(image.sequence); break;
    }
  }
}

void HotIndex::Prefetch(Role role, std::span<const Bytes> keys) const {
  const RoleMap& rows = map(role);
  std::array<std::uint64_t, kPrefetchStep> hashes;
  while (!keys.empty()) {
    const auto some = keys.first(std::min(keys.size(), kPrefetchStep));
    for (std::size_t i = 0; i < some.size(); ++i) {
      hashes[i] = rows.Hash(some[i]);
      rows.table().Prefetch(hashes[i]);
    }
    for (std::size_t i = 0; i < some.size(); ++i) rows.table().PrefetchRows(hashes[i]);
    keys = keys.subspan(some.size());
  }
}

void HotIndex::Retire(Sequence sequence, std::span<const RetiredRow> rows) {
  const std::lock_guard lock(retired_mutex_);
  for (const RetiredRow& row : rows) {
    retired_.push_back({.sequence = sequence, .hash = row.hash, .role = row.role});
  }
  retired_count_.store(retired_.size(), std::memory_order_relaxed);
}

std::size_t HotIndex::Reclaim(std::size_t rows_max) {
  constexpr std::size_t kStep = 64;
  std::array<Retired, kStep> step;
  std::size_t done = 0;
  while (done < rows_max && retired_count_.load(std::memory_order_relaxed) > 0) {
    const Sequence horizon = states_.horizon();
    std::size_t count = 0;
    {
      const std::lock_guard lock(retired_mutex_);
      while (count < std::min(kStep, rows_max - done) && !retired_.empty() &&
             retired_.front().sequence <= horizon) {
        step[count++] = retired_.front();
        retired_.pop_front();
      }
      retired_count_.store(retired_.size(), std::memory_order_relaxed);
    }
    if (count == 0) break;
    for (std::size_t i = 0; i < count; ++i) {
      const std::lock_guard lock(StripeMutex(step[i].role, step[i].hash));
      map(step[i].role).Prune(step[i].hash, horizon);
    }
    done += count;
  }
  return done;
}

bool HotIndex::HasRoomFor(std::size_t rows, std::size_t bytes) const {
  // A block takes an eighth more than its bytes, and a slab more if it is a run. The spare is for
  // classes that have no slab yet.
  constexpr std::size_t kSpare = 128 * kSlabBytes;
  const std::size_t runs = std::min(rows, bytes / kSharedBlockBytesMax + 1);
  const std::size_t need = bytes + bytes / 4 + rows * 64 + runs * kSlabBytes + kSpare;
  return arena_.held_bytes() + need <= options_.bytes_max;
}

HotMemory HotIndex::memory() const {
  HotMemory memory;
  std::size_t index_bytes = nodes_.used() * sizeof(TreeNode);
  for (const auto& rows : maps_) {
    memory.rows += rows->table().row_count();
    index_bytes += rows->table().memory_bytes();
  }
  memory.used_bytes = arena_.used_bytes() + index_bytes;
  memory.held_bytes = arena_.held_bytes() + index_bytes;
  memory.taken_bytes = arena_.taken_bytes() + index_bytes +
                       (nodes_.made() - nodes_.used()) * sizeof(TreeNode) +
                       newcomers_.memory_bytes();
  memory.slack_bytes = arena_.slack_bytes();
  memory.retired = retired_count_.load(std::memory_order_relaxed);
  return memory;
}

}  // namespace mayfly::engine::hot
