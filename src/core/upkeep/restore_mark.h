// restore_mark.h - makes a restore all or nothing, also across a crash.
// A restore fills an empty database in many commits. A mark is on disk from before the first of
// them until all are; a database that is opened with the mark in it holds a part of a backup, and
// is emptied again. Stored in meta: | 'x' | -> the default keyspace as it was, as in the catalog.
#pragma once

#include "core/store/store.h"

namespace mayfly::core {

// Writes the mark.
Status BeginRestore(Store& store);

// Makes the restored rows durable, then removes the mark.
Status EndRestore(Store& store);

// Empties the database, including concurrent writes, and removes the mark.
Status UndoRestore(Store& store);

// Undoes an interrupted restore as the database is opened. Corruption when there is a mark and the
// database was opened for reading alone.
Status UndoCutOffRestore(Store& store);

}  // namespace mayfly::core
