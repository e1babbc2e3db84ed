#include "engine/rocks/files/format_file.h"

#include <fmt/format.h>
#include <rocksdb/env.h>

#include <charconv>
#include <filesystem>
#include <system_error>

#include "base/checksum.h"
#include "engine/rocks/files/key_file.h"
#include "engine/rocks/files/rocks_status.h"

namespace mayfly::engine {
namespace {

// Stored; a new one comes with every change that an older build misreads.
constexpr std::uint32_t kPlainFormat = 1;
constexpr std::uint32_t kEncryptedFormat = 3;
constexpr std::uint32_t kLoggedFormat = 4;
constexpr std::uint32_t kNewestFormat = kLoggedFormat;
constexpr Bytes kCipher = "aes-256-ctr";
constexpr Bytes kHotLog = "hot";
constexpr Bytes kEngineLine = "mayfly rocks";
constexpr std::size_t kFormatFileBytesMax = 4096;

std::string CheckLine(Bytes lines) { return fmt::format("check {:016x}\n", Hash64(lines)); }

// Consumes "word rest\n" from the front.
bool EatLine(Bytes& text, Bytes word, Bytes& rest) {
  const auto end = text.find('\n');
  if (end == Bytes::npos || !text.starts_with(word)) return false;
  Bytes line = text.substr(0, end);
  line.remove_prefix(word.size());
  if (!line.starts_with(' ')) return false;
  rest = line.substr(1);
  text.remove_prefix(end + 1);
  return true;
}

}  // namespace

std::string EncodeFormat(DirectoryFormat format) {
  const std::uint32_t number = format.has_hot_log ? kLoggedFormat
                               : format.encrypted ? kEncryptedFormat
                                                  : kPlainFormat;
  std::string lines = fmt::format("{}\nformat {}\nstate {}\n", kEngineLine, number,
                                  format.state == DirectoryState::kCreating ? "creating" : "ready");
  if (format.encrypted) lines += fmt::format("encryption {}\n", kCipher);
  if (format.has_hot_log) lines += fmt::format("log {}\n", kHotLog);
  return lines + CheckLine(lines);
}

Result<DirectoryFormat> DecodeFormat(Bytes text) {
  const Status damaged = Status::Corruption("its MAYFLY file is damaged");
  // The check covers everything before the last line, whatever a later version adds.
  if (text.size() < 2 || text.size() > kFormatFileBytesMax || text.back() != '\n') return damaged;
  const auto last_line = text.rfind('\n', text.size() - 2);
  if (last_line == Bytes::npos) return damaged;
  const Bytes lines = text.substr(0, last_line + 1);
  if (text.substr(last_line + 1) != CheckLine(lines)) return damaged;

  Bytes rest = lines;
  Bytes engine;
  Bytes number;
  Bytes state;
  if (!EatLine(rest, "mayfly", engine) || !EatLine(rest, "format", number)) return damaged;
  if (engine != "rocks") {
    return Status::Unsupported(fmt::format(
        "it was made by the engine '{}', this is 'rocks'; open it with that one", engine));
  }
  std::uint32_t format = 0;
  const auto parsed = std::from_chars(number.data(), number.data() + number.size(), format);
  if (parsed.ec != std::errc() || parsed.ptr != number.data() + number.size()) return damaged;
  if (format > kNewestFormat) {
    return Status::Unsupported(
        fmt::format("it has format {}, this build reads up to format {}; use a newer mayfly",
                    format, kNewestFormat));
  }
  if (format != kPlainFormat && format != kEncryptedFormat && format != kLoggedFormat) {
    return Status::Unsupported(
        fmt::format("it has format {}, which no release wrote; restore a backup of it", format));
  }
  DirectoryFormat read;
  read.has_hot_log = format == kLoggedFormat;
  Bytes cipher;
  Bytes log;
  if (!EatLine(rest, "state", state)) return damaged;
  read.encrypted =
      format == kEncryptedFormat || (read.has_hot_log && rest.starts_with("encryption"));
  if (read.encrypted && (!EatLine(rest, "encryption", cipher) || cipher != kCipher)) return damaged;
  if (read.has_hot_log && (!EatLine(rest, "log", log) || log != kHotLog)) return damaged;
  if (!rest.empty() || (state != "ready" && state != "creating")) return damaged;
  read.state = state == "ready" ? DirectoryState::kReady : DirectoryState::kCreating;
  return read;
}

Result<DirectoryFormat> ReadFormatFile(rocksdb::Env& env, const std::string& directory) {
  const std::string path = directory + "/" + kFormatFileName;
  const rocksdb::Status exists = env.FileExists(path);
  if (exists.IsNotFound()) return DirectoryFormat{};
  if (!exists.ok()) return FromRocks(exists, "looking for " + path);
  std::string text;
  const rocksdb::Status read = rocksdb::ReadFileToString(&env, path, &text);
  if (!read.ok()) return FromRocks(read, "reading " + path);
  return DecodeFormat(text);
}

Status WriteFormatFile(rocksdb::Env& env, const std::string& directory, DirectoryFormat format) {
  return WriteOwnFile(env, directory, kFormatFileName, EncodeFormat(format));
}

Status WriteOwnFile(rocksdb::Env& env, const std::string& directory, const std::string& name,
                    const std::string& text) {
  const std::string path = directory + "/" + name;
  const std::string fresh = path + ".new";
  rocksdb::Status status = rocksdb::WriteStringToFile(&env, text, fresh, /*should_sync=*/true);
  if (name == kKeyFileName) {
    // Readable by the owner only: with the file, passwords can be guessed offline.
    using std::filesystem::perms;
    std::error_code ignored;  // Files of an Env in memory have no permissions.
    std::filesystem::permissions(fresh, perms::owner_read | perms::owner_write, ignored);
  }
  if (status.ok()) status = env.RenameFile(fresh, path);
  std::unique_ptr<rocksdb::Directory> handle;
  if (status.ok()) status = env.NewDirectory(directory, &handle);
  if (status.ok()) status = handle->Fsync();
  return FromRocks(status, "writing " + path);
}

}  // namespace mayfly::engine
