// key_commands.h - the handlers of the keyspace family; its table is in key_commands.cc.
#pragma once

#include <span>
#include <vector>

#include "server/command/command.h"

namespace mayfly::server {

// key_commands.cc: existence and type of keys.
Answer Del(Call& call);
Answer Exists(Call& call);
Answer Type(Call& call);
Answer DbSize(Call& call);

// key_commands_scan.cc: iterating over keys.
Answer Keys(Call& call);
Answer Scan(Call& call);
Answer RandomKey(Call& call);

// key_commands_move.cc: renaming rows.
Answer Rename(Call& call);
Answer RenameNx(Call& call);
Answer Copy(Call& call);
Answer Move(Call& call);

// sort_commands.cc
Answer Sort(Call& call);
Answer SortReadOnly(Call& call);

// dump_commands.cc: values as bytes that Redis can read.
Answer Dump(Call& call);
Answer Restore(Call& call);

}  // namespace mayfly::server
