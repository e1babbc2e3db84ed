// printable.h - bytes as a person can read them in a message.
#pragma once

#include <cstddef>
#include <string>

#include "mayfly/bytes.h"

namespace mayfly {

// ASCII as it is, the rest as \xNN, cut after `bytes_max` bytes with "..." in their place.
std::string Printable(Bytes bytes, std::size_t bytes_max = 64);

// All of the bytes between double quotes, as Redis writes them into MONITOR and its configuration
// file, and reads them: " and \ escaped, control characters as \n or \xNN.
std::string Quoted(Bytes bytes);

}  // namespace mayfly
