#include "crash/workload.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/checksum.h"
#include "base/random.h"

namespace mayfly::crash {
namespace {

using engine::Batch;
using engine::Role;

std::string Prefix(int writer) { return fmt::format("writer{}/", writer); }

std::string RandomKey(int writer, Random& random) {
  return Prefix(writer) + fmt::format("key{:03}", random.Below(200));
}

Random RandomOf(const Workload& workload, std::uint64_t number) {
  const std::string name = fmt::format("{}/{}", workload.writer, number);
  return Random(Hash64(name, workload.seed));
}

}  // namespace

Batch Workload::BatchOf(std::uint64_t number) const {
  Random random = RandomOf(*this, number);
  Batch batch;
  const std::string marker = Prefix(writer) + "marker";
  if (number > 0 && random.OneIn(4)) {
    batch.Require({Role::kMeta}, marker, std::to_string(number - 1));
  }
  batch.Put({Role::kMeta}, marker, std::to_string(number));
  for (std::uint64_t i = random.Between(1, 12); i > 0; --i) {
    const engine::Address at{static_cast<Role>(random.Below(engine::kRoleCount))};
    std::string key = RandomKey(writer, random);
    switch (random.Below(8)) {
      case 0: batch.Delete(at, key); break;
      case 1: {
        std::string end = RandomKey(writer, random);
        if (end < key) std::swap(key, end);
        batch.DeleteRange(at, key, end);
        break;
      }
      default: batch.Put(at, key, random.Bytes(random.Below(300))); break;
    }
  }
  return batch;
}

Durability Workload::DurabilityOf(std::uint64_t number) const {
  return Hash64(std::to_string(number), seed) % 8 == 0 ? Durability::kDisk : Durability::kProcess;
}

void Apply(const Batch& batch, Rows& rows) {
  for (std::size_t i = 0; i < batch.change_count(); ++i) {
    const Batch::Change change = batch.change(i);
    const std::pair at(change.at.role, std::string(change.key));
    switch (change.kind) {
      case Batch::Kind::kPut: rows[at] = change.value; break;
      case Batch::Kind::kDelete: rows.erase(at); break;
      case Batch::Kind::kDeleteRange:
        rows.erase(rows.lower_bound(at),
                   rows.lower_bound({change.at.role, std::string(change.value)}));
        break;
    }
  }
}

Rows ReadRows(const engine::Engine& engine, int writer) {
  Rows rows;
  const std::string begin = Prefix(writer);
  std::string end = begin;
  ++end.back();
  for (std::size_t i = 0; i < engine::kRoleCount; ++i) {
    const Role role = static_cast<Role>(i);
    auto cursor = engine.NewCursor({role}, {.range = {begin, end}});
    EXPECT_TRUE(cursor.has_value()) << cursor.status().ToString();
    if (!cursor) return rows;
    for ((*cursor)->SeekToFirst(); (*cursor)->Valid(); (*cursor)->Next()) {
      rows[{role, std::string((*cursor)->key())}] = (*cursor)->value();
    }
    EXPECT_TRUE((*cursor)->status().ok()) << (*cursor)->status().ToString();
  }
  return rows;
}

}  // namespace mayfly::crash
