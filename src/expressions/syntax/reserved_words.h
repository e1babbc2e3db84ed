// reserved_words.h - names that an expression can only use through a placeholder.
#pragma once

#include <string_view>

namespace mayfly::expressions {

// One of DynamoDB's 573, in any case.
bool IsReservedWord(std::string_view word);

}  // namespace mayfly::expressions
