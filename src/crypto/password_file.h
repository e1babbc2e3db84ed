// password_file.h - a password that lies in a file, as a server is given one: flags and settings
// can be seen by others.
#pragma once

#include <string>

#include "crypto/secret.h"
#include "mayfly/result.h"

namespace mayfly::crypto {

// What is in the file, but for one line end behind it. NotFound and IoError name the file; Invalid
// when it holds nothing or more than a password may have (database_key.h).
Result<Secret> ReadPasswordFile(const std::string& path);

}  // namespace mayfly::crypto
