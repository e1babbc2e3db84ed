// Goal: a counted order equals a std::set after the same changes, and its counts are right.
// Method: seeded phases of many changes each, of the kinds that make trees grow, drain and shift:
// in order, against it, at random, from both ends, from the middle. After each phase everything is
// counted again, and places, ranks and cursors are compared at random. On a database in memory.
#include <algorithm>
#include <set>

#include "base/random.h"
#include "core/latched_fixture.h"
#include "types/order_check.h"
#include "types/order_cursor.h"

namespace mayfly::types {
namespace {

using Names = std::set<std::string>;

class Game {
 public:
  // Items that begin alike have long boundaries, and so nodes fill up early.
  explicit Game(std::uint64_t seed, std::size_t alike = 0) : random_(seed), alike_(alike, 'x') {
    InLatched(*database_, *keyspace_, {"key"}, [&](core::TransactionKeyspace& space) {
      ASSERT_TRUE(space.MakeCollection("key", "o").ok());
      ASSERT_TRUE(space.PutMember("key", "there", "").has_value());
    });
  }

  void Play(int phases, std::uint64_t changes_max) {
    for (int i = 0; i < phases && !testing::Test::HasFailure(); ++i) {
      const std::uint64_t changes = random_.Between(1, changes_max);
      const std::uint64_t kind = random_.Below(9);
      for (std::uint64_t done = 0; done < changes && !testing::Test::HasFailure();) {
        const std::uint64_t now = std::min<std::uint64_t>(random_.Between(1, 2000), changes - done);
        Run([&](CountedOrder& order) {
          for (std::uint64_t k = 0; k < now && !testing::Test::HasFailure(); ++k) {
            Change(order, kind);
          }
        });
        done += now;
      }
      Compare();
    }
  }

  void Grow(std::uint64_t items) {
    Run([&](CountedOrder& order) {
      while (items-- > 0) Insert(order, Number(++high_));
    });
    Compare();
  }

  std::uint64_t levels() const { return root_.levels; }

 private:
  template <typename Task>
  void Run(Task task) {
    InLatched(*database_, *keyspace_, {"key"}, [&](core::TransactionKeyspace& space) {
      CountedOrder order(space, "key", root_);
      task(order);
      root_ = order.root();
    });
  }

  std::string Number(std::uint64_t n) {
    std::string text = std::to_string(n);
    return alike_ + std::string(12 - std::min<std::size_t>(text.size(), 12), '0') + text;
  }

  void Insert(CountedOrder& order, const std::string& item) {
    if (!items_.insert(item).second) return;
    ASSERT_TRUE(order.Insert(item).ok());
  }
  void Remove(CountedOrder& order, Names::iterator at) {
    const Status removed = order.Remove(*at);
    ASSERT_TRUE(removed.ok()) << removed.ToString();
    items_.erase(at);
  }
  Names::iterator Near(std::uint64_t n) {
    const auto at = items_.lower_bound(Number(n));
    return at == items_.end() ? items_.begin() : at;
  }

  void Change(CountedOrder& order, std::uint64_t kind) {
    switch (kind) {
      case 0: return Insert(order, Number(++high_));
      case 1: return Insert(order, Number(--low_));
      case 2: return Insert(order, Number(random_.Between(low_, high_)));
      case 3:  // A queue.
        Insert(order, Number(++high_));
        return Remove(order, items_.begin());
      case 4:  // A stack.
        Insert(order, Number(++high_));
        return Remove(order, std::prev(items_.end()));
      case 5:  // The same place, again and again.
        Insert(order, Number((low_ + high_) / 2) + Number(++unique_));
        return Remove(order, Near((low_ + high_) / 2));
      default: break;
    }
    if (items_.empty()) return;
    if (kind == 6) return Remove(order, items_.begin());
    if (kind == 7) return Remove(order, std::prev(items_.end()));
    Remove(order, Near(random_.Between(low_, high_)));
  }

