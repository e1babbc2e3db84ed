// Sets and hashes: members, random members, pages.
#include "base/random.h"
#include "growth.h"
#include "must.h"
#include "types/hash.h"
#include "types/member_page.h"
#include "types/set.h"

namespace mayfly::bench {
namespace {

using core::TransactionKeyspace;
using types::Hash;
using types::Set;

constexpr std::size_t kBatch = 1000;

std::string Name(std::size_t i) { return "name:" + std::to_string(i); }

void FillSet(GrowthStage& stage, std::size_t names) {
  for (std::size_t at = 0; at < names; at += kBatch) {
    stage.Run([&](TransactionKeyspace& space) {
      Set set = Must(Set::Open(space, GrowthStage::kKey));
      for (std::size_t i = at; i < std::min(names, at + kBatch); ++i)
        Must(set.Add(Name(i)).status());
    });
  }
}

void FillHash(GrowthStage& stage, std::size_t fields) {
  for (std::size_t at = 0; at < fields; at += kBatch) {
    stage.Run([&](TransactionKeyspace& space) {
      Hash hash = Must(Hash::Open(space, GrowthStage::kKey));
      for (std::size_t i = at; i < std::min(fields, at + kBatch); ++i) {
        Must(hash.Put(Name(i), "a value").status());
      }
    });
  }
}

std::function<void(int)> Draw(GrowthStage& stage, std::size_t size) {
  FillSet(stage, size);
  return [&stage, random = Random(1)](int) mutable {
    stage.Run([&](TransactionKeyspace& space) {
      const Set set = Must(Set::Open(space, GrowthStage::kKey));
      Must(set.DrawDistinct(1, random, [](Bytes) {}));
    });
  };
}

// Pops down to a few; the number of members popped before is what grows.
std::function<void(int)> PopLast(GrowthStage& stage, std::size_t size) {
  constexpr std::size_t kLeft = 600;
  FillSet(stage, size);
  auto pop = [&stage, random = Random(1)](int) mutable {
    stage.Run([&](TransactionKeyspace& space) {
      Set set = Must(Set::Open(space, GrowthStage::kKey));
      std::string drawn;
      Must(set.DrawDistinct(1, random, [&](Bytes name) { drawn = name; }));
      Must(set.Remove(drawn).status());
    });
  };
  for (std::size_t i = 0; i + kLeft < size; ++i) pop(0);
  return pop;
}

std::function<void(int)> PutField(GrowthStage& stage, std::size_t size) {
  FillHash(stage, size);
  return [&stage](int i) {
    stage.Run([&](TransactionKeyspace& space) {
      Hash hash = Must(Hash::Open(space, GrowthStage::kKey));
      Must(hash.Put("new:" + std::to_string(i), "a value").status());
    });
  };
}

std::function<void(int)> FindField(GrowthStage& stage, std::size_t size) {
  FillHash(stage, size);
  return [&stage, size, random = Random(1)](int) mutable {
    stage.Run([&](TransactionKeyspace& space) {
      core::FoundMember found;
      Must(Must(Hash::Open(space, GrowthStage::kKey)).Find(Name(random.Below(size)), found));
    });
  };
}

std::function<void(int)> FirstPage(GrowthStage& stage, std::size_t size) {
  FillHash(stage, 50);
  for (std::size_t i = 0; i < size; ++i) {
    stage.Run([&](TransactionKeyspace& space) {
      Hash hash = Must(Hash::Open(space, GrowthStage::kKey));
      Must(hash.Put(Name(50 + i), "a value").status());
      Must(hash.Remove(Name(i)).status());
    });
  }
  return [&stage](int) {
    stage.Run([](TransactionKeyspace& space) {
      Must(types::WalkPage(space, GrowthStage::kKey, 0, 10, [](Bytes, Bytes) {}).status());
    });
  };
}

}  // namespace

std::vector<GrowthCase> SetAndHashGrowth() {
  // clang-format off
  return {
      {"set: draw one",                                    10'000, 2.5, Draw,      500},
      {"set: pop one of the last, after pops",             3'000,  2.5, PopLast,   100},
      {"hash: a new field",                                10'000, 2.0, PutField,  500},
      {"hash: find a field",                               10'000, 2.0, FindField, 500},
      {"hash: the first page, after fields came and went", 3'000,  2.5, FirstPage, 500},
  };
  // clang-format on
}

}  // namespace mayfly::bench
