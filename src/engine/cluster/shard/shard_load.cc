// Opening: the rows of a shard are read into memory, page by page, behind a barrier that rules out
// writes of an earlier life.
#include <fmt/format.h>

#include <deque>
#include <utility>
#include <vector>

#include "engine/cluster/objects/await.h"
#include "engine/cluster/objects/limits.h"
#include "engine/cluster/shard/shard.h"

namespace mayfly::engine::cluster {

Status Shard::Load() {
  MAYFLY_RETURN_IF_ERROR(writer_.Barrier());
  large_.BeginAt(writer_.sequence());
  std::map<LargeId, std::uint64_t> announced;
  MAYFLY_RETURN_IF_ERROR(LoadPages(announced));
  for (const auto& [id, parts] : announced) large_.Remove(id, parts);
  return {};
}

// Leaves in `announced` what no row names.
Status Shard::LoadPages(std::map<LargeId, std::uint64_t>& announced) {
  std::string after = KeyBeforeRows();
  for (bool more = true; more;) {
    MAYFLY_RETURN_IF_ERROR(writer_.stopped());
    MAYFLY_TRY(const MapPage page, AwaitPage(*store_, writer_.place().object, after, kMapPageMax));
    MAYFLY_RETURN_IF_ERROR(LoadPage(page, announced));
    more = page.more;
    if (!page.entries.empty()) {
      after = page.entries.back().first;
    } else if (more) {
      return Status::Corruption(fmt::format("{}: a page without entries", name()));
    }
  }
  return {};
}

// Announcements come before all rows.
Status Shard::LoadPage(const MapPage& page, std::map<LargeId, std::uint64_t>& announced) {
  std::vector<KeyChange> rows;
  std::deque<std::string> values;  // Large ones, which `rows` points to.
  for (const auto& [key, value] : page.entries) {
    MAYFLY_TRY(const MapKey parsed, ParseMapKey(key));
    if (parsed.announced) {
      MAYFLY_TRY(announced[*parsed.announced], DecodeAnnouncement(value));
      continue;
    }
    MAYFLY_TRY(const RowValue row, DecodeRowValue(value));
    Bytes bytes = row.bytes;
    if (row.large) {
      announced.erase(row.large->id);
      large_.Set(key, *row.large);
      MAYFLY_TRY(std::string loaded, large_.Load(*row.large));
      bytes = values.emplace_back(std::move(loaded));
    }
    rows.push_back({.at = parsed.at, .key = parsed.key, .value = bytes});
  }
  return state_.Apply(rows);
}

}  // namespace mayfly::engine::cluster
