// errors.h - errors that clients read, in Redis' words.
// Holds those that more than one family uses; each is a Status, so that it passes through functions
// that know no protocol. Answer puts the code word ERR in front.
#pragma once

#include <fmt/format.h>

#include <string_view>

#include "mayfly/status.h"

namespace mayfly::server {

// A client writes to a server that follows another one.
inline constexpr const char* kTooFewFollowersLine = "NOREPLICAS Not enough good replicas to write.";
inline constexpr const char* kOutOfMemoryLine =
    "OOM command not allowed when used memory > 'maxmemory'.";
inline constexpr const char* kReadOnlyLine =
    "READONLY You can't write against a read only replica.";

inline constexpr std::string_view kWrongTypeLine =
    "WRONGTYPE Operation against a key holding the wrong kind of value";

inline Status SyntaxError() { return Status::Invalid("syntax error"); }
inline Status NotAnInteger() { return Status::Invalid("value is not an integer or out of range"); }
inline Status NotAFloat() { return Status::Invalid("value is not a valid float"); }
inline Status OutOfRange() { return Status::Invalid("value is out of range"); }
inline Status NotPositive() { return Status::Invalid("value is out of range, must be positive"); }
inline Status NoSuchKey() { return Status::Invalid("no such key"); }
inline Status IndexOutOfRange() { return Status::Invalid("index out of range"); }
inline Status InvalidCursor() { return Status::Invalid("invalid cursor"); }

inline Status WrongArity(std::string_view command) {
  return Status::Invalid(fmt::format("wrong number of arguments for '{}' command", command));
}
inline Status InvalidExpireTime(std::string_view command) {
  return Status::Invalid(fmt::format("invalid expire time in '{}' command", command));
}

}  // namespace mayfly::server
