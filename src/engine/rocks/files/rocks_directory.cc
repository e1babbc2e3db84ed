#include "engine/rocks/files/rocks_directory.h"

#include <charconv>
#include <string_view>
#include <utility>

#include "engine/disk/disk_reserve.h"

namespace mayfly::engine {
namespace {

bool ParseNumber(std::string_view digits, std::uint64_t& number) {
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return error == std::errc() && end == digits.data() + digits.size();
}

}  // namespace

DirectoryFile FileNamed(std::string name, std::uint64_t bytes) {
  constexpr std::string_view kManifestPrefix = "MANIFEST-";
  std::string_view number = name;
  FileKind kind = FileKind::kOther;
  if (name.ends_with(".sst") || name.ends_with(".log")) {
    kind = name.ends_with(".sst") ? FileKind::kTable : FileKind::kLog;
    number.remove_suffix(4);
  } else if (name.starts_with(kManifestPrefix)) {
    kind = FileKind::kManifest;
    number.remove_prefix(kManifestPrefix.size());
  }
  DirectoryFile file;
  file.kind = kind;
  file.bytes = bytes;
  if (kind != FileKind::kOther && !ParseNumber(number, file.number)) file.kind = FileKind::kOther;
  file.name = std::move(name);
  return file;
}

rocksdb::Status ListDirectory(rocksdb::Env& env, const std::string& directory,
                              std::vector<DirectoryFile>& files) {
  std::vector<rocksdb::Env::FileAttributes> children;
  rocksdb::Status status = env.GetChildrenFileAttributes(directory, &children);
  if (!status.ok()) return status;
  files.clear();
  files.reserve(children.size());
  for (auto& child : children) {
    if (child.name == "." || child.name == ".." || child.name == kReserveFileName) continue;
    DirectoryFile file = FileNamed(std::move(child.name), child.size_bytes);
    // Folders are not the database's (backups, for example); it has files only.
    bool is_folder = false;
    if (file.kind == FileKind::kOther &&
        env.IsDirectory(directory + "/" + file.name, &is_folder).ok() && is_folder) {
      continue;
    }
    files.push_back(std::move(file));
  }
  return status;
}

}  // namespace mayfly::engine
