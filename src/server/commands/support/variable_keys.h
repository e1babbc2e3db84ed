// variable_keys.h - for the lines of commands whose arguments decide what is done to keys.
#pragma once

#include <span>
#include <vector>

#include "server/command/key_spec.h"

namespace mayfly::server {

// SET reads the key with GET alone.
KeyFlags SetKeyFlags(std::span<const Bytes> args);

// BITFIELD reads as long as there are GETs alone. Arguments that are not understood may write.
KeyFlags BitFieldKeyFlags(std::span<const Bytes> args);

// The target of SORT's STORE. Of several the last one counts.
void FindSortTarget(std::span<const Bytes> args, std::vector<KeyUse>& keys);

// The key that is sorted, those that BY and GET lead to, and the target.
inline constexpr KeySpecs kSortKeys{
    .specs = {KeyAt(1, kRO | kAccess), UnknownKeys(kRO | kAccess), UnknownKeys(kOW | kUpdate)},
    .find = FindSortTarget};
inline constexpr KeySpecs kSortReadOnlyKeys{
    .specs = {KeyAt(1, kRO | kAccess), UnknownKeys(kRO | kAccess)}};

}  // namespace mayfly::server
