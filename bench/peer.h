// peer.h - a key-value store as a careful program would use it, for comparisons with the memory-first
// engine. All of them survive kill -9 with what they acknowledged, and none waits for the device.
//   row with a deadline   | deadline u64 BE | value |
//   entry of the index    | deadline u64 BE | key |  ->  empty
// Both are written in one batch or transaction, and purged in one.
// Threads: one, except that Get() and Put() of a peer that says so may be called by several.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "mayfly/bytes.h"

namespace mayfly::bench {

// Rows that one batch or transaction of a purge removes.
inline constexpr std::size_t kPurgeBatchRows = 64;

class Peer {
 public:
  virtual ~Peer() = default;
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  virtual void Put(Bytes key, Bytes value) = 0;
  virtual void PutUntil(Bytes key, Bytes value, std::uint64_t deadline) = 0;
  virtual void Delete(Bytes key) = 0;
  // False when there is no such row.
  virtual bool Get(Bytes key) = 0;
  // Reads that many rows from `start` on, from the first again behind the last. Returns what
  // SeenOf() says of them, added up.
  virtual std::size_t Scan(Bytes start, std::size_t rows) = 0;
  // Removes the rows whose deadline is at most `now`, up to `rows_max`: the index says which; each
  // row is read, and must still have the deadline. Returns how many are gone.
  virtual std::size_t Purge(std::uint64_t now, std::size_t rows_max) = 0;

 protected:
  Peer() = default;
};

// Each opens an empty store in `directory`, which exists.
std::unique_ptr<Peer> NewLmdbPeer(const std::string& directory);
std::unique_ptr<Peer> NewLevelPeer(const std::string& directory);
std::unique_ptr<Peer> NewSqlitePeer(const std::string& directory);
std::unique_ptr<Peer> NewRawRocksPeer(const std::string& directory);

// mayfly's engines, without core. `memory_bytes_max` 0: all rows stay in memory.
std::unique_ptr<Peer> NewRocksEnginePeer(const std::string& directory);
std::unique_ptr<Peer> NewHotEnginePeer(const std::string& directory,
                                       std::uint64_t memory_bytes_max = 0);

// mayfly as programs use it, with a memory-first engine that keeps all rows in memory.
std::unique_ptr<Peer> NewLibraryPeer(const std::string& directory);

// What a reader does at least with a row that a cursor shows: looks at its bytes. A store that shows
// memory of its own would otherwise not even load it.
inline std::size_t SeenOf(std::string_view key, std::string_view value) {
  return key.size() + value.size() + static_cast<unsigned char>(key.back()) +
         static_cast<unsigned char>(value.front()) + static_cast<unsigned char>(value.back());
}

// Big endian, so that byte order is the order of time.
std::string DeadlineBytes(std::uint64_t deadline);
std::uint64_t DeadlineOf(std::string_view bytes);  // Of the first eight.

}  // namespace mayfly::bench
