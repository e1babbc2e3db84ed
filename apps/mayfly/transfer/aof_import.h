// aof_import.h - append-only files of Redis into a database.
// The commands are replayed in a database of their own, in a temporary folder, in which no deadline
// passes: a key may have been prolonged long after the deadline it was first written with. What is
// living at the end goes to the target.
#pragma once

#include <string>

#include "apps/mayfly/target/target.h"
#include "apps/mayfly/transfer/importer.h"

namespace mayfly::app {

// `path`: a file, which may begin with an RDB; a manifest, or the folder it lies in, for a file in
// parts as Redis 7 has it. `left_out` says what the target does not have; empty: nothing. Invalid
// and Corruption name the file.
Status ImportAof(const std::string& path, Target& target, Importer& importer,
                 std::string& left_out);

}  // namespace mayfly::app
