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

// Whether there is a password where one is needed, and none where not: WrongPassword, Invalid.
Status CheckPasswordGiven(const DirectoryFormat& format, Bytes password);

// The key of a database that is there; null when it is not encrypted. Fails as
// CheckPasswordGiven() and DatabaseKey::Open() do; Corruption when the file is missing.
Result<std::shared_ptr<const crypto::DatabaseKey>> OpenKeyFile(rocksdb::Env& env,
                                                               const std::string& directory,
                                                               const DirectoryFormat& format,
                                                               Bytes password);

// A new key, and its file; null, and no file, without a password.
Result<std::shared_ptr<const crypto::DatabaseKey>> MakeKeyFile(rocksdb::Env& env,
                                                               const std::string& directory,
                                                               Bytes password);

// Removes what is left of a creation that was cut off: its files are under a key of their own. Only
// in a directory that was never handed to anybody, and that is locked.
Status RemoveUnfinished(rocksdb::Env& env, const std::string& directory);

}  // namespace mayfly::engine
