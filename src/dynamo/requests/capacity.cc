#include "dynamo/requests/capacity.h"

#include <algorithm>

namespace mayfly::dynamo {
namespace {

constexpr std::uint64_t kReadStep = 4096;
constexpr std::uint64_t kWriteStep = 1024;

double Steps(std::uint64_t bytes, std::uint64_t step) {
  return static_cast<double>(std::max<std::uint64_t>((bytes + step - 1) / step, 1));
}

double SumOf(const std::map<std::string, double>& units) {
  double sum = 0;
  for (const auto& [name, some] : units) sum += some;
  return sum;
}

}  // namespace

double ReadUnits(std::uint64_t bytes, bool consistent) {
  return Steps(bytes, kReadStep) * (consistent ? 1.0 : 0.5);
}

double WriteUnits(std::uint64_t bytes) { return Steps(bytes, kWriteStep); }

Capacity::Capacity(const Fields& in, Use use)
    : wanted_(in.Text("ReturnConsumedCapacity")), use_(use) {}

void Capacity::Add(const std::string& table, double units, const std::string& index,
                   bool index_is_local) {
  const bool twice = use_ == Use::kTransactRead || use_ == Use::kTransactWrite;
  const double counted = twice ? 2 * units : units;
  Units& sums = by_table_[table];
  if (index.empty()) {
    sums.table += counted;
  } else {
    (index_is_local ? sums.local : sums.global)[index] += counted;
  }
}

json::object Capacity::Describe(const std::string& table, const Units& units) const {
  const auto figures = [&](double sum) {
    json::object out;
    out["CapacityUnits"] = NumberOf(sum);
    if (use_ == Use::kTransactRead) out["ReadCapacityUnits"] = NumberOf(sum);
    if (use_ == Use::kTransactWrite) out["WriteCapacityUnits"] = NumberOf(sum);
    return out;
  };
  json::object out = figures(units.table + SumOf(units.local) + SumOf(units.global));
  out["TableName"] = ToJson(table);
  if (wanted_ != "INDEXES") return out;
  out["Table"] = figures(units.table);
  const auto indexes = [&](const char* name, const std::map<std::string, double>& some) {
    if (some.empty()) return;
    json::object described;
    for (const auto& [index, sum] : some) described[ToJson(index)] = figures(sum);
    out[name] = std::move(described);
  };
  indexes("LocalSecondaryIndexes", units.local);
  indexes("GlobalSecondaryIndexes", units.global);
  return out;
}

void Capacity::WriteOne(json::object& reply) const {
  if (wanted_.empty() || wanted_ == "NONE" || by_table_.empty()) return;
  reply["ConsumedCapacity"] = Describe(by_table_.begin()->first, by_table_.begin()->second);
}

void Capacity::WriteAll(json::object& reply) const {
  if (wanted_.empty() || wanted_ == "NONE") return;
  json::array all;
  for (const auto& [table, units] : by_table_) all.emplace_back(Describe(table, units));
  reply["ConsumedCapacity"] = std::move(all);
}

}  // namespace mayfly::dynamo
