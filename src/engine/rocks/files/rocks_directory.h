// rocks_directory.h - the files in a database's directory, by what they are.
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

// What the name says.
DirectoryFile FileNamed(std::string name, std::uint64_t bytes = 0);

// Files that vanish while the list is made are left out, and so is what disk_reserve.h sets aside.
rocksdb::Status ListDirectory(rocksdb::Env& env, const std::string& directory,
                              std::vector<DirectoryFile>& files);

}  // namespace mayfly::engine
