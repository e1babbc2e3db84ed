// Goal: a string equals a std::string after the same reads and writes, whole or in part.
// Method: seeded random operations around the size at which a string becomes chunks, a latched
// transaction each; the seed is printed when they differ.
#include "base/random.h"
#include "types/plain_home.h"
#include "types/string.h"
#include "types/value_type.h"

namespace mayfly::types {
namespace {

constexpr int kStringGames = 8;
constexpr int kStringMoves = 150;

class StringGame {
 public:
  explicit StringGame(std::uint64_t seed) : random_(seed) {}

  void Play() {
    for (int move = 0; move < kStringMoves && !testing::Test::HasFailure(); ++move) {
      home_.Run([&](core::TransactionKeyspace& space) {
        for (std::uint64_t steps = random_.Between(1, 3); steps > 0; --steps) Move(space);
        CompareAll(space);
      });
    }
  }

 private:
  // Around the edges of chunks, mostly.
  std::uint64_t SomePlace() {
    const std::uint64_t chunk = random_.Below(30) * core::kChunkBytes;
    return random_.OneIn(2) ? chunk + random_.Below(4) : chunk + random_.Below(core::kChunkBytes);
  }

  void Move(core::TransactionKeyspace& space) {
    String string(space, "key");
    ASSERT_TRUE(string.Open().ok());
    ASSERT_EQ(string.size(), model_.size());
    switch (random_.Below(8)) {
      case 0: {
        if (!random_.OneIn(4)) return;
        model_.assign(SomePlace(), 'w');
        ASSERT_TRUE(space.Put("key", model_, Lifetime::Forever()).ok());
        return;
      }
      case 1: return Write(string, model_.size());
      case 2: return Read(string);
      default: return Write(string, SomePlace());
    }
  }

  void Write(String& string, std::uint64_t at) {
    const std::uint64_t count = random_.OneIn(3) ? SomePlace() : random_.Between(1, 9);
    const std::string bytes(count, static_cast<char>('a' + random_.Below(26)));
    ASSERT_TRUE(string.Write(at, bytes).ok());
    if (count == 0) return;
    model_.resize(std::max<std::size_t>(model_.size(), at + count));
    model_.replace(at, count, bytes);
    ASSERT_EQ(string.size(), model_.size());
    Read(string);
  }

  void Read(String& string) {
    const std::uint64_t at = SomePlace();
    const std::uint64_t count = SomePlace();
    std::string room;
    const auto read = string.Read(at, count, room);
    ASSERT_TRUE(read.has_value());
    ASSERT_TRUE(*read == (at < model_.size() ? model_.substr(at, count) : std::string()));
  }

  void CompareAll(core::TransactionKeyspace& space) {
    core::FoundRow row;
    ASSERT_TRUE(space.Find("key", row).ok());
    if (row.exists) {
      ASSERT_EQ(TypeOf(row.is_collection, row.value).value(), ValueType::kString);
    }
    ASSERT_TRUE(FindTyped(space, "key", ValueType::kString, row).ok());
    ASSERT_FALSE(row.is_collection);
    ASSERT_TRUE(row.value == model_);
  }

  Random random_;
  PlainHome home_;
  std::string model_;
};

TEST(StringPlay, HoldsWhatAStandardStringHolds) {
  const std::uint64_t seed = FreshSeed();
  for (std::uint64_t game = 0; game < kStringGames; ++game) {
    SCOPED_TRACE("seed " + std::to_string(seed + game));
    StringGame(seed + game).Play();
  }
}

TEST(String, BecomesChunksOnlyWhenAPartOfALongOneIsWritten) {
  PlainHome home;
  const auto in_chunks = [&] { return home.rows().at("key").is_collection; };
  home.Run([&](core::TransactionKeyspace& space) {
    ASSERT_TRUE(space.Put("key", std::string(kWholeStringBytesMax, 'a'), Lifetime::Forever()).ok());
  });
  const auto write = [&](std::uint64_t at) {
    home.Run([&](core::TransactionKeyspace& space) {
      String string(space, "key");
      ASSERT_TRUE(string.Open().ok());
      ASSERT_TRUE(string.Write(at, "b").ok());
    });
  };
  write(kWholeStringBytesMax - 1);
  EXPECT_FALSE(in_chunks());
  write(kWholeStringBytesMax);
  EXPECT_TRUE(in_chunks());
  home.Run([&](core::TransactionKeyspace& space) {
    ASSERT_TRUE(space.Put("key", "whole", Lifetime::Forever()).ok());
  });
  EXPECT_FALSE(in_chunks());
  // A gap costs nothing.
  write(std::uint64_t{200} << 20);
  EXPECT_EQ(home.rows().at("key").members.size(), 2u);
}

TEST(String, KeepsItsDeadlineInChunks) {
  PlainHome home;
  const WallTime deadline = home.clock().Now() + Millis(10);
  home.Run([&](core::TransactionKeyspace& space) {
    ASSERT_TRUE(space.Put("key", std::string(100'000, 'a'), Lifetime::Until(deadline)).ok());
    String string(space, "key");
    ASSERT_TRUE(string.Open().ok());
    ASSERT_TRUE(string.Write(5, "b").ok());
  });
  EXPECT_EQ(home.rows().at("key").deadline, deadline);
  home.clock().Advance(Millis(10));
  home.Run([&](core::TransactionKeyspace& space) {
    String string(space, "key");
    ASSERT_TRUE(string.Open().ok());
    EXPECT_FALSE(string.exists());
    EXPECT_EQ(string.size(), 0u);
  });
}

}  // namespace
}  // namespace mayfly::types
