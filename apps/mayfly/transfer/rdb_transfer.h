// rdb_transfer.h - RDB files of Redis into a database, and a database as an RDB file.
#pragma once

#include <cstdio>
#include <functional>
#include <string>

#include "apps/mayfly/target/target.h"
#include "apps/mayfly/transfer/importer.h"
#include "rdb/input.h"

namespace mayfly::app {

// A server has a key of no bytes, as Redis; a folder, through the library, has none.
bool HoldsEmptyKey(const Target& target);
inline constexpr const char* kEmptyKey = "key of no bytes, which a folder cannot be given";

// Bytes of an open file, which must outlive it; counts them.
class FileSource final : public rdb::ByteSource {
 public:
  // Passes `progress` the bytes read; false ends the reading, as if interrupted.
  FileSource(std::FILE* file, std::function<bool(std::uint64_t bytes)> progress)
      : file_(file), progress_(std::move(progress)) {}

  Result<std::size_t> Read(char* to, std::size_t bytes_max) override;

 private:
  std::FILE* const file_;
  const std::function<bool(std::uint64_t bytes)> progress_;
  std::uint64_t bytes_ = 0;
};

// Writes the keys of the file over those of the target: each to the database of its number, or,
// with `one_keyspace`, to the keyspace that the target has chosen; then a file with several
// databases is Invalid. Libraries of functions replace those with the same names, once all keys are
// there; a keyspace has none. `left_out` says what the target has no type for; empty: nothing. `rest`,
// unless null: the bytes that were read from the source and lie behind the file.
Status ImportRdb(rdb::ByteSource& source, bool one_keyspace, Target& target, Importer& importer,
                 std::string& left_out, std::string* rest = nullptr);

struct RdbExport {
  int version = 0;                // Of the file.
  bool one_keyspace = false;      // That of the target alone, as database 0.
  bool without_max_ages = false;  // Streams that have one are written, and lose it.
  std::string prefix;
};

struct RdbExportCounts {
  std::uint64_t rows = 0;
  std::uint64_t with_field_deadlines = 0;  // Hashes that were left out: the version has none.
  std::uint64_t with_max_age = 0;          // Streams that were left out: no version has them.
};

// Passes `progress` the rows written; false ends it.
Result<RdbExportCounts> ExportRdb(const RdbExport& what, Target& target, std::FILE* file,
                                  const std::function<bool(std::uint64_t rows)>& progress);

}  // namespace mayfly::app
