// library_text.h - the text of a library of functions, as FUNCTION LOAD takes it.
//   #!lua name=NAME      the first line; words may be quoted as redis-cli takes them
//   ...                  Lua that registers functions
#pragma once

#include <string>

#include "mayfly/bytes.h"
#include "mayfly/result.h"

namespace mayfly::server {

struct LibraryText {
  std::string name;
  std::string body;  // Without the first line, but with its line break, which keeps line numbers.
};

// Invalid, in Redis' words. Does not compile.
Result<LibraryText> ParseLibraryText(Bytes text);

// Of libraries and functions: letters, digits and underscores. Invalid, in Redis' words.
Status CheckLibraryName(Bytes name);

}  // namespace mayfly::server
