#include "engine/hot/fold_marker.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

namespace mayfly::engine::hot {
namespace {

constexpr Bytes kMarkerPrefix = "folded-";
constexpr std::size_t kMarkerDigits = 16;

std::string MarkerName(Sequence folded) { return fmt::format("{}{:016x}", kMarkerPrefix, folded); }

std::optional<Sequence> MarkerIn(Bytes name) {
  if (!name.starts_with(kMarkerPrefix)) return std::nullopt;
  name.remove_prefix(kMarkerPrefix.size());
  Sequence folded = 0;
  const auto [end, error] = std::from_chars(name.begin(), name.end(), folded, 16);
  if (error != std::errc() || end != name.end() || name.size() != kMarkerDigits) {
    return std::nullopt;
  }
  return folded;
}

}  // namespace

Result<Sequence> ReadFoldMarker(LogFiles& files) {
  MAYFLY_TRY(const std::vector<std::string> names, files.List());
  Sequence folded = 0;
  for (const std::string& name : names) folded = std::max(folded, MarkerIn(name).value_or(0));
  // A process may have died between making it and this.
  if (folded > 0) MAYFLY_RETURN_IF_ERROR(files.SyncDirectory());
  return folded;
}

Status WriteFoldMarker(LogFiles& files, Sequence folded) {
  MAYFLY_TRY(const std::vector<std::string> names, files.List());
  const std::string current = MarkerName(folded);
  if (std::find(names.begin(), names.end(), current) == names.end()) {
    MAYFLY_TRY(const std::unique_ptr<LogFile> made, files.Create(current));
  }
  MAYFLY_RETURN_IF_ERROR(files.SyncDirectory());
  for (const std::string& name : names) {
    const auto older = MarkerIn(name);
    if (older && *older < folded) MAYFLY_RETURN_IF_ERROR(files.Remove(name));
  }
  return {};
}

}  // namespace mayfly::engine::hot
