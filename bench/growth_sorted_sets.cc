// Sorted sets: scores, ranks, counts, queues.
#include "base/random.h"
#include "growth.h"
#include "must.h"
#include "types/sorted_set.h"

namespace mayfly::bench {
namespace {

using core::TransactionKeyspace;
using types::SortedSet;

constexpr std::size_t kBatch = 1000;

std::string Name(std::size_t i) { return "member:" + std::to_string(i); }

SortedSet Open(TransactionKeyspace& space) {
  return Must(SortedSet::Open(space, GrowthStage::kKey));
}

void Fill(GrowthStage& stage, std::size_t members) {
  for (std::size_t at = 0; at < members; at += kBatch) {
    stage.Run([&](TransactionKeyspace& space) {
      SortedSet set = Open(space);
      for (std::size_t i = at; i < std::min(members, at + kBatch); ++i) {
        Must(set.Put(Name(i), static_cast<double>(i)).status());
      }
    });
  }
}

std::function<void(int)> Add(GrowthStage& stage, std::size_t size) {
  Fill(stage, size);
  return [&stage, size, random = Random(1)](int i) mutable {
    stage.Run([&](TransactionKeyspace& space) {
      const auto score = static_cast<double>(random.Below(size)) + 0.5;
      Must(Open(space).Put("new:" + std::to_string(i), score).status());
    });
  };
}

std::function<void(int)> Rank(GrowthStage& stage, std::size_t size) {
  Fill(stage, size);
  return [&stage, size, random = Random(1)](int) mutable {
    stage.Run([&](TransactionKeyspace& space) {
      Must(Must(Open(space).RankOf(Name(random.Below(size)))).has_value(), "a lost member");
    });
  };
}

std::function<void(int)> ByRank(GrowthStage& stage, std::size_t size) {
  Fill(stage, size);
  return [&stage, size, random = Random(1)](int) mutable {
    stage.Run([&](TransactionKeyspace& space) {
      const auto rank = static_cast<std::int64_t>(random.Below(size));
      Must(Open(space).Walk({.range = types::RankRange{rank, rank}}, [](Bytes, double) {}));
    });
  };
}

std::function<void(int)> Count(GrowthStage& stage, std::size_t size) {
  Fill(stage, size);
  return [&stage, size](int) {
    stage.Run([&](TransactionKeyspace& space) {
      const types::ScoreRange half{static_cast<double>(size) / 4,
                                   3 * static_cast<double>(size) / 4};
      Must(Open(space).Count({.range = half}).status());
    });
  };
}

// The number of members popped before is what grows.
std::function<void(int)> PopMin(GrowthStage& stage, std::size_t size) {
  Fill(stage, size + 10'000);
  const auto pop = [&stage](int) {
    stage.Run([](TransactionKeyspace& space) {
      Must(Open(space).Take({.range = types::RankRange{0, 0}}).status());
    });
  };
  for (std::size_t i = 0; i < size; ++i) pop(0);
  return pop;
}

std::function<void(int)> WorkOff(GrowthStage& stage, std::size_t size) {
  Fill(stage, 1);
  const auto turn = [&stage, next = std::size_t{1}](int) mutable {
    stage.Run([&](TransactionKeyspace& space) {
      SortedSet set = Open(space);
      Must(set.Put(Name(next), static_cast<double>(next)).status());
      std::string first;
      Must(set.Walk({.range = types::ScoreRange{1, 1e12}, .limit = 1},
                    [&](Bytes name, double) { first = name; }));
      Must(Must(set.Remove(first)), "a lost job");
    });
    ++next;
  };
  std::function<void(int)> shared = turn;
  for (std::size_t i = 0; i < size; ++i) shared(0);
  return shared;
}

}  // namespace

std::vector<GrowthCase> SortedSetGrowth() {
  // clang-format off
  return {
      {"sorted set: add",                             10'000, 2.0, Add,     500},
      {"sorted set: rank of a member",                10'000, 2.5, Rank,    500},
      {"sorted set: a member by its rank",            10'000, 2.5, ByRank,  500},
      {"sorted set: count between scores",            10'000, 2.5, Count,   500},
      {"sorted set: pop the first, after pops",       3'000,  2.0, PopMin,  500},
      {"sorted set: jobs worked off behind one left", 3'000,  2.0, WorkOff, 500},
  };
  // clang-format on
}

}  // namespace mayfly::bench
