#include "server/functions/library_rows.h"

#include <fmt/format.h>

#include "base/coding.h"
#include "server/functions/library_text.h"

namespace mayfly::server {
namespace {

constexpr Bytes kPrefix = "functions/";
constexpr Bytes kHead = "library 1\n";

std::string FreshMark(Random& random) {
  std::string mark;
  AppendLittleEndian64(mark, random.Next());
  AppendLittleEndian64(mark, random.Next());
  return mark;
}

template <typename AnyCursor>
Result<LibraryTexts> Collect(AnyCursor& cursor) {
  LibraryTexts libraries;
  for (cursor.SeekToFirst(); cursor.Valid(); cursor.Next()) {
    const Bytes name = cursor.key().substr(kPrefix.size());
    if (!cursor.value().starts_with(kHead)) {
      return Status::Corruption(fmt::format("the library of functions '{}' is unreadable", name));
    }
    libraries.emplace(name, cursor.value().substr(kHead.size()));
  }
  MAYFLY_RETURN_IF_ERROR(cursor.status());
  return libraries;
}

}  // namespace

Result<std::string> ReadLibrariesMark(core::TransactionKeyspace& space, bool walks) {
  if (walks) {
    MAYFLY_TRY(const auto cursor, space.NewCursor({.prefix = kLibrariesKey}));
    cursor->SeekToFirst();
    if (cursor->Valid() && cursor->key() == kLibrariesKey) return std::string(cursor->value());
    return cursor->status().ok() ? Result<std::string>(std::string()) : cursor->status();
  }
  core::FoundRow row;
  MAYFLY_RETURN_IF_ERROR(space.Find(kLibrariesKey, row));
  return row.exists ? std::string(row.value) : std::string();
}

Result<LibraryTexts> ReadLibraries(core::TransactionKeyspace& space) {
  MAYFLY_TRY(const auto cursor, space.NewCursor({.prefix = kPrefix}));
  return Collect(*cursor);
}

Result<LibraryTexts> ReadLibraries(const KeyspaceReader& space) {
  MAYFLY_TRY(const auto cursor, space.NewCursor({.prefix = kPrefix}));
  return Collect(*cursor);
}

Result<LibraryTexts> ByNames(const std::vector<std::string>& texts) {
  LibraryTexts libraries;
  for (const std::string& text : texts) {
    MAYFLY_TRY(LibraryText parsed, ParseLibraryText(text));
    libraries.insert_or_assign(std::move(parsed.name), text);
  }
  return libraries;
}

Result<std::string> WriteLibraries(core::TransactionKeyspace& space, const LibraryTexts& libraries,
                                   Random& random) {
  MAYFLY_TRY(const LibraryTexts old, ReadLibraries(space));
  for (const auto& [name, text] : old) {
    if (libraries.contains(name)) continue;
    MAYFLY_RETURN_IF_ERROR(space.Delete(fmt::format("{}{}", kPrefix, name)).status());
  }
  for (const auto& [name, text] : libraries) {
    const auto known = old.find(name);
    if (known != old.end() && known->second == text) continue;
    MAYFLY_RETURN_IF_ERROR(space.Put(fmt::format("{}{}", kPrefix, name),
                                     fmt::format("{}{}", kHead, text), Lifetime::Forever()));
  }
  std::string mark = FreshMark(random);
  MAYFLY_RETURN_IF_ERROR(space.Put(kLibrariesKey, mark, Lifetime::Forever()));
  return mark;
}

}  // namespace mayfly::server
