// printable.h - bytes as a person can read them in a message.
#pragma once

#include <cstddef>
#include <string>

#include "mayfly/bytes.h"

namespace mayfly {

// ASCII as it is, the rest as \xNN, cut after `bytes_max` bytes with "..." in their place.
std::string Printable(Bytes bytes, std::size_t bytes_max = 64);

}  // namespace mayfly
