// member_scan.h - HSCAN, SSCAN and ZSCAN: a page of members and a cursor to go on with.
#pragma once

#include <cstdint>

#include "base/function_ref.h"
#include "mayfly/bytes.h"
#include "mayfly/result.h"
#include "server/command/command.h"
#include "types/value_type.h"

namespace mayfly::server {

// Writes a member that matches; returns how many replies that were.
using WriteMember = FunctionRef<Result<std::size_t>(Bytes name, Bytes value)>;

// Answers "scan key cursor [MATCH pattern] [COUNT count]" for a key of this type. With `no_values`
// the word NOVALUES is allowed, too, and sets it before the first member is written.
Answer ScanMembers(Call& call, types::ValueType type, WriteMember write, bool* no_values = nullptr);

}  // namespace mayfly::server
