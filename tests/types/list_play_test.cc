// Lists beside std::deque: whatever is done to both, they hold the same.
// Method: seeded random operations, a work each; the seed is printed when they differ.
#include <deque>

#include "base/random.h"
#include "types/list.h"
#include "types/plain_home.h"

namespace mayfly::types {
namespace {

constexpr int kGames = 12;
constexpr int kMoves = 400;

class Game {
 public:
  explicit Game(std::uint64_t seed) : random_(seed) {}

  void Play() {
    for (int move = 0; move < kMoves && !testing::Test::HasFailure(); ++move) {
      home_.Run([&](core::WorkSpace& space) {
        List list = List::Open(space, "key").value();
        ASSERT_EQ(list.size(), model_.size());
        Move(list);
        ASSERT_EQ(Contents(list), model_);
      });
    }
  }

 private:
  void Move(List& list) {
    switch (random_.Below(8)) {
      case 0:
      case 1: return Push(list);
      case 2: return Pop(list);
      case 3: return Insert(list);
      case 4: return Remove(list);
      case 5: return random_.OneIn(6) ? Trim(list) : Push(list);
      case 6: return Set(list);
      default: return WalkBack(list);
    }
  }

  std::string Value() { return std::string(1, static_cast<char>('a' + random_.Below(26))); }
  ListEnd End() { return random_.OneIn(2) ? ListEnd::kHead : ListEnd::kTail; }

  void Push(List& list) {
    const ListEnd end = End();
    std::vector<std::string> values(random_.Between(1, 5));
    for (std::string& value : values) {
      value = Value();
      end == ListEnd::kHead ? model_.push_front(value) : model_.push_back(value);
    }
    ASSERT_TRUE(list.Push(end, std::vector<Bytes>(values.begin(), values.end())).ok());
  }

  void Pop(List& list) {
    const ListEnd end = End();
    const std::uint64_t count = random_.Below(4);
    std::vector<std::string> expected;
    for (std::uint64_t i = 0; i < count && !model_.empty(); ++i) {
      expected.push_back(end == ListEnd::kHead ? model_.front() : model_.back());
      end == ListEnd::kHead ? model_.pop_front() : model_.pop_back();
    }
    ASSERT_EQ(list.Pop(end, count).value(), expected);
  }

  void Insert(List& list) {
    const std::uint64_t position = random_.Between(0, model_.size());
    const std::string value = Value();
    model_.insert(model_.begin() + static_cast<std::ptrdiff_t>(position), value);
    ASSERT_TRUE(list.Insert(position, value).ok());
  }

  void Remove(List& list) {
    const std::string value = Value();
    std::vector<std::uint64_t> positions;
    for (std::uint64_t i = 0; i < model_.size(); ++i) {
      if (model_[i] <= value && !random_.OneIn(3)) positions.push_back(i);
    }
    if (positions.size() > 6) positions.resize(6);
    for (auto at = positions.rbegin(); at != positions.rend(); ++at) {
      model_.erase(model_.begin() + static_cast<std::ptrdiff_t>(*at));
    }
    ASSERT_TRUE(list.Remove(positions).ok());
  }

  void Trim(List& list) {
    const std::uint64_t begin = random_.Between(0, model_.size());
    const std::uint64_t end = random_.Between(begin, model_.size());
    model_ = std::deque<std::string>(model_.begin() + static_cast<std::ptrdiff_t>(begin),
                                     model_.begin() + static_cast<std::ptrdiff_t>(end));
    ASSERT_TRUE(list.Trim(begin, end).ok());
  }

  void Set(List& list) {
    if (model_.empty()) return;
    const std::uint64_t position = random_.Below(model_.size());
    model_[position] = Value();
    ASSERT_TRUE(list.Set(position, model_[position]).ok());
  }

  void WalkBack(List& list) {
    if (model_.empty()) return;
    std::uint64_t expected = random_.Below(model_.size());
    ASSERT_TRUE(list.WalkToHead(expected,
                                [&](std::uint64_t position, Bytes value) {
                                  EXPECT_EQ(position, expected--);
                                  EXPECT_EQ(value, model_[position]);
                                  return true;
                                })
                    .ok());
  }

  static std::deque<std::string> Contents(const List& list) {
    std::deque<std::string> values;
    EXPECT_TRUE(list.WalkToTail(0,
                                [&](std::uint64_t, Bytes value) {
                                  values.emplace_back(value);
                                  return true;
                                })
                    .ok());
    return values;
  }

  PlainHome home_;
  Random random_;
  std::deque<std::string> model_;
};

TEST(ListPlay, HoldsWhatADequeHolds) {
  const std::uint64_t first_seed = FreshSeed();
  for (std::uint64_t i = 0; i < kGames && !HasFailure(); ++i) {
    SCOPED_TRACE(testing::Message() << "seed " << first_seed + i);
    Game(first_seed + i).Play();
  }
}

}  // namespace
}  // namespace mayfly::types
