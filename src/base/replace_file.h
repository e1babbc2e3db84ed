// replace_file.h - replaces the contents of a file atomically.
// The contents are written to a temporary file in the same directory, made durable, and renamed: a
// reader sees the old contents or the new ones, also after a power cut.
#pragma once

#include <string>

#include "mayfly/bytes.h"
#include "mayfly/status.h"

namespace mayfly {

// The file keeps its mode; a new one is readable by its owner only. After IoError, which names the
// file, the file is as it was, unless only its directory could not be made durable. Safe to call
// from any thread, also for the same file: the last call wins.
Status ReplaceFile(const std::string& path, Bytes contents);

// Writes all of `contents` to an open file; IoError names `path`.
Status WriteAll(int file, Bytes contents, const std::string& path);

// Syncs the directory of `path`, so that files created, renamed or removed in it are so durably.
Status SyncFolderOf(const std::string& path);

}  // namespace mayfly
