// format_file.h - the file that says what a directory is.
//   mayfly rocks          which engine laid it out
//   format 1              which layout; the first two lines keep their place in every version
//   state ready           or "creating", until the first open has finished
//   encryption aes-256-ctr   in format 3, which is format 1 with encrypted files, and in format 4
//   log hot               in format 4: rows may be in the log of the memory-first engine alone
//   check 0123456789abcdef   Hash64 of the lines above
// It is read before RocksDB opens anything, so that a newer layout is refused by name instead of
// failing somewhere inside. A directory in state "creating" was never in use and may be begun
// again.
#pragma once

#include <cstdint>
#include <string>

#include "mayfly/bytes.h"
#include "mayfly/result.h"
#include "mayfly/status.h"

namespace rocksdb {
class Env;
}  // namespace rocksdb

namespace mayfly::engine {

inline constexpr const char* kFormatFileName = "MAYFLY";
inline constexpr const char* kLockFileName = "MAYFLY.lock";

enum class DirectoryState : std::uint8_t { kAbsent, kCreating, kReady };

struct DirectoryFormat {
  DirectoryState state = DirectoryState::kAbsent;
  bool encrypted = false;
  bool has_hot_log = false;
};

std::string EncodeFormat(DirectoryFormat format);

// Corruption when the text is not EncodeFormat()'s; Unsupported, naming both versions, when it is
// that of a later layout or another engine.
Result<DirectoryFormat> DecodeFormat(Bytes text);

// kAbsent when there is no such file.
Result<DirectoryFormat> ReadFormatFile(rocksdb::Env& env, const std::string& directory);

// Replaces the file atomically and durably: a crash leaves the old one or the new one.
Status WriteFormatFile(rocksdb::Env& env, const std::string& directory, DirectoryFormat format);

// Replaces any of our own files atomically and durably.
Status WriteOwnFile(rocksdb::Env& env, const std::string& directory, const std::string& name,
                    const std::string& text);

}  // namespace mayfly::engine