  void Compare() {
    const std::vector<std::string> all(items_.begin(), items_.end());
    InLatched(*database_, *keyspace_, {"key"}, [&](core::TransactionKeyspace& space) {
      const OrderCheck::Items stored = OrderCheck::Of(space, "key", root_);
      ASSERT_EQ(stored.size(), all.size());
      for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(stored[i].first, all[i]);
      const CountedOrder order(space, "key", root_);
      for (int i = 0; i < 20 && !all.empty(); ++i) {
        const std::size_t place = random_.Below(all.size());
        const auto at = order.At(place);
        ASSERT_TRUE(at.has_value());
        EXPECT_EQ(at->item, all[place]);
        EXPECT_EQ(at->before, place);
        const auto found = order.Locate(all[place]).value();
        EXPECT_EQ(found.before, place);
        EXPECT_TRUE(found.exists);
        const std::string between = Number(random_.Between(low_ - 5, high_ + 5)) + "x";
        const auto before = std::lower_bound(all.begin(), all.end(), between) - all.begin();
        EXPECT_EQ(order.Locate(between).value().before, static_cast<std::uint64_t>(before));
        Walk(space, all, between, static_cast<std::size_t>(before));
      }
    });
  }

  // Scans some steps either way from a place in between, and from the ends.
  void Walk(core::TransactionKeyspace& space, const std::vector<std::string>& all,
            const std::string& from, std::size_t place) {
    OrderCursor up(space, "key", root_, OrderCursor::Way::kUp);
    OrderCursor down(space, "key", root_, OrderCursor::Way::kDown);
    const bool at_ends = random_.OneIn(4);
    at_ends ? up.Enter() : up.EnterAt(from);
    at_ends ? down.Enter() : down.EnterAt(from);
    const std::size_t steps = random_.OneIn(5) ? all.size() : random_.Below(600);
    const std::size_t begin = at_ends ? 0 : place;
    for (std::size_t i = begin; i < std::min(all.size(), begin + steps); ++i, up.Next()) {
      ASSERT_TRUE(up.Valid());
      ASSERT_EQ(up.item(), all[i]);
    }
    const std::size_t end = at_ends ? all.size() : place;
    for (std::size_t i = 0; i < std::min(end, steps); ++i, down.Next()) {
      ASSERT_TRUE(down.Valid());
      ASSERT_EQ(down.item(), all[end - 1 - i]);
    }
    EXPECT_TRUE(begin + steps < all.size() || !up.Valid());
    EXPECT_TRUE(steps < end || !down.Valid());
    EXPECT_TRUE(up.status().ok());
    EXPECT_TRUE(down.status().ok());
  }

  Random random_;
  const std::string alike_;
  ManualClock clock_{WallTimeFromMs(1'700'000'000'000)};
  std::unique_ptr<Database> database_ = Database::Open({.clock = &clock_}).value();
  std::shared_ptr<Keyspace> keyspace_ = database_->CreateKeyspace("orders").value();
  OrderRoot root_;
  Names items_;
  std::uint64_t low_ = 1'000'000'000;
  std::uint64_t high_ = 1'000'000'000;
  std::uint64_t unique_ = 0;
};

TEST(CountedOrderPlay, HoldsWhatASetHoldsAndKnowsEveryRank) {
  const std::uint64_t seed = FreshSeed();
  for (std::uint64_t game = 0; game < 6; ++game) {
    SCOPED_TRACE(seed + game);
    Game(seed + game).Play(25, 3000);
    if (HasFailure()) return;
  }
}

TEST(CountedOrderPlay, SoDoLargeOnesWithTwoLevels) {
  const std::uint64_t seed = FreshSeed();
  SCOPED_TRACE(seed);
  Game game(seed, 1000);
  game.Grow(30'000);
  EXPECT_GE(game.levels(), 2u);
  game.Play(8, 20'000);
}

}  // namespace
}  // namespace mayfly::types
