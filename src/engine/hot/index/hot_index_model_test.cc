// Goal: the index answers as a sorted map does, in the newest and in every open state, and gives
// back all memory.
// Method: seeded random commits, states and cursors, compared with copies of a std::map. Keys are
// prefixes of each other, hold zeros and 0xff, and some are very long; values cross all sizes.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "base/random.h"
#include "engine/hot/index/hot_cursor.h"
#include "engine/hot/index/hot_index.h"
#include "engine/hot/index/test_writer.h"

namespace mayfly::engine::hot {
namespace {

using Model = std::map<std::string, std::string, std::less<>>;

class ModelRun {
 public:
  explicit ModelRun(std::uint64_t seed) : random_(seed), index_(TestOptions()), writer_(index_) {}

  void Play(int steps) {
    for (int i = 0; i < steps && !testing::Test::HasFailure(); ++i) {
      growing_ = (i / 400) % 2 == 0;
      switch (random_.Below(12)) {
        case 0: OpenState(); break;
        case 1: CloseState(); break;
        case 2: CheckCursor(); break;
        case 3: index_.Reclaim(random_.Below(100)); break;
        default: Commit(); break;
      }
      CheckGets();
    }
  }

  void Finish() {
    while (!open_.empty()) CloseState();
    writer_.DeleteRange(std::string(1, '\0'), std::string(300, '\xff'));
    newest_.clear();
    CheckCursor();
    while (index_.Reclaim(1000) > 0) {
    }
    const HotMemory memory = index_.memory();
    EXPECT_EQ(memory.rows, 0u);
    EXPECT_EQ(memory.retired, 0u);
    EXPECT_EQ(memory.used_bytes, start_.used_bytes) << "a block was not given back";
  }

 private:
  struct Open {
    Sequence state;
    Model model;
  };

  std::string Key() {
    static constexpr char kLetters[] = {'\0', 'a', 'b', '\xff'};
    switch (random_.Below(8)) {
      case 0: {
        std::string key(random_.Between(1, 5), 'a');
        for (char& letter : key) letter = kLetters[random_.Below(4)];
        return key;
      }
      case 1: {
        std::string key(random_.Between(1, 300), 'p');
        key += std::to_string(random_.Below(50));
        return key;
      }
      case 2:
        if (random_.OneIn(20)) return std::string(kKeyBytesMax - random_.Below(3), 'L');
        [[fallthrough]];
      default: {
        std::string number = std::to_string(random_.Below(4000));
        return "user:" + std::string(8 - number.size(), '0') + number + ":cart";
      }
    }
  }

  std::string Value() {
    static constexpr std::size_t kEdges[] = {0, 1, 4095, 4096, 4097, 20000, 70000};
    const std::size_t size = random_.OneIn(40) ? kEdges[random_.Below(7)] : random_.Below(200);
    return std::string(size, static_cast<char>('A' + random_.Below(26)));
  }

  void Commit() {
    struct Operation {
      HotChange::Kind kind;
      std::string key, value;
    };
    std::vector<Operation> operations(random_.OneIn(4) ? random_.Between(1, 60) : 1);
    std::vector<HotChange> changes;
    for (Operation& operation : operations) {
      operation.key = Key();
      const bool deletes = growing_ ? random_.OneIn(4) : !random_.OneIn(4);
      if (random_.OneIn(150)) {
        operation = {HotChange::Kind::kDeleteRange, operation.key, Key()};
        if (operation.value < operation.key) std::swap(operation.key, operation.value);
        newest_.erase(newest_.lower_bound(operation.key), newest_.lower_bound(operation.value));
      } else if (deletes) {
        operation.kind = HotChange::Kind::kDelete;
        newest_.erase(operation.key);
      } else {
        operation = {HotChange::Kind::kPut, operation.key, Value()};
        newest_[operation.key] = operation.value;
      }
      const Flags flags = static_cast<Flags>(kDirty | (random_.OneIn(2) ? kPromised : 0));
      changes.push_back(
          {.kind = operation.kind, .flags = flags, .key = operation.key, .value = operation.value});
    }
    writer_.Write(changes);
  }

  void OpenState() {
    if (open_.size() < 4) open_.push_back({index_.OpenState(), newest_});
  }

