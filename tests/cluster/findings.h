// findings.h - what must not happen, and how often it did.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace mayfly::engine::cluster::suite {

enum class Fault : std::uint8_t {
  kLostUpdate,      // A write that did not build on the one before it.
  kTwoOwners,       // A server may answer from memory for a shard that is another's.
  kEpochSkipped,    // A shard's epoch did not go on by one.
  kInnocentFenced,  // A server without any trouble was ended.
  kUnownedTooLong,  // Nobody served a shard for longer than the bound, though the store answered.
  kStorm,           // More moves in a second than the bound.
  kInStep,          // Far more requests in one moment than on average.
  kManyFences,      // More requests to fence than a few per death.
  kUneven,          // A load further than 20% from even after things settled.
  kManyMoves,       // More moves than the change needed.
};

class Findings {
 public:
  void Add(Fault fault, const std::string& example);

  bool Has(Fault fault) const { return faults_.contains(fault); }
  bool empty() const { return faults_.empty(); }

  // One line per fault, with its number and the first example.
  std::string ToString() const;

 private:
  struct Seen {
    std::uint64_t number = 0;
    std::string first;
  };

  std::map<Fault, Seen> faults_;
};

}  // namespace mayfly::engine::cluster::suite
