// key_file.h - the file with the key of an encrypted database, encrypted with its password.
// Its text is crypto/database_key.h's. Without it nothing in the directory can be read.
#pragma once

#include <rocksdb/env.h>

#include <memory>
#include <string>

#include "crypto/database_key.h"
#include "engine/rocks/files/format_file.h"
#include "mayfly/bytes.h"
#include "mayfly/result.h"

namespace mayfly::engine {

inline constexpr const char* kKeyFileName = "MAYFLY.key";

// WrongPassword when a password is needed and missing, Invalid when one is given and not needed.
Status CheckPasswordGiven(const DirectoryFormat& format, Bytes password);

// The key of an existing database; null when it is not encrypted. Fails as CheckPasswordGiven() and
// DatabaseKey::Open() do; Corruption when the file is missing.
Result<std::shared_ptr<const crypto::DatabaseKey>> OpenKeyFile(rocksdb::Env& env,
                                                               const std::string& directory,
                                                               const DirectoryFormat& format,
                                                               Bytes password);

// Makes a new key and its file; without a password, null and no file.
Result<std::shared_ptr<const crypto::DatabaseKey>> MakeKeyFile(rocksdb::Env& env,
                                                               const std::string& directory,
                                                               Bytes password);

// Removes the files of an interrupted creation: they are under a key of their own. Only in a locked
// directory in state "creating".
Status RemoveUnfinished(rocksdb::Env& env, const std::string& directory);

}  // namespace mayfly::engine
