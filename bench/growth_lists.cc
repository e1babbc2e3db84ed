// Lists: ends, positions, and changes in the middle.
#include "base/random.h"
#include "growth.h"
#include "must.h"
#include "types/list.h"

namespace mayfly::bench {
namespace {

using core::TransactionKeyspace;
using types::List;
using types::ListEnd;

constexpr std::size_t kBatch = 1000;

List Open(TransactionKeyspace& space) { return Must(List::Open(space, GrowthStage::kKey)); }

void Fill(GrowthStage& stage, std::size_t values) {
  const std::vector<Bytes> some(kBatch, "a value of a list");
  for (std::size_t at = 0; at < values; at += kBatch) {
    stage.Run([&](TransactionKeyspace& space) { Must(Open(space).Push(ListEnd::kTail, some)); });
  }
}

std::function<void(int)> Queue(GrowthStage& stage, std::size_t size) {
  Fill(stage, 1000);
  const auto turn = [&stage](int) {
    stage.Run([](TransactionKeyspace& space) {
      List list = Open(space);
      const Bytes value = "a job";
      Must(list.Push(ListEnd::kTail, std::span(&value, 1)));
      Must(list.Pop(ListEnd::kHead, 1).status());
    });
  };
  for (std::size_t i = 0; i < size; ++i) turn(0);
  return turn;
}

std::function<void(int)> At(GrowthStage& stage, std::size_t size) {
  Fill(stage, size);
  return [&stage, size, random = Random(1)](int) mutable {
    stage.Run(
        [&](TransactionKeyspace& space) { Must(Open(space).At(random.Below(size)).status()); });
  };
}

std::function<void(int)> Insert(GrowthStage& stage, std::size_t size) {
  Fill(stage, size);
  return [&stage, size, random = Random(1)](int) mutable {
    stage.Run(
        [&](TransactionKeyspace& space) { Must(Open(space).Insert(random.Below(size), "new")); });
  };
}

std::function<void(int)> Remove(GrowthStage& stage, std::size_t size) {
  Fill(stage, size);
  return [&stage, size, random = Random(1)](int) mutable {
    stage.Run([&](TransactionKeyspace& space) {
      const std::uint64_t position = random.Below(size / 2);
      Must(Open(space).Remove(std::span(&position, 1)));
    });
  };
}

}  // namespace

std::vector<GrowthCase> ListGrowth() {
  // clang-format off
  return {
      {"list: push and pop, after many", 5'000,  2.0, Queue,  500},
      {"list: a value by its position",  10'000, 2.0, At,     500},
      {"list: insert in the middle",     10'000, 2.5, Insert, 500},
      {"list: remove from the middle",   10'000, 2.5, Remove, 500},
  };
  // clang-format on
}

}  // namespace mayfly::bench
