// file_header.h - the first bytes of an encrypted file, and the file's key.
//   header: | "mayflye1" | nonce, 32 random bytes | check, 24 bytes |
//   block:  | header | zeros up to 4 KiB | the header again | zeros up to 8 KiB |
// Each file has a key of its own, derived from the database's and the nonce, so that files cannot
// share keystream whatever their lengths. The check is derived likewise: it detects a file of
// another database, or a damaged header, before anything is decrypted.
// Without the nonce a file is lost, so the engine's files have it twice, in two sectors of the
// disk: any nonce that matches any check is enough. The first eight bytes identify the format.
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

// Makes a header with a fresh nonce. `purpose` separates the keys of different kinds of files.
Result<FileHeader> NewFileHeader(const DatabaseKey& key, Bytes purpose);

// The key of the file with this header. Corruption when the header is not of this database and
// purpose.
Result<Secret> OpenFileHeader(const DatabaseKey& key, Bytes purpose, Bytes header);

// HeaderBlock() makes the first kHeaderBlockBytes of a file that has its header twice;
// OpenHeaderBlock() returns the file's key.
std::string HeaderBlock(const FileHeader& header);
Result<Secret> OpenHeaderBlock(const DatabaseKey& key, Bytes purpose, Bytes block);

}  // namespace mayfly::crypto
