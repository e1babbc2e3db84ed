// log_files.h - the files of the log, as an interface: tests play power cuts and failing disks.
// Every error names the file and the reason. It is Busy if the disk is full, so that the engine can
// make room and try again; IoError otherwise.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "mayfly/bytes.h"
#include "mayfly/result.h"

namespace mayfly::engine::hot {

// One open file. Calls from any thread. The destructor closes it and ends its mapping.
class LogFile {
 public:
  LogFile() = default;
  virtual ~LogFile() = default;
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;

  // Makes the file at least this long. New bytes are zeros, and have room on the disk.
  virtual Status Allocate(std::uint64_t bytes) = 0;

  // Writes all of it; after an error any part of it may have been written.
  virtual Status Write(std::uint64_t offset, Bytes bytes) = 0;

  // Reads up to `bytes`; fewer at the end of the file.
  virtual Result<std::string> Read(std::uint64_t offset, std::uint64_t bytes) = 0;

  virtual Result<std::uint64_t> Size() = 0;

  // Gives back what lies behind the first `bytes`.
  virtual Status Truncate(std::uint64_t bytes) = 0;

  // Everything written so far, through the mapping too, is on the device afterwards, and the size.
  virtual Status Sync() = 0;

  // Maps the first bytes of the file, whose room is allocated, for writing, or returns the mapping
  // that is there. Unsupported where a write to the mapping could find no room.
  virtual Result<char*> Map(std::uint64_t bytes) = 0;

  // Makes these bytes of the mapping writable now: later writes to them need no system call.
  virtual void Populate(std::uint64_t offset, std::uint64_t bytes) = 0;
};

// One directory.
class LogFiles {
 public:
  virtual ~LogFiles() = default;

  // Names of files, in any order. The directory is made if it is missing.
  virtual Result<std::vector<std::string>> List() = 0;
  virtual Result<std::unique_ptr<LogFile>> Create(const std::string& name) = 0;
  virtual Result<std::unique_ptr<LogFile>> Open(const std::string& name) = 0;
  virtual Status Remove(const std::string& name) = 0;

  // Files created and removed so far are so after a power cut.
  virtual Status SyncDirectory() = 0;

  // For messages.
  virtual std::string PathOf(const std::string& name) const = 0;
};

// With kRead nothing is made, changed or synced, a missing directory is an empty one, and files may
// be removed by their writer at any time.
enum class LogAccess { kWrite, kRead };

// The files of a directory of the operating system.
std::unique_ptr<LogFiles> NewLogFiles(const std::string& directory,
                                      LogAccess access = LogAccess::kWrite);

}  // namespace mayfly::engine::hot
