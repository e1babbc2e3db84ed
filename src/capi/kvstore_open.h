// kvstore_open.h - opening the database behind a store's file, and changing its password.
#pragma once

#include <memory>

#include "capi/kvstore_name_file.h"
#include "capi/kvstore_store.h"
#include "mayfly/bytes.h"
#include "mayfly/database.h"
#include "mayfly/result.h"

namespace mayfly::kvstore {

// Opens the database that the file names; Corruption when it is missing. An empty password: it is
// not encrypted.
Result<std::unique_ptr<Database>> OpenNamed(const StoreOptions& options, const NameFile& file,
                                            Bytes password);

// A change of the password writes the database that the file names to a new directory, under
// another password or none, and names that directory. After a crash the next open completes or
// undoes it (kvstore_name_file.h). On failure the old directory is named as before, unless the
// message says otherwise.
//   PrepareCopy()   checks that there is room and dooms the new directory, which is not there yet.
//                   The database may be open.
//   CompleteCopy()  does the rest. The database must be closed.
Status PrepareCopy(NameFile& file);
Status CompleteCopy(NameFile& file, Bytes password, Bytes new_password);

// Removes the doomed directory of the file, if there is one.
Status RemoveDoomed(NameFile& file);

}  // namespace mayfly::kvstore
