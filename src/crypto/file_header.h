// file_header.h - the first bytes of an encrypted file, and the key that goes with them.
//   header: | "mayflye1" | nonce, 32 random bytes | check, 24 bytes |
//   block:  | header | zeros up to 4 KiB | the header again | zeros up to 8 KiB |
// Each file has a key of its own, derived from the database's and the nonce, so that files cannot
// share a piece of keystream whatever their lengths. The check is derived likewise: it tells a file
// of another database, or a damaged header, before anything is decrypted to nonsense.
// Without the nonce a file is lost, so the engine's files have it twice, in two sectors of the
// disk: any nonce that fits any check is enough. The first eight bytes are for people who look at a
// file.
#pragma once

#include <string>

#include "crypto/database_key.h"
#include "crypto/secret.h"
#include "mayfly/bytes.h"
#include "mayfly/result.h"

namespace mayfly::crypto {

inline constexpr std::size_t kFileHeaderBytes = 64;
inline constexpr std::size_t kHeaderBlockBytes = 8192;

struct FileHeader {
  std::string bytes;
  Secret key;  // Of this file.
};

// With a fresh nonce. `purpose` keeps keys of different kinds of files apart.
Result<FileHeader> NewFileHeader(const DatabaseKey& key, Bytes purpose);

// The key of the file with this header. Corruption when it is no header of this database's and
// purpose.
Result<Secret> OpenFileHeader(const DatabaseKey& key, Bytes purpose, Bytes header);

// The first kHeaderBlockBytes of a file that has its header twice, and the key that they lead to.
std::string HeaderBlock(const FileHeader& header);
Result<Secret> OpenHeaderBlock(const DatabaseKey& key, Bytes purpose, Bytes block);

}  // namespace mayfly::crypto
