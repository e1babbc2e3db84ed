// encryption.h - a database under another password, or none.
// A database is encrypted or not from the start (DatabaseOptions::password). Its key is random and
// lies in its directory, encrypted with the password.
//   ChangePassword()  encrypts the key anew. Takes no time. Whoever has an old copy of the file
//                     MAYFLY.key and the old password can still read everything, also what is
//                     written later.
//   Reencrypt()       writes all files anew, under a new key. After it, and once the old directory
//                     is removed, the old password is worth nothing.
// Both work on a database that nobody has open: Busy otherwise. Safe to call from any thread.
#pragma once

#include <string>

#include "mayfly/bytes.h"
#include "mayfly/result.h"
#include "mayfly/status.h"

namespace mayfly {

// NotFound when there is no database in the directory.
Result<bool> IsEncrypted(const std::string& directory);

// WrongPassword when `password` is not its own, Invalid when it is not encrypted or the new one is
// empty. A crash leaves the old password or the new one in force.
Status ChangePassword(const std::string& directory, Bytes password, Bytes new_password);

struct ReencryptOptions {
  std::string directory;
  Bytes password = {};  // Empty: it is not encrypted.

  // Made, or empty. It has what the old one has, expiry events included.
  std::string new_directory;
  Bytes new_password = {};  // Empty: what is written is not encrypted.
};

// Copies the database to a new directory. The old one is only read; remove it when you have seen
// that the new one opens. What was written is removed again when it fails; what a crash leaves is
// no database, and the next attempt refuses it: remove it. Fails as Database::Open() does.
Status Reencrypt(const ReencryptOptions& options);

}  // namespace mayfly
