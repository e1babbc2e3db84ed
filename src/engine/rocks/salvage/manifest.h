// manifest.h - which files RocksDB counts on, as its manifest tells.
// Read without RocksDB, which refuses a database as a whole when one of these files is missing.
// A manifest is a list of changes, one per record: | tag varint | what belongs to it | ... |.
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
  std::string smallest;         // Keys as users have them; nothing in the file is before
  std::string largest;          // or behind them.
  bool largest_is_end = false;  // Nothing is at `largest` either.
};

struct ManifestFamily {
  std::string name;
  std::uint64_t first_log = 0;  // What older logs hold of this family is in tables.
};

struct Manifest {
  std::map<std::uint64_t, ManifestTable> tables;  // By number, as all files.
  std::map<std::uint32_t, ManifestFamily> families;
  std::map<std::uint64_t, std::uint64_t> logs;  // Closed ones, and how long each is at least.
};

// Corruption unless the file is whole.
Result<Manifest> ReadManifest(rocksdb::Env& env, const std::string& path);

// The number that the newest log has at least: older ones are closed, or hold nothing that counts.
std::uint64_t NewestLogAtLeast(const Manifest& manifest);

// The manifest that CURRENT names. Corruption unless both are whole.
Result<Manifest> ReadCurrentManifest(rocksdb::Env& env, const std::string& directory);

// Applies one record. False when it is none.
[[nodiscard]] bool ApplyManifestRecord(Bytes record, Manifest& manifest);

}  // namespace mayfly::engine
