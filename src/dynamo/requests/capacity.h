// capacity.h - ConsumedCapacity, computed from the sizes read or written.
// Nothing is limited by it. Writes of secondary indexes are not counted.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "dynamo/json/fields.h"
#include "dynamo/json/json.h"

namespace mayfly::dynamo {

// 4 KB to a unit, half of it for an eventually consistent read; at least one step, also for a
// missing item.
double ReadUnits(std::uint64_t bytes, bool consistent);
// 1 KB to a unit, and at least one.
double WriteUnits(std::uint64_t bytes);

// The level that a request asks for (ReturnConsumedCapacity), and the sums, by table.
class Capacity {
 public:
  enum class Use : std::uint8_t { kRead, kWrite, kTransactRead, kTransactWrite };

  Capacity(const Fields& in, Use use);

  // Whether the index of a unit matters.
  bool wants_indexes() const { return wanted_ == "INDEXES"; }

  // `index` empty: the table itself. A transaction's units count twice.
  void Add(const std::string& table, double units, const std::string& index = {},
           bool index_is_local = false);

  // Adds "ConsumedCapacity" if it is requested: of the one table, or a list of all.
  void WriteOne(json::object& reply) const;
  void WriteAll(json::object& reply) const;

 private:
  struct Units {
    double table = 0;
    std::map<std::string, double> local;
    std::map<std::string, double> global;
  };

  json::object Describe(const std::string& table, const Units& units) const;

  std::string wanted_;  // "", "NONE", "TOTAL" or "INDEXES".
  Use use_;
  std::map<std::string, Units> by_table_;
};

}  // namespace mayfly::dynamo
