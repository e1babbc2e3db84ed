// file_header.h - the first bytes of an encrypted file, and the key that goes with them.
//   | "mayflye1" | nonce, 32 random bytes | check, 24 bytes |
// Each file has a key of its own, derived from the database's and the nonce, so that files cannot
// share a piece of keystream whatever their lengths. The check is derived likewise: it tells a file
// of another database, or a damaged header, before anything is decrypted to nonsense.
#pragma once

#include <string>

#include "crypto/database_key.h"
#include "crypto/secret.h"
#include "mayfly/bytes.h"
#include "mayfly/result.h"

namespace mayfly::crypto {

inline constexpr std::size_t kFileHeaderBytes = 64;

struct FileHeader {
  std::string bytes;
  Secret key;  // Of this file.
};

// With a fresh nonce. `purpose` keeps keys of different kinds of files apart.
Result<FileHeader> NewFileHeader(const DatabaseKey& key, Bytes purpose);

// The key of the file that begins with `header`. Corruption when it is no header of this database's
// and purpose.
Result<Secret> OpenFileHeader(const DatabaseKey& key, Bytes purpose, Bytes header);

}  // namespace mayfly::crypto
