// What this engine knows of the log that the memory-first engine keeps in its directory.
#include <rocksdb/env.h>

#include <filesystem>
#include <system_error>

#include "engine/rocks/files/format_file.h"
#include "engine/rocks/rocks_engine.h"

namespace mayfly::engine {

bool HasHotLog(const std::string& directory) {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::path(directory) / kHotLogFolder;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename();
    // A marker without a segment: the log was there, and is gone.
    if (name.starts_with("segment-") || name.starts_with("folded-")) return true;
  }
  return false;
}

void RemoveLeftHotLog(const std::string& directory) {
  std::error_code ignored;
  std::filesystem::remove_all(std::filesystem::path(directory) / kRemovedHotLogFolder, ignored);
}

bool IsHotDirectory(const std::string& directory) {
  if (HasHotLog(directory)) return true;
  const auto format = ReadFormatFile(*rocksdb::Env::Default(), directory);
  return format.has_value() && format->has_hot_log;
}

Status RecordHotLog(const RocksOptions& options, bool has_log) {
  rocksdb::Env& env = options.env != nullptr ? *options.env : *rocksdb::Env::Default();
  MAYFLY_TRY(DirectoryFormat format, ReadFormatFile(env, options.directory));
  if (format.has_hot_log == has_log) return {};
  format.has_hot_log = has_log;
  return WriteFormatFile(env, options.directory, format);
}

}  // namespace mayfly::engine
