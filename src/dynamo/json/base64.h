// base64.h - Base64, in which JSON carries bytes.
#pragma once

#include <string>
#include <string_view>

#include "mayfly/result.h"
#include "mayfly/status.h"

namespace mayfly::dynamo {

std::string ToBase64(std::string_view bytes);

// Invalid, in DynamoDB's words: not a multiple of four, other characters, padding within.
Status CheckBase64(std::string_view text);
Result<std::string> FromBase64(std::string_view text);

}  // namespace mayfly::dynamo
