#include "engine/rocks/compaction_piece.h"

#include <algorithm>

#include "engine/rocks/files/limits.h"

namespace mayfly::engine {
namespace {

using File = rocksdb::SstFileMetaData;
using Level = rocksdb::LevelMetaData;

struct Span {
  std::string first;
  std::string last;

  bool Meets(const File& file) const {
    return file.smallestkey <= last && first <= file.largestkey;
  }
  void Cover(const File& file) {
    first = std::min(first, file.smallestkey);
    last = std::max(last, file.largestkey);
  }
};

Span SpanOf(const File& file) { return {file.smallestkey, file.largestkey}; }

// The next level with files, or the last.
const Level& LevelBelow(const rocksdb::ColumnFamilyMetaData& family, std::size_t level) {
  const auto begin = family.levels.begin() + static_cast<std::ptrdiff_t>(level) + 1;
  const auto found = std::find_if(begin, family.levels.end(),
                                  [](const Level& each) { return !each.files.empty(); });
  return found != family.levels.end() ? *found : family.levels.back();
}

// Bytes of the files that a compaction of `span` into this level rewrites; nothing: one of them is
// being compacted.
std::optional<std::uint64_t> BytesMet(const Level& level, const Span& span) {
  std::uint64_t bytes = 0;
  for (const File& file : level.files) {
    if (!span.Meets(file)) continue;
    if (file.being_compacted) return std::nullopt;
    bytes += file.size;
  }
  return bytes;
}

// Young files are listed from the newest on.
std::optional<CompactionPiece> OldestYoung(const rocksdb::ColumnFamilyMetaData& family,
                                           std::uint64_t room) {
  const std::vector<File>& young = family.levels.front().files;
  const Level& below = LevelBelow(family, 0);
  CompactionPiece piece{.files = {}, .output_level = below.level};
  std::uint64_t bytes = 0;
  Span span = SpanOf(young.back());
  for (auto file = young.rbegin(); file != young.rend() && !file->being_compacted; ++file) {
    bytes += file->size;
    span.Cover(*file);
    const auto met = BytesMet(below, span);
    if (!met || bytes + *met > room) break;
    piece.files.push_back(file->relative_filename);
  }
  if (piece.files.empty()) return std::nullopt;
  return piece;
}

// The largest file that fits, of the level that young files are merged with.
std::optional<CompactionPiece> OneOfBelow(const rocksdb::ColumnFamilyMetaData& family,
                                          std::uint64_t room) {
  const Level& level = LevelBelow(family, 0);
  if (level.level == family.levels.back().level) return std::nullopt;
  const Level& below = LevelBelow(family, static_cast<std::size_t>(level.level));
  const File* largest = nullptr;
  for (const File& file : level.files) {
    if (file.being_compacted || (largest != nullptr && file.size <= largest->size)) continue;
    const auto met = BytesMet(below, SpanOf(file));
    if (met && file.size + *met <= room) largest = &file;
  }
  if (largest == nullptr) return std::nullopt;
  return CompactionPiece{.files = {largest->relative_filename}, .output_level = below.level};
}

}  // namespace

std::optional<CompactionPiece> PickPiece(const rocksdb::ColumnFamilyMetaData& family,
                                         std::uint64_t room, bool is_urgent) {
  if (family.levels.size() < 2) return std::nullopt;
  const std::size_t young = family.levels.front().files.size();
  if (young < kPieceYoungFilesMin && !is_urgent) return std::nullopt;
  if (young < kPieceYoungFilesMin) {
    auto piece = OneOfBelow(family, room);
    if (piece || young == 0) return piece;
    return OldestYoung(family, room);
  }
  auto piece = OldestYoung(family, room);
  return piece ? piece : OneOfBelow(family, room);
}

}  // namespace mayfly::engine
