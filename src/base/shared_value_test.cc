// Goal: a reader of a SharedValue sees one of the values that were stored, whole, and never an older
// one after a newer one. Method: threads that read while others store; a value's parts say together
// whether they belong to each other.
#include "base/shared_value.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <optional>
#include <thread>
#include <vector>

namespace mayfly {
namespace {

struct Wide {
  std::array<std::uint64_t, 13> parts = {};
  std::optional<std::uint64_t> maybe;
  char last = 0;

  static Wide Of(std::uint64_t number) {
    Wide wide;
    wide.parts.fill(number);
    if (number % 2 == 0) wide.maybe = number;
    wide.last = static_cast<char>(number);
    return wide;
  }
  friend bool operator==(const Wide&, const Wide&) = default;
};

TEST(SharedValue, ShowsWhatWasStoredLast) {
  SharedValue<Wide> value(Wide::Of(1));
  EXPECT_EQ(value.Load(), Wide::Of(1));
  value.Store(Wide::Of(2));
  EXPECT_EQ(value.Load(), Wide::Of(2));
}

TEST(SharedValue, IsNeverSeenHalfReplacedNorOlderThanBefore) {
  constexpr std::uint64_t kStores = 20'000;
  SharedValue<Wide> value(Wide::Of(0));
  std::vector<std::jthread> readers;
  for (int reader = 0; reader < 3; ++reader) {
    readers.emplace_back([&] {
      for (std::uint64_t seen = 0; seen < kStores;) {
        const Wide wide = value.Load();
        ASSERT_EQ(wide, Wide::Of(wide.parts[0]));
        ASSERT_GE(wide.parts[0], seen);
        seen = wide.parts[0];
      }
    });
  }
  for (std::uint64_t number = 1; number <= kStores; ++number) value.Store(Wide::Of(number));
}

TEST(SharedValue, IsReplacedByOneThreadAtATime) {
  SharedValue<Wide> value(Wide::Of(0));
  {
    std::vector<std::jthread> writers;
    for (std::uint64_t writer = 0; writer < 3; ++writer) {
      writers.emplace_back([&value, writer] {
        for (std::uint64_t i = 0; i < 5'000; ++i) value.Store(Wide::Of(3 * i + writer));
      });
    }
  }
  const Wide wide = value.Load();
  EXPECT_EQ(wide, Wide::Of(wide.parts[0]));
}

}  // namespace
}  // namespace mayfly
