// prove.h - what `mayfly prove` tells: what is left of the dead in a database, where, and why.
#pragma once

#include <string>

#include "mayfly/result.h"

namespace mayfly::app {

struct ProveFlags {
  std::string directory;
  std::string find;      // Bytes to look for; empty: none.
  bool files = false;    // Tell of each file.
  std::string key_file;  // With the database's password; empty: it is not encrypted.
};

// Opens the database for reading alone and prints the proof on standard output. True when every
// promise is kept and nothing was found. Otherwise the error of the database: Busy when it is in
// use, NotFound when there is none.
Result<bool> RunProve(const ProveFlags& flags);

// The bytes that hexadecimal digits stand for. Invalid when they are not an even number of those,
// or none.
Result<std::string> BytesFromHex(const std::string& hex);

}  // namespace mayfly::app
