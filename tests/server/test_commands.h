// test_commands.h - a few minimal commands on data, to test the server around them.
//   set key value [ms]      get key      del key...      fail key value: writes, then fails
//   slow name: calls the function of OnSlow() with the name
//   rows: counts the rows, with a latched transaction on all keys
//   bpop key... timeout     takes the first row there is, as [key, value], or waits; seconds
//   bmove from to timeout   moves a row, or waits
// A row whose value begins with '!' is of the wrong type for those that wait.
#pragma once

#include <functional>
#include <string>

#include "server/command/command_table.h"

namespace mayfly::server {

// Null: nothing. Set it while no client sends the command.
void OnSlow(std::function<void(const std::string&)> function);

// These, and the admin commands.
const CommandTable& TestTable();

}  // namespace mayfly::server
