// lease_records.h - what the store keeps about servers and owners, as values and as bytes.
// An owner record lies in each shard beside its rows. Every write of an owner carries the record's
// bytes as a condition, so a server that was replaced cannot write, whatever it believes.
//   owner:   | version u8 | server u64 | incarnation u64 | epoch u64 |        little endian
// A server record lies in the roster, one per server:
//   server:  | version u8 | state u8 | server u64 | incarnation u64 | nonce u64 | beat varint |
//            | revision varint | steady_ns u64 | address: sized | groups varint |
//            | each group: its distance from the one before, varint |
// Invariants:
// (1) A shard's epoch never goes back, and one epoch has one owner: each change of the owner's name
//     to a server's adds one to it.
// (2) Only the server writes its record, except for fencing, which changes the state alone. After
//     that the record never says kServing again under this incarnation.
// (3) Equal records have equal bytes.
// The bytes will be stored; append, never renumber.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/cluster/ownership/shard_map.h"
#include "mayfly/bytes.h"
#include "mayfly/result.h"

namespace mayfly::engine::cluster {

// Chosen once for a server and kept in its configuration. 0 is nobody.
using ServerId = std::uint64_t;
inline constexpr ServerId kNobody = 0;

struct OwnerRecord {
  ServerId server = kNobody;
  std::uint64_t incarnation = 0;  // Of the server.
  std::uint64_t epoch = 0;        // Kept when the owner releases the shard.

  friend bool operator==(const OwnerRecord&, const OwnerRecord&) = default;
};

enum class ServerState : std::uint8_t {
  kServing = 1,
  kLeaving = 2,    // Gives its groups away, takes none.
  kWithdrawn = 3,  // The same, because its clock is beyond the bound.
  kLeft = 4,       // This incarnation has ended, by itself.
  kFenced = 5,     // This incarnation was ended by another server.
};

struct ServerRecord {
  ServerId server = kNobody;
  ServerState state = ServerState::kServing;
  std::uint64_t incarnation = 0;     // One more each time the server joins.
  std::uint64_t nonce = 0;           // Random: tells two processes with the same id apart.
  std::uint64_t beat = 0;            // One more with each renewal.
  std::uint64_t revision = 0;        // One more when the server changes its state or its groups.
  std::int64_t steady_ns = 0;        // The server's steady clock when it sent this.
  std::string address = {};          // For clients and for the other servers.
  std::vector<GroupId> groups = {};  // What it owns or is taking over, ascending.

  friend bool operator==(const ServerRecord&, const ServerRecord&) = default;

  bool HasEnded() const { return state == ServerState::kLeft || state == ServerState::kFenced; }
};

// Shared by all who have read it; never changed.
using ServerRecordPtr = std::shared_ptr<const ServerRecord>;

std::string Encode(const OwnerRecord& record);
std::string Encode(const ServerRecord& record);

// Corruption when bytes are missing, left over or out of range; Unsupported for a later version.
Result<OwnerRecord> DecodeOwnerRecord(Bytes bytes);
Result<ServerRecord> DecodeServerRecord(Bytes bytes);

}  // namespace mayfly::engine::cluster