  void CloseState() {
    if (open_.empty()) return;
    const std::size_t i = random_.Below(open_.size());
    index_.CloseState(open_[i].state);
    open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(i));
  }

  void CheckGets() {
    const std::string key = Key();
    Expect(newest_, key, index_.Get(Role::kRows, key, value_));
    for (const Open& open : open_) {
      Expect(open.model, key, index_.Get(Role::kRows, key, open.state, value_));
    }
  }

  void Expect(const Model& model, const std::string& key, Presence presence) {
    const auto expected = model.find(key);
    ASSERT_EQ(presence == Presence::kValue, expected != model.end()) << key;
    if (expected == model.end()) return;
    ASSERT_EQ(value_, expected->second) << key;
  }

  void CheckCursor() {
    const bool newest = open_.empty() || random_.OneIn(2);
    const Sequence state = newest ? index_.OpenState() : open_[random_.Below(open_.size())].state;
    const Model* model = &newest_;
    for (const Open& open : open_) {
      if (open.state == state) model = &open.model;
    }
    CheckWalks(state, *model);
    if (newest) index_.CloseState(state);
  }

  void CheckWalks(Sequence state, const Model& model) {
    std::string begin = random_.OneIn(2) ? "" : Key();
    std::string end = random_.OneIn(2) ? "" : Key();
    if (!end.empty() && end < begin) std::swap(begin, end);
    HotCursor cursor(index_, Role::kRows, state, {.begin = begin, .end = end});
    const auto first = model.lower_bound(begin);
    const auto last = end.empty() ? model.end() : model.lower_bound(end);
    cursor.SeekToFirst();
    for (auto row = first; row != last; ++row, cursor.Next()) {
      ASSERT_TRUE(cursor.Valid()) << row->first;
      ASSERT_EQ(cursor.key(), row->first);
      ASSERT_EQ(cursor.value(), row->second);
    }
    ASSERT_FALSE(cursor.Valid());
    cursor.SeekToLast();
    for (auto row = last; row != first; cursor.Prev()) {
      --row;
      ASSERT_TRUE(cursor.Valid()) << row->first;
      ASSERT_EQ(cursor.key(), row->first);
      ASSERT_EQ(cursor.value(), row->second);
    }
    ASSERT_FALSE(cursor.Valid());
    for (int i = 0; i < 5; ++i) CheckSeeks(cursor, model, first, last);
  }

  void CheckSeeks(HotCursor& cursor, const Model& model, Model::const_iterator first,
                  Model::const_iterator last) {
    const std::string target = Key();
    auto row = model.lower_bound(target);
    const auto in_range = [&](Model::const_iterator at) {
      return at != model.end() && (first != model.end() && at->first >= first->first) &&
             (last == model.end() || at->first < last->first);
    };
    cursor.SeekAtOrAfter(target);
    if (first != model.end() && first != last && target < first->first) row = first;
    ASSERT_EQ(cursor.Valid(), first != last && in_range(row)) << target;
    // To and fro around the place.
    for (int move = 0; move < 6 && cursor.Valid(); ++move) {
      ASSERT_EQ(cursor.key(), row->first);
      if (random_.OneIn(2)) {
        cursor.Next();
        ++row;
        ASSERT_EQ(cursor.Valid(), row != last);
      } else {
        cursor.Prev();
        ASSERT_EQ(cursor.Valid(), row != first);
        if (row != first) --row;
      }
    }
    cursor.SeekAtOrBefore(target);
    auto before = model.upper_bound(target);
    if (last != model.end() && (before == model.end() || before->first > last->first))
      before = last;
    const bool found = first != last && before != model.begin() && in_range(std::prev(before));
    ASSERT_EQ(cursor.Valid(), found) << target;
    if (!found) return;
    ASSERT_EQ(cursor.key(), std::prev(before)->first);
  }

  Random random_;
  HotIndex index_;
  TestWriter writer_;
  const HotMemory start_ = index_.memory();
  Model newest_;
  std::vector<Open> open_;
  std::string value_;
  bool growing_ = true;
};

TEST(HotIndexModel, AnswersAsASortedMapInEveryOpenState) {
  const std::uint64_t first = FreshSeed();
  for (std::uint64_t seed :
       {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3}, first, first + 1}) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    ModelRun run(seed);
    run.Play(2400);
    if (HasFailure()) return;
    run.Finish();
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace mayfly::engine::hot
