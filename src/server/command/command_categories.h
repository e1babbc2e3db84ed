// command_categories.h - the categories that ACL rules name, and which of them a command is in.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "server/command/command.h"

namespace mayfly::server {

// A bit for each, in the order of CategoryNames().
using CategoryBits = std::uint32_t;

// "keyspace", "read", ... as ACL CAT lists them.
std::span<const std::string_view> CategoryNames();

// The bit of a category, in any case; 0 if there is none of this name.
CategoryBits CategoryNamed(Bytes name);

// The categories that follow from the family and the flags of a line.
CategoryBits CategoriesOf(const CommandSpec& spec, Category family);

}  // namespace mayfly::server
