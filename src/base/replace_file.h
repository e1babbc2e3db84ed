// replace_file.h - a file gets other contents, all or nothing.
// They are written to a file of another name in the same directory, made durable, and given the
// name: a reader, and whoever looks after a power cut, sees what was there or what is there now.
#pragma once

#include <string>

#include "mayfly/bytes.h"
#include "mayfly/status.h"

namespace mayfly {

// The file keeps its mode; one that was not there is its owner's alone. IoError, naming the file:
// then it is as it was, unless only its directory could not be made durable. Safe to call from any
// thread, for one file, too: the last one stays.
Status ReplaceFile(const std::string& path, Bytes contents);

// Writes all of it to an open file; IoError names `path`.
Status WriteAll(int file, Bytes contents, const std::string& path);

// Makes names of files durable that were made, given or taken away beside `path`: they are in the
// directory, which is written back apart from the files.
Status SyncFolderOf(const std::string& path);

}  // namespace mayfly
