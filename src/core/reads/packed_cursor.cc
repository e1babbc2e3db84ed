#include "core/reads/packed_cursor.h"

#include <algorithm>

#include "core/layout/addresses.h"

namespace mayfly::core {

PackedCursor::PackedCursor(Bytes packed, const PartKeys& keys, const engine::KeyRange& range)
    : prefix_bytes_(keys.begin().size()), key_(keys.begin()) {
  PackedReader reader(packed);
  for (; reader.Valid(); reader.Next()) {
    const PackedPart& part = reader.part();
    if (IsBefore(part, range.begin)) continue;
    if (!range.end.empty() && !IsBefore(part, range.end)) break;
    parts_.push_back(part);
  }
  status_ = reader.status();
}

// All keys that it is compared with have the collection's prefix.
bool PackedCursor::IsBefore(const PackedPart& part, Bytes key) const {
  key.remove_prefix(std::min(key.size(), prefix_bytes_));
  if (key.empty()) return false;
  const auto kind = static_cast<unsigned char>(part.kind);
  const auto other = static_cast<unsigned char>(key.front());
  return kind != other ? kind < other : part.name < key.substr(1);
}

std::size_t PackedCursor::CountBefore(Bytes key) const {
  const auto at = std::partition_point(parts_.begin(), parts_.end(),
                                       [&](const PackedPart& part) { return IsBefore(part, key); });
  return static_cast<std::size_t>(at - parts_.begin());
}

void PackedCursor::DoSeekAtOrBefore(Bytes target) {
  const std::size_t before = CountBefore(target);
  MoveTo(before);
  if (!Valid() || key() != target) MoveTo(before - 1);
}

// A place before the first is past the last one, too.
void PackedCursor::MoveTo(std::size_t at) {
  at_ = at;
  if (at_ >= parts_.size() || !status_.ok()) return Hide();
  const PackedPart& part = parts_[at_];
  key_.resize(prefix_bytes_);
  key_.push_back(static_cast<char>(part.kind));
  key_.append(part.name);
  Show(key_, part.row);
}

Result<std::unique_ptr<engine::Cursor>> NewPartCursor(const engine::Engine& engine,
                                                      const PartKeys& keys,
                                                      std::optional<Bytes> packed,
                                                      const engine::CursorOptions& options) {
  if (!packed) return engine.NewCursor(kMembers, options);
  return std::unique_ptr<engine::Cursor>(
      std::make_unique<PackedCursor>(*packed, keys, options.range));
}

}  // namespace mayfly::core
