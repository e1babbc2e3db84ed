// restore_mark.h - makes a restore all or nothing, whatever ends it.
// A restore fills an empty database in many commits. A mark is on disk from before the first of
// them until all are; a database that is opened with the mark in it holds a part of a backup, and
// is emptied again. Stored in meta: | 'x' | -> the default keyspace as it was, as in the catalog.
#pragma once

#include "core/store/store.h"

namespace mayfly::core {

Status BeginRestore(Store& store);

// Everything is there: makes it durable, then takes the mark away.
Status EndRestore(Store& store);

// Empties the database, of what others wrote meanwhile, too, and takes the mark away.
Status UndoRestore(Store& store);

// When the database is opened. Corruption when there is a mark and it was opened for reading alone.
Status SettleRestore(Store& store);

}  // namespace mayfly::core
