// key_access.h - what a command does to each of its keys, as far as permissions care.
// Read means that something of the value reaches the client; written, that it may change. EXISTS
// and its like do neither: for them any permission on the key will do.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "server/acl/command_catalog.h"

namespace mayfly::server {

enum KeyPermission : std::uint8_t { kNoPermission = 0, kKeyRead = 1, kKeyWrite = 2, kKeyBoth = 3 };

struct KeyUse {
  int position;  // Among the arguments.
  KeyPermission needs;
};

// Nothing when the arguments are malformed: the handler will say so.
std::vector<KeyUse> KeysOf(const CommandCatalog::Entry& entry, std::span<const Bytes> args);

// Arguments that are channels; `literal`: they are patterns, and must be named as such by a rule.
struct ChannelUse {
  std::span<const Bytes> channels;
  bool literal = false;
};
ChannelUse ChannelsOf(const CommandCatalog::Entry& entry, std::span<const Bytes> args);

}  // namespace mayfly::server
