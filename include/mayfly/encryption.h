// encryption.h - changing or removing the password of a database.
// A database is encrypted or not from the start (DatabaseOptions::password). Its key is random and
// lies in its directory, encrypted with the password.
//   ChangePassword()  encrypts the key anew. Takes no time. An old copy of the file MAYFLY.key and
//                     the old password together still decrypt everything, also rows written later.
//   Reencrypt()       writes all files anew, under a new key. After it, and once the old directory
//                     is removed, the old password is worthless.
// Both are Busy while the database is open. Safe to call from any thread.
#pragma once

#include <string>

#include "mayfly/bytes.h"
#include "mayfly/result.h"
#include "mayfly/status.h"

namespace mayfly {

// True if the files of the database are encrypted. NotFound when there is no database in the
// directory.
Result<bool> IsEncrypted(const std::string& directory);

// Changes the password. WrongPassword when `password` is wrong, Invalid when the database is not
// encrypted or the new password is empty. A crash leaves the old password or the new one in force.
Status ChangePassword(const std::string& directory, Bytes password, Bytes new_password);

struct ReencryptOptions {
  std::string directory;
  Bytes password = {};  // Empty: the database is not encrypted.

  // Missing or empty before. Gets everything, expiry events included.
  std::string new_directory;
  Bytes new_password = {};  // Empty: the new database is not encrypted.
};

// Copies the database to a new directory. The old one is only read; remove it when you have seen
// that the new one opens. On failure the new files are removed again. After a crash they are no
// database, and the next attempt refuses them: remove them. Fails as Database::Open() does.
Status Reencrypt(const ReencryptOptions& options);

}  // namespace mayfly
