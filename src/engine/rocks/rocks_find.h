// rocks_find.h - searches all files of a database's directory for bytes.
// SST files are read entry by entry, logs and manifests record by record, and all of them raw as
// well. What is in memory is in a log, too. An SST file that cannot be read is an error: "nothing
// found" must mean that everything was searched.
#pragma once

#include <rocksdb/env.h>

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "engine/rocks/files/rocks_directory.h"

namespace mayfly::engine {

struct SstEntry;

class RocksFind {
 public:
  // Callbacks to the database.
  struct Questions {
    std::function<Result<std::vector<DirectoryFile>>()> files;
    std::function<std::map<std::uint64_t, Role>()> live_tables;
    // True if readers of the newest state see this pair.
    std::function<bool(Role role, Bytes key, Bytes value)> is_visible;
  };

  RocksFind(rocksdb::Env& env, std::string directory, Questions ask, Bytes needle,
            std::size_t traces_max, FindProgress progress = {});

  // Busy when files came and went faster than they could be opened, Conflict when the progress
  // callback ended it.
  Result<std::vector<Trace>> Run();

 private:
  enum class Outcome : std::uint8_t { kDone, kGone, kUnfinished };
  using LiveTables = std::map<std::uint64_t, Role>;

  Result<Outcome> SearchFile(const DirectoryFile& file, const LiveTables& live);
  Result<Outcome> SearchTable(const DirectoryFile& file, const LiveTables& live);
  Result<Outcome> SearchRaw(const DirectoryFile& file, const char* what);
  Status ReportProgress(std::uint64_t bytes);
  std::string Describe(const SstEntry& entry, const Role* role) const;
  Status Broken(const DirectoryFile& file, const Status& why) const;
  std::string PathOf(const DirectoryFile& file) const { return directory_ + "/" + file.name; }
  bool Full() const { return traces_.size() >= traces_max_; }
  void Add(const std::string& where, std::string what);

  rocksdb::Env& env_;
  const std::string directory_;
  const Questions ask_;
  const Bytes needle_;
  const std::size_t traces_max_;
  const FindProgress progress_;

  std::uint64_t bytes_all_ = 0;  // Of the files as they were listed last; each is counted once.
  std::uint64_t bytes_done_ = 0;
  std::set<std::string> searched_;
  std::set<std::pair<std::string, std::string>> known_;
  std::vector<Trace> traces_;
};

}  // namespace mayfly::engine
