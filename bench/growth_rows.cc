// Plain rows: strings and keys, deaths, purges, events.
#include "growth.h"
#include "must.h"

namespace mayfly::bench {
namespace {

constexpr Millis kDay = std::chrono::hours(24);

std::string Key(std::size_t i) { return "key:" + std::to_string(i); }

void Fill(GrowthStage& stage, std::size_t rows, Lifetime lifetime = Lifetime::Forever()) {
  for (std::size_t i = 0; i < rows; ++i) Must(stage.rows().Put(Key(i), "a value", lifetime));
}

std::function<void(int)> Put(GrowthStage& stage, std::size_t size) {
  Fill(stage, size);
  return [&stage](int i) { Must(stage.rows().Put("new:" + std::to_string(i), "a value")); };
}

std::function<void(int)> Get(GrowthStage& stage, std::size_t size) {
  Fill(stage, size);
  return [&stage, size](int i) {
    Must(stage.rows().Get(Key(static_cast<std::size_t>(i) * 7919 % size)).status());
  };
}

std::function<void(int)> Expire(GrowthStage& stage, std::size_t size) {
  Fill(stage, size, Lifetime::For(kDay));
  return [&stage, size](int i) {
    Must(stage.rows()
             .Expire(Key(static_cast<std::size_t>(i) * 7919 % size), Lifetime::For(2 * kDay))
             .status());
  };
}

// Purges the next few dead rows; the number of rows purged before is what grows.
std::function<void(int)> Purge(GrowthStage& stage, std::size_t size) {
  Fill(stage, size + 10'000, Lifetime::For(kDay));
  stage.clock().Advance(kDay);
  Must(stage.database().Purge({.rows_max = size}).status());
  return [&stage](int) { Must(stage.database().Purge({.rows_max = 16}).status()); };
}

// Among dead rows that have not been purged yet.
std::function<void(int)> GetBesideTheDead(GrowthStage& stage, std::size_t size) {
  Fill(stage, size, Lifetime::For(kDay));
  Must(stage.rows().Put("key:", "a value"));
  stage.clock().Advance(kDay);
  return [&stage](int) { Must(stage.rows().Get("key:").status()); };
}

}  // namespace

std::vector<GrowthCase> RowGrowth() {
  // clang-format off
  return {
      {"row: put",                       10'000, 2.0, Put,              500},
      {"row: get",                       10'000, 2.0, Get,              500},
      {"row: another deadline",          10'000, 2.0, Expire,           500},
      {"row: get beside the dead",       10'000, 2.0, GetBesideTheDead, 500},
      {"row: purge sixteen, after many", 3'000,  2.0, Purge,            100},
  };
  // clang-format on
}

}  // namespace mayfly::bench
