// test_commands.h - a few minimal commands on data, to test the server around them.
//   set key value [ms]      get key      del key...      fail key value: writes, then fails
//   rows: counts the rows, with a latched transaction on all keys
//   bpop key... timeout     takes the first row there is, as [key, value], or waits; seconds
//   bmove from to timeout   moves a row, or waits
// A row whose value begins with '!' is of the wrong type for those that wait.
#pragma once

#include "server/command/command_table.h"

namespace mayfly::server {

// These, and the admin commands.
const CommandTable& TestTable();

}  // namespace mayfly::server
