#include "engine/rocks/rocks_leftovers.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "base/log.h"
#include "engine/rocks/files/limits.h"
#include "engine/rocks/files/manifest.h"
#include "engine/rocks/files/rocks_directory.h"

namespace mayfly::engine {
namespace {

using Files = std::vector<DirectoryFile>;

// By the system's own calls: an encrypted file is longer than `env` says.
void CutBehindEnd(const std::string& path) {
  constexpr std::int64_t kBlockBytes = 512;  // The unit of st_blocks, on every file system.
  const int file = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  struct stat about {};
  if (fstat(file, &about) == 0 && about.st_blocks * kBlockBytes > about.st_size) {
    // Keeps every byte. If it fails, there is less room, and nothing else is wrong.
    [[maybe_unused]] const int cut = ftruncate(file, about.st_size);
  }
  close(file);
}

bool HasAllTables(const Files& files, const Manifest& manifest) {
  std::size_t found = 0;
  for (const DirectoryFile& file : files) {
    if (file.kind != FileKind::kTable) continue;
    const auto named = manifest.tables.find(file.number);
    if (named != manifest.tables.end() && named->second.bytes == file.bytes) ++found;
  }
  return found == manifest.tables.size();
}

void RemoveUnnamedTables(rocksdb::Env& env, const std::string& directory, const Files& files,
                         const Manifest& manifest, Logger& logger) {
  for (const DirectoryFile& file : files) {
    if (file.kind != FileKind::kTable || manifest.tables.contains(file.number)) continue;
    const rocksdb::Status removed = env.DeleteFile(directory + "/" + file.name);
    if (!removed.ok()) continue;  // RocksDB tries again.
    Log(logger, LogLevel::kInfo, "removed {}/{}, an unfinished table of {} bytes", directory,
        file.name, file.bytes);
  }
}

// Recovery replays these logs and writes their rows to tables, which are about as long.
std::uint64_t BytesToReplay(const Files& files, const Manifest& manifest) {
  std::uint64_t first_log = std::numeric_limits<std::uint64_t>::max();
  for (const auto& [id, family] : manifest.families) {
    first_log = std::min(first_log, family.first_log);
  }
  std::uint64_t bytes = 0;
  for (const DirectoryFile& file : files) {
    if (file.kind == FileKind::kLog && file.number >= first_log) bytes += file.bytes;
  }
  return bytes;
}

}  // namespace

std::uint64_t GiveBackLeftovers(rocksdb::Env& env, const std::string& directory, Logger& logger) {
  Files files;
  if (!ListDirectory(env, directory, files).ok()) return kRecoveryBytesMin;
  for (const DirectoryFile& file : files) {
    if (file.kind == FileKind::kLog || file.kind == FileKind::kManifest) {
      CutBehindEnd(directory + "/" + file.name);
    }
  }
  const auto manifest = ReadCurrentManifest(env, directory);
  if (!manifest.has_value()) return kRecoveryBytesMin;
  if (HasAllTables(files, *manifest)) {
    RemoveUnnamedTables(env, directory, files, *manifest, logger);
  }
  return kRecoveryBytesMin + BytesToReplay(files, *manifest);
}

}  // namespace mayfly::engine
