// log_salvage.h - what can be read of a damaged log.
// Every record whose check is right counts, in order, whatever lies between them: its number says
// which records are lost. Nothing is guessed: a segment without header has no check, and is lost as a
// whole. Nothing is changed.
// Lost: a damaged record, a file that is missing, records that no file has. Not a loss: records that
// the cold store has, and room that was never used.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "crypto/database_key.h"
#include "engine/hot/log/log_files.h"
#include "engine/hot/log/log_recovery.h"
#include "mayfly/result.h"

namespace mayfly::engine::hot {

struct SalvagedLog {
  std::uint64_t records = 0;  // Handed on.
  std::uint64_t bytes = 0;    // Of the files.
  std::vector<std::string>
      lost;                  // Each place in words: file, offset, length, records. At most 100.
  std::uint64_t places = 0;  // All of them.
};

struct LogToSalvage {
  LogFiles* files = nullptr;
  const crypto::DatabaseKey* key = nullptr;  // Null: not encrypted.
  std::string folder;                        // Before the names of files, in messages.
  // All records up to this one are in the cold store. 0: there is no marker of a fold.
  std::uint64_t folded = 0;
};

// Hands on the records behind `folded`; without a marker, all that there are. A record that `replay`
// calls Corruption is lost; another error of it ends the salvage. Unsupported when a newer mayfly
// wrote the log. IoError when the directory cannot be listed.
Result<SalvagedLog> SalvageLog(const LogToSalvage& log, ReplayRecord replay);

}  // namespace mayfly::engine::hot
