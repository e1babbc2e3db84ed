// acl_password.h - passwords are kept as SHA256 alone, in hexadecimal digits.
#pragma once

#include <string>

#include "mayfly/bytes.h"

namespace mayfly::server {

std::string PasswordHash(Bytes password);

// 64 digits in lower case.
bool IsPasswordHash(Bytes text);

// Constant time, so that it does not reveal where they differ.
bool SameHash(Bytes a, Bytes b);

// A random secret of `bits`, in hexadecimal digits: one for every four bits, rounded up.
std::string NewPassword(int bits);

}  // namespace mayfly::server
