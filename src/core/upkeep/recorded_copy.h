// recorded_copy.h - a folder beside a database that has rows of it, as a backup has: a database
// restored from one of its backups.
// It is recorded in the book of backups before it has its first byte, so that a proof names it, and
// so that one that was cut off is removed when the database is opened next.
#pragma once

#include <functional>
#include <string>

#include "mayfly/database.h"

namespace mayfly::core {

// Calls `fill` with the name of a folder that does not exist yet; when it succeeds, that folder
// becomes `folder`, which is there as a whole or not at all. When it fails, what it left is
// removed. Invalid when `folder` exists, Busy when it is being made, and whatever `fill` returns.
// Any thread.
Status MakeRecordedCopy(Database& database, const std::string& folder,
                        const std::function<Status(const std::string& folder)>& fill);

}  // namespace mayfly::core
