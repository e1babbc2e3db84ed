// manifest.h - the files of a database, read from RocksDB's manifest.
// Read without RocksDB, which refuses the whole database when one of these files is missing.
// A manifest is a list of changes, one per record: | tag varint | its fields | ... |.
#pragma once

#include <rocksdb/env.h>

#include <cstdint>
#include <map>
#include <string>

#include "mayfly/bytes.h"
#include "mayfly/result.h"

namespace mayfly::engine {

struct ManifestTable {
  std::uint32_t family = 0;
  std::uint64_t bytes = 0;
  std::string smallest;         // A lower bound of the file's user keys.
  std::string largest;          // An upper bound of the file's user keys.
  bool largest_is_end = false;  // `largest` itself is not in the file.
};

struct ManifestFamily {
  std::string name;
  std::uint64_t first_log = 0;  // This family's changes in older logs are in tables.
};

struct Manifest {
  std::map<std::uint64_t, ManifestTable> tables;  // By number, as all files.
  std::map<std::uint32_t, ManifestFamily> families;
  std::map<std::uint64_t, std::uint64_t> logs;  // Closed ones, and how long each is at least.
};

// Corruption unless the file is intact.
Result<Manifest> ReadManifest(rocksdb::Env& env, const std::string& path);

// A lower bound of the newest log's number: older ones are closed, or contain nothing that counts.
std::uint64_t NewestLogAtLeast(const Manifest& manifest);

// The manifest that CURRENT names. Corruption unless both are intact.
Result<Manifest> ReadCurrentManifest(rocksdb::Env& env, const std::string& directory);

// Applies one record. False when it cannot be parsed.
[[nodiscard]] bool ApplyManifestRecord(Bytes record, Manifest& manifest);

}  // namespace mayfly::engine
