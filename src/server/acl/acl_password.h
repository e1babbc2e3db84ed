// acl_password.h - passwords are kept as SHA256 alone, in hexadecimal digits.
#pragma once

#include <string>

#include "mayfly/bytes.h"

namespace mayfly::server {

std::string PasswordHash(Bytes password);

// 64 digits in lower case.
bool IsPasswordHash(Bytes text);

// In a time that does not tell where they differ.
bool SameHash(Bytes a, Bytes b);

// `bits` of a secret, as digits: one for every four, and one for the rest.
std::string NewPassword(int bits);

}  // namespace mayfly::server
