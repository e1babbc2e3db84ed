// library_rows.h - libraries of functions as rows of the keyspace "mayfly.server".
//   functions         ->  16 random bytes
//   functions/NAME    ->  library 1\n, then the text as it was loaded
// Invariant: whatever writes or removes a library gives the first row fresh bytes in the same
// transaction. So a reader that finds the bytes it knows also knows all libraries, and one that
// holds the latch of that row knows that they stay as they are. FLUSHALL empties the numbered
// databases, and leaves these rows.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/random.h"
#include "core/transactions/transaction_keyspace.h"
#include "mayfly/bytes.h"
#include "mayfly/keyspace.h"
#include "mayfly/result.h"

namespace mayfly::server {

inline constexpr Bytes kLibrariesKey = "functions";

// Names to texts.
using LibraryTexts = std::map<std::string, std::string, std::less<>>;

// What stands for the libraries as they are; empty: there never was one. `walks`: by a walk, for
// transactions that have not latched the row.
Result<std::string> ReadLibrariesMark(core::TransactionKeyspace& space, bool walks);

// Walks. Corruption when a row cannot be read.
Result<LibraryTexts> ReadLibraries(core::TransactionKeyspace& space);

// For tools on a folder.
Result<LibraryTexts> ReadLibraries(const KeyspaceReader& space);

// Of two with one name the last counts. Invalid when a text does not name itself.
Result<LibraryTexts> ByNames(const std::vector<std::string>& texts);

// Puts `libraries` in the place of those that are there, and returns the new mark. Walks.
Result<std::string> WriteLibraries(core::TransactionKeyspace& space, const LibraryTexts& libraries,
                                   Random& random);

}  // namespace mayfly::server
