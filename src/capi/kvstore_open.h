// kvstore_open.h - the database behind a store's file, opened and made anew under another password.
#pragma once

#include <memory>

#include "capi/kvstore_name_file.h"
#include "capi/kvstore_store.h"
#include "mayfly/bytes.h"
#include "mayfly/database.h"
#include "mayfly/result.h"

namespace mayfly::kvstore {

// The database that the file names; Corruption when it is missing. An empty password: it is not
// encrypted.
Result<std::unique_ptr<Database>> OpenNamed(const StoreOptions& options, const NameFile& file,
                                            Bytes password);

// Writes the database that the file names, which nobody has open, to a new directory under another
// password, or none, and names that one. What happens to be cut off is settled by the next open
// (kvstore_name_file.h). When it fails, the old directory is named as before, unless the message
// says otherwise.
Status ChangePasswordOf(NameFile& file, Bytes password, Bytes new_password);

// Removes the directory that the file says is to be removed, if there is one.
Status SettleDoomed(NameFile& file);

}  // namespace mayfly::kvstore
