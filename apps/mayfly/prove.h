// prove.h - `mayfly prove`: reports what is left of dead rows in a database, where, and why.
#pragma once

#include <string>

#include "mayfly/result.h"

namespace mayfly::app {

struct ProveFlags {
  std::string directory;
  std::string find;      // Bytes to search for; empty: none.
  bool files = false;    // List each file.
  std::string key_file;  // With the database's password; empty: it is not encrypted.
};

// Opens the database read-only and prints the proof on standard output. True when every promise is
// kept and nothing was found. Fails as the database does: Busy when it is in use, NotFound when
// there is none.
Result<bool> RunProve(const ProveFlags& flags);

// The bytes of hexadecimal digits. Invalid unless they are an even number of digits, at least two.
Result<std::string> BytesFromHex(const std::string& hex);

}  // namespace mayfly::app
