// hyperloglog_commands.h - the handlers of the HyperLogLog family, by file, and what they share.
// A HyperLogLog is a string with bytes of a certain form (types/hyperloglog/hyperloglog.h), so its
// deadline follows the rules of strings: a change keeps it.
#pragma once

#include <optional>

#include "server/command/command.h"
#include "types/hyperloglog/hyperloglog.h"

namespace mayfly::server {

// Errors in Redis' words, which are not those of other types.
inline constexpr const char* kNoHyperLogLog =
    "WRONGTYPE Key is not a valid HyperLogLog string value.";
inline constexpr const char* kDamagedHyperLogLog = "INVALIDOBJ Corrupted HLL object detected";

// A key's row and what it holds; the second borrows from the first.
struct FoundHyperLogLog {
  core::FoundRow row;
  std::optional<types::HyperLogLog> value;  // Nothing: there is no such key.
};

// Fails when the key holds anything else.
Answer FindHyperLogLog(const Call& call, Bytes key, FoundHyperLogLog& found);

// Stores it and keeps the key's deadline.
Status StoreHyperLogLog(const Call& call, Bytes key, const types::HyperLogLog& value);

// How large a sparse one may grow.
std::size_t SparseBytesMax(const Call& call);

// hyperloglog_commands.cc
Answer PfAdd(Call& call);
Answer PfCount(Call& call);
Answer PfMerge(Call& call);

// hyperloglog_debug.cc
Answer PfDebug(Call& call);
Answer PfSelfTest(Call& call);

}  // namespace mayfly::server
