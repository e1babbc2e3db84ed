#include "core/reads/read_set.h"

#include "core/layout/limits.h"

namespace mayfly::core {

ReadSet::Seen& ReadSet::At(Bytes row_key) {
  const auto at = rows_.lower_bound(row_key);
  if (at != rows_.end() && at->first == row_key) return at->second;
  return rows_.try_emplace(at, std::string(row_key))->second;
}

void ReadSet::Remember(Seen& seen, std::optional<Bytes> stored) {
  const std::size_t size = stored ? stored->size() : 0;
  if (size > kSeenRowBytesMax || bytes_ + size > kSeenBytesMax) return;
  bytes_ += size;
  seen.known = true;
  seen.stored = stored;
}

void ReadSet::AddParts(Bytes row_key, Bytes first, Bytes last) {
  PartRanges& parts = At(row_key).parts;
  const auto at = parts.lower_bound(first);
  if (at == parts.end() || at->first != first) {
    parts.try_emplace(at, std::string(first), last);
    ++ranges_;
  } else if (at->second < last) {
    at->second = last;
  }
}

void ReadSet::Clear() {
  rows_.clear();
  bytes_ = 0;
  ranges_ = 0;
}

}  // namespace mayfly::core
