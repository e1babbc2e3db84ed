// variable_keys.h - key flags that depend on the arguments of a command.
#pragma once

#include <span>
#include <vector>

#include "server/command/key_spec.h"

namespace mayfly::server {

// SET reads the key only with GET, and with a condition on its value.
KeyFlags SetKeyFlags(std::span<const Bytes> args);

// DELEX reads the key only with a condition.
KeyFlags DelExKeyFlags(std::span<const Bytes> args);

// BITFIELD only reads if all its operations are GET. Malformed arguments count as writes.
KeyFlags BitFieldKeyFlags(std::span<const Bytes> args);

// The target of SORT's STORE. The last one counts.
void FindSortTarget(std::span<const Bytes> args, std::vector<KeyUse>& keys);

// The key that is sorted, those that BY and GET lead to, and the target.
inline constexpr KeySpecs kSortKeys{
    .specs = {KeyAt(1, kRO | kAccess), UnknownKeys(kRO | kAccess), UnknownKeys(kOW | kUpdate)},
    .find = FindSortTarget};
inline constexpr KeySpecs kSortReadOnlyKeys{
    .specs = {KeyAt(1, kRO | kAccess), UnknownKeys(kRO | kAccess)}};

}  // namespace mayfly::server
