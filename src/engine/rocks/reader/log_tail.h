// log_tail.h - reads the records of one of RocksDB's logs while it is being written.
// Each byte is read once; an incomplete record is left for the next call. The bytes before the end
// of a file are final, so a checksum that does not match is damage and not a race. The frames:
// log_format.h. One thread at a time.
#pragma once

#include <rocksdb/env.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "mayfly/bytes.h"
#include "mayfly/result.h"

namespace mayfly::engine {

class LogTail {
 public:
  // NotFound when the file is gone.
  static Result<std::unique_ptr<LogTail>> Open(rocksdb::Env& env, const std::string& path,
                                               std::uint64_t number);

  std::uint64_t number() const { return number_; }
  const std::string& path() const { return path_; }

  // True if the last ReadNew() ended at an incomplete record.
  bool stops_within_record() const { return stops_within_record_; }

  // Appends the records that have been completed since the last call. Corruption for damage before
  // the end of the file.
  Status ReadNew(std::vector<std::string>& records);

 private:
  LogTail(std::unique_ptr<rocksdb::RandomAccessFile> file, std::string path, std::uint64_t number)
      : file_(std::move(file)), path_(std::move(path)), number_(number) {}

  enum class Step : std::uint8_t { kFragment, kMore, kEnd };

  // Takes one fragment from the front of `bytes`, which lie at offset_.
  Result<Step> TakeFragment(Bytes& bytes, std::vector<std::string>& records);
  Status CheckRestIsEmpty();
  Status Damaged(const char* what) const;

  const std::unique_ptr<rocksdb::RandomAccessFile> file_;
  const std::string path_;
  const std::uint64_t number_;
  std::uint64_t offset_ = 0;  // Everything before it has been taken.
  std::string record_;        // Fragments of one that goes on,
  bool in_record_ = false;    // if there is one.
  bool stops_within_record_ = false;
  std::string buffer_;
};

}  // namespace mayfly::engine
