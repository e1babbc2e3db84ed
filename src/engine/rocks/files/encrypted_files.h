// encrypted_files.h - RocksDB's files, encrypted.
//   file: | header block, crypto/file_header.h | what RocksDB wrote, in AES-256 counter mode |
// RocksDB sees its own offsets and sizes; every file it makes gets a header with a fresh nonce.
// Invariants: (1) No place of a file is written twice: calls that could are refused, because two
// texts under the same keystream reveal each other. (2) A file whose header never reached the disk,
// short or zeros, was never synced: it reads as empty, which is what a power cut may leave of it.
// One of the header's two copies is enough. (3) Our own files, which describe the directory, pass
// unchanged; they contain no keys and values.
// RocksDB has a file system for the same (rocksdb/env_encryption.h); docs/decisions/0025-encryption
// says why it is not used.
#pragma once

#include <rocksdb/env.h>

#include <memory>
#include <string>

#include "crypto/database_key.h"

namespace mayfly::engine {

// An Env whose files are those of `base`, encrypted with `key`. `base` must outlive it.
std::unique_ptr<rocksdb::Env> NewEncryptedFiles(rocksdb::Env& base,
                                                std::shared_ptr<const crypto::DatabaseKey> key);

// True if a file of this name in a database's directory is never encrypted.
bool IsPlainFile(const std::string& path);

}  // namespace mayfly::engine
