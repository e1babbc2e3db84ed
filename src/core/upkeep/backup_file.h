// backup_file.h - the records of a backup, in checked blocks.
//   "mayfly backup 4\n" then blocks | length u32 | Hash64 u64 | records |; numbers little endian
//   records: | 'T' | taken at, ms u64 |   | 'K' | id u32 | keyspace, sized |
//            | 'R' | id u32 | key, sized | row, sized |
//            | 'V' | id u32 | member's key, sized | version, sized |, since 2
//            | 'M' | id u32 | member, sized | row, sized |, since 3
//            | 'S' | id u32 | side, sized | row, sized |, since 3
//            | 'N' | last event's sequence u64 |, since 4, second in the file
//            | 'E' | rows u64 |, which ends the file
// Members and sides follow the row of their collection.
// A record does not span blocks. What follows 'E', and a file without it, is damage.
// Of an encrypted database (docs/formats/encryption.md):
//   "mayfly sealed 1\n" | the database's key, encrypted, sized u32 | header, crypto/file_header.h |
//   then blocks | length u32 | records, sealed by GCM with the block's number as the nonce |
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/function_ref.h"
#include "core/layout/keys.h"
#include "crypto/database_key.h"
#include "mayfly/bytes.h"
#include "mayfly/clock.h"
#include "mayfly/result.h"

namespace mayfly::core {

// The name of a backup's file, or of a restored folder, until it is complete.
inline std::string PartialOf(const std::string& file) { return file + ".partial"; }

// Removes what an interrupted backup or restore left; Ok when there is nothing.
Status RemovePartial(const std::string& file);

class BackupWriter {
 public:
  // Invalid when there is a file of that name, Busy when a backup to it is under way.
  static Status CheckFree(const std::string& file);

  // Writes to PartialOf(file) until Finish(); an unfinished file is removed with the writer. Fails
  // as CheckFree() does, too. `key` encrypts the file; null: not encrypted.
  static Result<BackupWriter> Create(const std::string& file, WallTime taken_at,
                                     std::uint64_t last_event,
                                     const crypto::DatabaseKey* key = nullptr);
  ~BackupWriter();
  BackupWriter(BackupWriter&& other) noexcept;
  BackupWriter(const BackupWriter&) = delete;
  BackupWriter& operator=(const BackupWriter&) = delete;

  Status AddKeyspace(KeyspaceId id, Bytes encoded);
  Status AddRow(KeyspaceId id, Bytes key, Bytes row);
  Status AddVersion(KeyspaceId id, Bytes member_key, Bytes version);

  // These belong to the collection whose row was added last.
  Status AddMember(KeyspaceId id, Bytes member, Bytes row) { return Add('M', id, member, row); }
  Status AddSide(KeyspaceId id, Bytes side, Bytes row) { return Add('S', id, side, row); }

  // Completes the file, syncs it and gives it its name, durably. Returns its size.
  Result<std::uint64_t> Finish();

 private:
  BackupWriter(std::string file, int descriptor)
      : file_(std::move(file)), descriptor_(descriptor) {}

  Status WriteHead(const crypto::DatabaseKey* key);
  Status Add(char kind, KeyspaceId id, Bytes key, Bytes data);
  Status FlushIfFull();
  Status Flush();
  Status Write(Bytes bytes);

  std::string file_;
  int descriptor_;  // -1: finished, or another writer's.
  std::string block_;
  std::uint64_t bytes_ = 0;
  std::uint64_t rows_ = 0;
  crypto::Secret seal_;  // Empty: not encrypted.
  std::uint64_t blocks_ = 0;
};

// A record, with views that hold until the next one is read.
struct BackupRecord {
  char kind = 0;  // As in the file.
  KeyspaceId keyspace = 0;
  Bytes key;                 // Or the name of a member or side.
  Bytes data;                // The keyspace, the row or the version.
  std::uint64_t number = 0;  // Of 'T', 'N' and 'E'.
};

// Opens an encrypted backup: the password that its database had, or, without one, the key of this
// database, which may be the same. The password is borrowed.
struct BackupKeys {
  Bytes password = {};
  std::shared_ptr<const crypto::DatabaseKey> own = nullptr;  // Shared with the engine.
};

// Calls `take` for each record up to the end. NotFound when there is no such file; Corruption, with
// the offset, when the file is not whole; WrongPassword when it is encrypted and `keys` do not open
// it.
Status ReadBackup(const std::string& file, const BackupKeys& keys,
                  FunctionRef<Status(const BackupRecord&)> take);

}  // namespace mayfly::core
