// script.h - a script as it was sent: its name, its text and what its first line says.
//   #!lua flags=no-writes,allow-oom
// Without such a line a script may do everything, as before Redis 7.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mayfly/bytes.h"
#include "mayfly/result.h"

namespace mayfly::server {

// SHA1 as 40 hexadecimal digits.
std::string Sha1Hex(Bytes bytes);

struct ScriptFlags {
  bool declared = false;  // The first line has the form above.
  bool no_writes = false;
  bool allow_oom = false;
  bool allow_stale = false;  // These three are accepted, and have no effect without replicas.
  bool no_cluster = false;
  bool allow_cross_slot_keys = false;
};

// Sets the flag of this name, in any case. False: there is none.
bool SetScriptFlag(Bytes name, ScriptFlags& flags);

std::vector<std::string_view> NamesOfFlags(const ScriptFlags& flags);

struct Library;  // library.h

struct Script {
  std::string sha;   // Of a function: its name.
  std::string body;  // Without the first line, but with its line break, which keeps line numbers.
  ScriptFlags flags;
  std::shared_ptr<const Library> library = nullptr;  // Of a function; shared with its catalogue.
};

// Invalid, in Redis' words, when the first line is malformed. Does not compile.
Result<Script> ParseScript(Bytes text);

}  // namespace mayfly::server
