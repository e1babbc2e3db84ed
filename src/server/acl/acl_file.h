// acl_file.h - users in a file: a line each, as ACL LIST shows them.
// A file is loaded as a whole or not at all, and saved by writing a new file and renaming it.
#pragma once

#include <string>

#include "mayfly/status.h"
#include "server/acl/acl.h"

namespace mayfly::server {

// Invalid, with every fault of the file in its message; the users then stay as they are. IoError
// when it cannot be read.
Status LoadAclFile(Acl& acl, const std::string& path);

// The same for the text of a file; `path` is named in messages.
Status LoadAclText(Acl& acl, Bytes text, const std::string& path);

Status SaveAclFile(const Acl& acl, const std::string& path);

}  // namespace mayfly::server
