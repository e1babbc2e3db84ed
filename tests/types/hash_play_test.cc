// Goal: hashes with mortal fields equal a map of values and deadlines, while time passes.
// Method: seeded random operations on a few fields, a latched transaction each; the seed is printed
// when they differ. Steps of the clock often end right on a deadline.
#include <map>
#include <optional>

#include "base/random.h"
#include "types/hash.h"
#include "types/member_key.h"
#include "types/plain_home.h"

namespace mayfly::types {
namespace {

constexpr int kHashGames = 12;
constexpr int kHashMoves = 500;
constexpr std::uint64_t kFields = 8;

struct Cell {
  std::string value;
  std::optional<WallTime> deadline;

  friend bool operator==(const Cell&, const Cell&) = default;
};

class HashGame {
 public:
  explicit HashGame(std::uint64_t seed) : random_(seed) {}

  void Play() {
    for (int move = 0; move < kHashMoves && !testing::Test::HasFailure(); ++move) {
      if (random_.OneIn(2)) home_.clock().Advance(Millis(random_.Below(4)));
      DropDead();
      home_.Run([&](core::TransactionKeyspace& space) {
        Hash hash = Hash::Open(space, "key").value();
        ASSERT_EQ(hash.size(), model_.size());
        Move(hash);
        ASSERT_EQ(hash.size(), model_.size());
        ASSERT_EQ(Contents(hash), model_);
      });
    }
  }

 private:
  WallTime Now() const { return home_.clock().Now(); }

  void DropDead() {
    std::erase_if(model_, [&](const auto& field) {
      return field.second.deadline && *field.second.deadline <= Now();
    });
  }

  void Move(Hash& hash) {
    const std::string field = "f" + std::to_string(random_.Below(kFields));
    const std::string value = std::to_string(random_.Below(1000));
    const auto known = model_.find(field);
    const bool is_new = known == model_.end();
    switch (random_.Below(5)) {
      case 0:
        ASSERT_EQ(hash.Put(field, value).value(), is_new);
        model_[field] = {value, std::nullopt};
        return;
      case 1: {
        const WallTime deadline = Now() + Millis(random_.Between(1, 6));
        const auto lifetime = core::MemberLifetime::Until(deadline);
        ASSERT_EQ(hash.Put(field, value, lifetime).value(), is_new);
        model_[field] = {value, deadline};
        return;
      }
      case 2:
        ASSERT_EQ(hash.Put(field, value, core::MemberLifetime::Keep()).value(), is_new);
        model_[field] = {value, is_new ? std::nullopt : known->second.deadline};
        return;
      case 3: {
        ASSERT_EQ(hash.Remove(field).value(), !is_new);
        if (!is_new) model_.erase(known);
        return;
      }
      default: {
        core::FoundMember found;
        ASSERT_TRUE(hash.Find(field, found).ok());
        ASSERT_EQ(found.exists, !is_new);
        if (is_new) return;
        ASSERT_EQ((Cell{std::string(found.value), found.deadline}), known->second);
      }
    }
  }

  static std::map<std::string, Cell> Contents(const Hash& hash) {
    std::map<std::string, Cell> cells;
    const auto cursor = hash.NewCursor().value();
    if (cursor == nullptr) return cells;
    for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
      cells[std::string(NameOfMember(cursor->member()))] = {std::string(cursor->value()),
                                                            cursor->deadline()};
    }
    return cells;
  }

  mutable PlainHome home_;
  Random random_;
  std::map<std::string, Cell> model_;
};

TEST(HashPlay, HoldsWhatAMapWithDeadlinesHolds) {
  const std::uint64_t first_seed = FreshSeed();
  for (std::uint64_t i = 0; i < kHashGames && !HasFailure(); ++i) {
    SCOPED_TRACE(testing::Message() << "seed " << first_seed + i);
    HashGame(first_seed + i).Play();
  }
}

}  // namespace
}  // namespace mayfly::types
