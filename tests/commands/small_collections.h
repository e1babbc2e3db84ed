// small_collections.h - minimal RPUSH, HSET, SADD and ZADD to test commands that take any type, and
// LRANGE and others to check the result.
#pragma once

#include <memory>

#include "server/testing/command_tester.h"

namespace mayfly::server {

CommandFamily SmallCollections();

// With all data commands, these first, and Redis' settings.
std::unique_ptr<CommandTester> NewDataTester(
    CommandTester::Rows rows = CommandTester::Rows::kPlainMaps);

}  // namespace mayfly::server
