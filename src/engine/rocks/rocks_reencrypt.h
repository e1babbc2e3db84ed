// rocks_reencrypt.h - copies a database's files under another key, or changes the password.
// Works on the files of a closed database: everything, old versions included, is copied as it is.
// See mayfly/encryption.h.
#pragma once

#include <string>

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
};

// As the functions of encryption.h; `env` is for tests that break the disk, null: the system's.
Result<bool> IsRocksEncrypted(const std::string& directory, rocksdb::Env* env = nullptr);
Status ChangeRocksPassword(const std::string& directory, Bytes password, Bytes new_password,
                           rocksdb::Env* env = nullptr);
Status ReencryptRocks(const RocksCopy& copy, rocksdb::Env* env = nullptr);

}  // namespace mayfly::engine
