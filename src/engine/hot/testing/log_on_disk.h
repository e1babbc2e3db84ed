// log_on_disk.h - the log's files on the disk of a cold store that tests fill up.
// The files are real ones; they take and give back room of the FaultyDisk.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "engine/hot/log/log_files.h"
#include "engine/rocks/testing/faulty_disk.h"

namespace mayfly::engine::hot {

class LogOnDisk {
 public:
  // The disk must outlive it, and it all files.
  explicit LogOnDisk(FaultyDisk& disk) : disk_(disk) {}

  // Those of a directory. One process after the other may have them open.
  std::unique_ptr<LogFiles> Files(const std::string& directory);

  // Bytes of the disk that the file found while it was full, by path: more, or fewer.
  bool Take(const std::string& path, std::uint64_t bytes);
  void Give(const std::string& path, std::uint64_t bytes);

 private:
  FaultyDisk& disk_;
  std::mutex mutex_;
  std::map<std::string, std::uint64_t> taken_;  // Guarded by mutex_.
};

}  // namespace mayfly::engine::hot
