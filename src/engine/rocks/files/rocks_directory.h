// rocks_directory.h - the files in a database's directory, by kind.
#pragma once

#include <rocksdb/env.h>

#include <cstdint>
#include <string>
#include <vector>

namespace mayfly::engine {

enum class FileKind : std::uint8_t { kTable, kLog, kManifest, kOther };

struct DirectoryFile {
  std::string name;
  FileKind kind = FileKind::kOther;
  std::uint64_t number = 0;  // RocksDB's; 0 for kOther.
  std::uint64_t bytes = 0;
};

// The kind and number that the name says.
DirectoryFile FileNamed(std::string name, std::uint64_t bytes = 0);

// Lists the files, except those that vanish meanwhile and the file of disk_reserve.h.
rocksdb::Status ListDirectory(rocksdb::Env& env, const std::string& directory,
                              std::vector<DirectoryFile>& files);

}  // namespace mayfly::engine
