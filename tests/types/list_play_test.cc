// Goal: a list equals a std::deque after the same changes.
// Method: seeded random operations, a latched transaction each; the seed is printed when they
// differ. Short lists on plain maps; long ones, whose middle changes without moving values, on a
// database in memory, where the order of their pieces is checked after each phase.
#include <deque>
#include <set>

#include "base/random.h"
#include "core/latched_fixture.h"
#include "types/list.h"
#include "types/order_check.h"
#include "types/plain_home.h"

namespace mayfly::types {
namespace {

constexpr int kListGames = 12;
constexpr int kListMoves = 400;

class RealHome {
 public:
  template <typename Task>
  void Run(Task task) {
    InLatched(*database_, *keyspace_, {"key"},
              [&](core::TransactionKeyspace& space) { task(space); });
  }

 private:
  ManualClock clock_{WallTimeFromMs(1'700'000'000'000)};
  std::unique_ptr<Database> database_ = Database::Open({.clock = &clock_}).value();
  std::shared_ptr<Keyspace> keyspace_ = database_->CreateKeyspace("lists").value();
};

// Checks that pieces use no index twice, have the right number of values, and the right order.
void CheckPieces(core::TransactionKeyspace& space) {
  core::FoundRow row;
  ASSERT_TRUE(space.Find("key", row).ok());
  if (!row.exists) return;
  ListShape shape;
  ASSERT_TRUE(ReadListHead(row.value, row.members, shape));
  EXPECT_LE(row.value.size(), 64u);
  EXPECT_GT(shape.front.count, 0u);
  const OrderCheck::Items items = OrderCheck::Of(space, "key", shape.root);
  const ListPieces pieces(space, "key", shape);
  std::set<std::string> indexes;
  std::uint64_t position = 0;
  std::size_t count = 0;
  for (; position < row.members && !testing::Test::HasFailure(); ++count) {
    const ListPieces::Found found = pieces.Find(position).value();
    ASSERT_EQ(found.begin, position);
    ASSERT_GT(found.piece.count, 0u);
    for (std::int64_t i = found.piece.first; i < found.piece.end(); ++i) {
      EXPECT_TRUE(indexes.insert(ListMember(i)).second);
    }
    position += found.piece.count;
  }
  EXPECT_EQ(position, row.members);
  EXPECT_EQ(count, items.size() + 1 + (shape.back.count > 0 ? 1 : 0));
}

template <typename Home>
class ListGame {
 public:
  explicit ListGame(std::uint64_t seed) : random_(seed) {}

  // Phases of changes of one kind, each a command of its own or many in one transaction.
  void PlayLong(int phases) {
    home_.Run([&](core::TransactionKeyspace& space) { Grow(space, random_.Between(100, 3000)); });
    for (int phase = 0; phase < phases && !testing::Test::HasFailure(); ++phase) {
      const std::uint64_t kind = random_.Below(7);
      const std::uint64_t changes = random_.Between(1, 150);
      for (std::uint64_t done = 0; done < changes;) {
        const std::uint64_t now = random_.OneIn(2) ? 1 : random_.Between(1, changes - done);
        home_.Run([&](core::TransactionKeyspace& space) {
          for (std::uint64_t i = 0; i < now && !testing::Test::HasFailure(); ++i) {
            List list = List::Open(space, "key").value();
            ASSERT_EQ(list.size(), model_.size());
            ChangeLong(list, kind);
          }
        });
        done += now;
      }
      home_.Run([&](core::TransactionKeyspace& space) {
        CheckPieces(space);
        List list = List::Open(space, "key").value();
        ASSERT_EQ(Contents(list), model_);
        for (int i = 0; i < 10; ++i) WalkBack(list);
        for (int i = 0; i < 10; ++i) Ask(list);
        if (list.size() < 50) Grow(space, random_.Between(100, 1000));
      });
    }
  }

  void Play() {
    for (int move = 0; move < kListMoves && !testing::Test::HasFailure(); ++move) {
      home_.Run([&](core::TransactionKeyspace& space) {
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

  void Grow(core::TransactionKeyspace& space, std::uint64_t values) {
    List list = List::Open(space, "key").value();
    while (values-- > 0) {
      model_.push_back(Value());
      const Bytes value = model_.back();
      ASSERT_TRUE(list.Push(ListEnd::kTail, std::span(&value, 1)).ok());
    }
  }

  void Ask(const List& list) {
    if (model_.empty()) return;
    const std::uint64_t position = random_.Below(model_.size());
    EXPECT_EQ(list.At(position).value(), model_[position]);
  }

  void ChangeLong(List& list, std::uint64_t kind) {
    switch (kind) {
      case 0: return Push(list);
      case 1: return Pop(list);
      case 2: return Insert(list);
      case 3: return Remove(list);
      case 4: {  // One place, again and again.
        const std::uint64_t position = model_.size() / 2 + random_.Below(3);
        const std::string value = Value();
        if (position > model_.size()) return;
        model_.insert(model_.begin() + static_cast<std::ptrdiff_t>(position), value);
        ASSERT_TRUE(list.Insert(position, value).ok());
        return;
      }
      case 5: {
        if (model_.empty()) return;
        const std::uint64_t position = random_.Below(model_.size());
        model_.erase(model_.begin() + static_cast<std::ptrdiff_t>(position));
        ASSERT_TRUE(list.Remove(std::span(&position, 1)).ok());
        return;
      }
      default: return random_.OneIn(40) ? Trim(list) : Set(list);
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

  Home home_;
  Random random_;
  std::deque<std::string> model_;
};

TEST(ListPlay, HoldsWhatADequeHolds) {
  const std::uint64_t first_seed = FreshSeed();
  for (std::uint64_t i = 0; i < kListGames && !HasFailure(); ++i) {
    SCOPED_TRACE(testing::Message() << "seed " << first_seed + i);
    ListGame<PlainHome>(first_seed + i).Play();
  }
}

TEST(ListPlay, SoDoLongOnesThatAreChangedInTheMiddle) {
  const std::uint64_t first_seed = FreshSeed();
  for (std::uint64_t i = 0; i < kListGames && !HasFailure(); ++i) {
    SCOPED_TRACE(testing::Message() << "seed " << first_seed + i);
    ListGame<RealHome>(first_seed + i).PlayLong(40);
  }
}

}  // namespace
}  // namespace mayfly::types
