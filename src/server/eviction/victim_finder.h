// victim_finder.h - chooses the rows that leave when the data passes `maxmemory`.
// volatile-ttl takes the head of the expiry index: the rows that would die first, of all databases,
// exactly. For the other policies a hand walks on over the rows (or, for the volatile ones, over the
// expiry index) from where it stopped, and takes some of those it passes: one in four by chance, or
// those among the oldest 1/n of the rows it has passed lately (n: maxmemory-samples), with their
// equals. Nothing is sampled from random places: a walk reads neighbours, which costs a tenth.
// Threads: one at a time (DataLimit::mutex()); holds no latch, so what it returns must be looked at
// again under the latches.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/random.h"
#include "mayfly/result.h"
#include "server/databases/databases.h"
#include "server/eviction/access_table.h"
#include "server/eviction/eviction_policy.h"

namespace mayfly::server {

struct Victim {
  int database = 0;
  std::string key;
  std::optional<WallTime> deadline;  // Of volatile-ttl: the one it was chosen for.
};

// How rows passed lately compare, by AccessTable::Worth().
class WorthHistogram {
 public:
  void Add(std::uint8_t worth);
  // Whether it is among the best 1/n, or equal to one of these.
  bool IsAmongBest(std::uint8_t worth, std::uint64_t n) const;

 private:
  static constexpr std::uint32_t kTotalMax = 4096;  // Then all counts are halved.
  std::array<std::uint32_t, 256> counts_{};
  std::uint32_t total_ = 0;
};

class VictimFinder {
 public:
  struct Wanted {
    EvictionPolicy policy;
    std::uint64_t bytes;          // About as many are to leave.
    std::uint64_t samples;        // maxmemory-samples.
    const AccessTable* accesses;  // Null: of a policy that needs none.
    AccessTable::LfuPace pace;
  };

  explicit VictimFinder(std::uint64_t seed) : random_(seed) {}

  // At most kVictimsMax. None: nothing can leave.
  Result<std::vector<Victim>> Find(const Databases::Mapping& databases, const Wanted& wanted);

 private:
  struct Passed {
    std::string key;
    std::optional<WallTime> deadline;
    std::optional<std::uint64_t> bytes;  // Nothing: of a collection, unknown.
  };
  struct Search;

  // The rows in front of the hand, of one database; read together.
  struct Page {
    int database = 0;
    bool of_index = false;
    std::vector<Passed> rows;
    std::size_t next = 0;
  };

  static Result<std::vector<Victim>> FirstToDie(const Databases::Mapping& databases,
                                                const Wanted& wanted);
  Result<std::vector<Victim>> Walk(const Databases::Mapping& databases, const Wanted& wanted);
  Result<std::vector<Passed>> RowsFromHand(const Keyspace& keyspace);
  Result<std::vector<Passed>> EntriesFromHand(const Keyspace& keyspace) const;
  // False: there is nothing in front of the hand in any database.
  Result<bool> TurnPage(const Databases::Mapping& databases, const Wanted& wanted);
  bool Takes(const Passed& row, const Wanted& wanted, std::uint8_t& worth);
  std::uint8_t WorthOf(const Passed& row, const Wanted& wanted) const;
  void NextDatabase(std::size_t databases);

  Random random_;
  WorthHistogram worths_;
  Page page_;
  std::size_t database_ = 0;            // Where the next page begins: this database, behind
  std::string row_;                     // this key, or
  std::optional<DeadlineEntry> entry_;  // this entry of the index.
};

}  // namespace mayfly::server
