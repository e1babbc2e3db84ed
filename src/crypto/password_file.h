// password_file.h - reads a password from a file. A server takes its password this way, because
// flags and settings can be seen by others.
#pragma once

#include <string>

#include "crypto/secret.h"
#include "mayfly/result.h"

namespace mayfly::crypto {

// Returns the contents without one line end at the end. NotFound and IoError name the file; Invalid
// when it is empty or longer than a password may be (database_key.h).
Result<Secret> ReadPasswordFile(const std::string& path);

}  // namespace mayfly::crypto
