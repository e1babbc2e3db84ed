// proof.h - what is left of the dead, where, and why.
// Answers "is it really gone?". A proof reads the files as they are, not what should have happened
// to them. It cannot see blocks that the file system has freed, and copies made by others.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mayfly/clock.h"

namespace mayfly {

struct ProofOptions {
  // Bytes to search for in everything the database keeps: rows, old versions, tombstones, logs,
  // every file. Costs a read of all of it. Empty: no search.
  std::string find = {};
};

// A file that may hold rows, versions or index entries of a keyspace.
struct ProofFile {
  std::string role;  // Of the map the file is a part of: "rows", "members", "expiry".
  std::string name;
  int level = 0;
  std::uint64_t bytes = 0;
  std::optional<WallTime> first_deadline;  // Of what is in it, also from other keyspaces.
  std::optional<WallTime> last_deadline;
  std::uint64_t mortal_bytes = 0;
  std::uint64_t immortal_bytes = 0;
  std::uint64_t dead_bytes = 0;  // At least; rows that died in the last moments may be missing.
  std::uint64_t tombstones = 0;  // They contain keys, and hide older bytes beneath them.

  // Between 0 and 1, of the bytes in rows.
  double dead_share() const {
    const std::uint64_t all = mortal_bytes + immortal_bytes;
    return all == 0 ? 0.0 : static_cast<double>(dead_bytes) / static_cast<double>(all);
  }
};

// Something that prevents the removal of dead rows' bytes, or contains them.
struct ProofHolder {
  enum class Kind : std::uint8_t {
    kSnapshot,
    kTransaction,
    kCursor,   // Open snapshots, transactions and cursors: rows that they show stay.
    kBackup,   // A backup file, taken while the rows were alive, which still exists.
    kClock,    // It jumped; nothing is removed until ConfirmClock() or RevertClock().
    kBacklog,  // Dead rows that have not been purged yet.
    kReader,   // Another process reads the files, and may have deleted ones open.
  };

  Kind kind = Kind::kSnapshot;
  WallTime since;           // The instant it shows, or it began.
  std::string description;  // In words, with what to do about it.
};

struct KeyspaceProof {
  std::string name;
  std::optional<Millis> purge_within;
  // No row that was dead or deleted by this instant has a byte left in a file, log or event.
  WallTime purged_through;
  // Every row that was dead by this instant has been removed from the newest state.
  WallTime purged_rows_through;
  std::uint64_t rows = 0;
  std::uint64_t due_rows = 0;  // Dead, not yet removed.
  // False: bytes of a row that died or was deleted purge_within ago, or longer, may be left. True
  // without a promise.
  bool kept = true;
  std::vector<ProofFile> files;
};

// A place where the bytes of ProofOptions::find were found.
struct ProofTrace {
  std::string where;
  std::string what;
};

struct Proof {
  WallTime taken_at;
  std::vector<KeyspaceProof> keyspaces;
  std::vector<ProofHolder> holders;
  std::vector<ProofTrace> traces;  // At most 100.

  bool kept() const {
    for (const KeyspaceProof& keyspace : keyspaces) {
      if (!keyspace.kept) return false;
    }
    return true;
  }
};

}  // namespace mayfly
