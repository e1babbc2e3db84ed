// rocks_reencrypt.h - copies a database's files under another key, or changes the password.
// Works on the files of a closed database: everything, old versions included, is copied as it is.
// See mayfly/encryption.h.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "crypto/database_key.h"
#include "mayfly/bytes.h"
#include "mayfly/result.h"

namespace rocksdb {
class Env;
}  // namespace rocksdb

namespace mayfly::engine {

struct RocksCopy {
  std::string directory;
  Bytes password = {};
  std::string new_directory;
  Bytes new_password = {};

  // Copies the log of a memory-first directory, with both directories locked, before the new one
  // becomes a database. A null key: that side is not encrypted. Without this such a directory is
  // refused: rows in its log would be missing.
  using Key = std::shared_ptr<const crypto::DatabaseKey>;
  std::function<Status(const Key& key, const Key& new_key)> copy_log = {};
};

// As the functions of encryption.h; `env` is for tests that break the disk, null: the system's.
Result<bool> IsRocksEncrypted(const std::string& directory, rocksdb::Env* env = nullptr);
Status ChangeRocksPassword(const std::string& directory, Bytes password, Bytes new_password,
                           rocksdb::Env* env = nullptr);
Status ReencryptRocks(const RocksCopy& copy, rocksdb::Env* env = nullptr);

}  // namespace mayfly::engine
