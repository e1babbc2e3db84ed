// Goal: streams with mortal entries, and their groups, equal a plain model while time passes; a lag
// is exact or not told.
// Method: seeded random operations, a latched transaction each, on plain maps; the seed is printed
// when they differ. Steps of the clock often end right on a deadline.
#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "base/random.h"
#include "types/plain_home.h"
#include "types/streams/stream.h"
#include "types/streams/stream_group.h"
#include "types/streams/stream_lag.h"

namespace mayfly::types {
namespace {

constexpr int kStreamGames = 20;
constexpr int kStreamMoves = 600;

struct ModelEntry {
  std::vector<std::string> strings;
  std::optional<WallTime> deadline;
};

struct ModelPending {
  std::string consumer;
  std::int64_t delivered_ms = 0;
  std::uint64_t deliveries = 0;

  friend bool operator==(const ModelPending&, const ModelPending&) = default;
};

struct ModelGroup {
  StreamId last;
  std::map<StreamId, ModelPending> pending;
  std::map<std::string, std::uint64_t> consumers;  // How many each has pending.
};

struct Model {
  bool exists = false;
  std::map<StreamId, ModelEntry> entries;
  StreamId last;
  std::uint64_t added = 0;
  Millis max_age{0};
  std::map<std::string, ModelGroup> groups;
};

class StreamGame {
 public:
  explicit StreamGame(std::uint64_t seed) : random_(seed) {}

  void Play() {
    for (int move = 0; move < kStreamMoves && !testing::Test::HasFailure(); ++move) {
      if (random_.OneIn(2)) home_.clock().Advance(Millis(random_.Below(4)));
      std::erase_if(model_.entries, [&](const auto& entry) {
        return entry.second.deadline && *entry.second.deadline <= Now();
      });
      home_.Run([&](core::TransactionKeyspace& space) {
        Stream stream = Stream::Open(space, "key", Now()).value();
        ASSERT_EQ(stream.size(), model_.entries.size());
        Move(stream);
      });
      home_.Run([&](core::TransactionKeyspace& space) { Check(space); });
    }
  }

 private:
  WallTime Now() const { return home_.clock().Now(); }
  std::int64_t NowMs() const { return ToMs(Now()); }

  void Move(Stream& stream) {
    if (!stream.exists()) {
      ASSERT_TRUE(stream.Make().ok());
      model_ = {};
      model_.exists = true;
    }
    switch (random_.Below(14)) {
      case 0:
      case 1:
      case 2:
      case 3: Add(stream); break;
      case 4: Remove(stream); break;
      case 5: Trim(stream); break;
      case 6: SetMaxAge(stream); break;
      case 7: MakeGroup(stream); break;
      case 8:
      case 9: ReadNew(stream); break;
      case 10: Acknowledge(stream); break;
      case 11: Claim(stream); break;
      case 12: MoveGroup(stream); break;
      default: RemoveSomething(stream);
    }
    if (!model_.exists) return;
    ASSERT_TRUE(stream.Save().ok());
  }

  void Add(Stream& stream) {
    for (std::uint64_t i = random_.Between(1, 4); i > 0; --i) {
      StreamId id = stream.NextId().value();
      if (random_.OneIn(3)) id = {id.ms, id.sequence + random_.Below(3)};
      const std::vector<std::string> strings = {"f", std::to_string(random_.Below(1000))};
      const std::vector<Bytes> views(strings.begin(), strings.end());
      ASSERT_TRUE(stream.Add(id, views).ok());
      const auto deadline =
          model_.max_age.count() > 0 ? std::optional(Now() + model_.max_age) : std::nullopt;
      model_.entries[id] = {strings, deadline};
      model_.last = id;
      ++model_.added;
    }
  }

  // One of the entries, or one that does not exist.
  StreamId SomeId() {
    if (model_.entries.empty() || random_.OneIn(6)) return {random_.Below(5), random_.Below(5)};
    return std::next(model_.entries.begin(),
                     static_cast<std::ptrdiff_t>(random_.Below(model_.entries.size())))
        ->first;
  }

  void Remove(Stream& stream) {
    for (std::uint64_t i = random_.Below(3); i > 0; --i) {
      const StreamId id = SomeId();
      ASSERT_EQ(stream.Remove(id).value(), model_.entries.erase(id) > 0);
    }
  }

  void Trim(Stream& stream) {
    StreamTrim trim;
    std::uint64_t removed = 0;
    if (random_.OneIn(2)) {
      trim.length = random_.Below(12);
      if (random_.OneIn(2)) trim.step = random_.Between(2, 4);
      while (!model_.entries.empty()) {
        const std::uint64_t gone = model_.added - model_.entries.size();
        const std::uint64_t step =
            std::min<std::uint64_t>(trim.step - gone % trim.step, model_.entries.size());
        if (model_.entries.size() - step < trim.length) break;
        for (std::uint64_t i = 0; i < step; ++i) model_.entries.erase(model_.entries.begin());
        removed += step;
      }
    } else {
      trim.kind = StreamTrim::Kind::kMinId;
      trim.min_id = SomeId();
      removed = std::erase_if(model_.entries,
                              [&](const auto& entry) { return entry.first < trim.min_id; });
    }
    ASSERT_EQ(stream.Trim(trim).value(), removed);
  }

  void SetMaxAge(Stream& stream) {
    model_.max_age = random_.OneIn(3) ? Millis(0) : Millis(random_.Between(1, 12));
    stream.SetMaxAge(model_.max_age);
  }

  std::string SomeName(char kind) { return kind + std::to_string(random_.Below(3)); }

  void MakeGroup(Stream& stream) {
    const std::string name = SomeName('g');
    const StreamId last = random_.OneIn(2) ? StreamId() : model_.last;
    const bool made = StreamGroup::Make(stream, name, last, std::nullopt).value();
    ASSERT_EQ(made, !model_.groups.contains(name));
    if (made) model_.groups[name].last = last;
  }

  // A group of the model with its stored one; nothing when there is none of the name drawn.
  std::optional<std::pair<ModelGroup*, StreamGroup>> SomeGroup(Stream& stream) {
    const std::string name = SomeName('g');
    auto group = StreamGroup::Find(stream, name).value();
    const auto known = model_.groups.find(name);
    EXPECT_EQ(group.has_value(), known != model_.groups.end());
    if (!group || known == model_.groups.end()) return std::nullopt;
    return std::pair(&known->second, *std::move(group));
  }

  Consumer* SomeConsumer(ModelGroup& model, StreamGroup& group) {
    const std::string name = SomeName('c');
    Consumer* consumer = group.FindConsumer(name).value();
    EXPECT_EQ(consumer != nullptr, model.consumers.contains(name));
    if (consumer == nullptr) consumer = group.MakeConsumer(name, NowMs()).value();
    model.consumers.try_emplace(name);
    return consumer;
  }

  void Give(ModelGroup& model, StreamGroup& group, Consumer& consumer, StreamId id,
            std::uint64_t deliveries) {
    const auto old = group.FindPending(id).value();
    const auto known = model.pending.find(id);
    ASSERT_EQ(old.has_value(), known != model.pending.end());
    ASSERT_TRUE(group.PutPending(id, consumer, NowMs(), deliveries, old ? &*old : nullptr).ok());
    if (old) --model.consumers[known->second.consumer];
    ++model.consumers[consumer.name];
    model.pending[id] = {consumer.name, NowMs(), deliveries};
  }

  void ReadNew(Stream& stream) {
    auto found = SomeGroup(stream);
    if (!found) return;
    auto& [model, group] = *found;
    Consumer* const consumer = SomeConsumer(*model, group);
    const StreamFacts facts = FactsOf(stream).value();
    std::vector<StreamId> ids;
    ASSERT_TRUE(stream
                    .Walk(After(model->last).value(), kStreamIdMax, random_.Between(1, 5),
                          StreamOrder::kAscending, [&](StreamId id, Bytes) { ids.push_back(id); })
                    .has_value());
    for (const StreamId id : ids) {
      ASSERT_EQ(id, model_.entries.upper_bound(model->last)->first);
      const auto read = ReadAfter(facts, group.state(), id);
      if (CountsOn(stream.head(), group.state())) {
        ASSERT_EQ(read, *group.state().read + 1);
      }
      group.SetLast(id, read);
      model->last = id;
      if (!random_.OneIn(5)) Give(*model, group, *consumer, id, 1);
    }
    ASSERT_TRUE(group.Save().ok());
  }

  void Acknowledge(Stream& stream) {
    auto found = SomeGroup(stream);
    if (!found) return;
    auto& [model, group] = *found;
    for (std::uint64_t i = random_.Below(4); i > 0 && !model->pending.empty(); --i) {
      const auto known =
          std::next(model->pending.begin(),
                    static_cast<std::ptrdiff_t>(random_.Below(model->pending.size())));
      const auto pending = group.FindPending(known->first).value();
      ASSERT_TRUE(pending.has_value());
      ASSERT_TRUE(group.RemovePending(known->first, *pending).ok());
      --model->consumers[known->second.consumer];
      model->pending.erase(known);
    }
    ASSERT_TRUE(group.Save().ok());
  }

  void Claim(Stream& stream) {
    auto found = SomeGroup(stream);
    if (!found) return;
    auto& [model, group] = *found;
    Consumer* const consumer = SomeConsumer(*model, group);
    Give(*model, group, *consumer, SomeId(), random_.Below(5));
    ASSERT_TRUE(group.Save().ok());
  }

  void MoveGroup(Stream& stream) {
    auto found = SomeGroup(stream);
    if (!found) return;
    auto& [model, group] = *found;
    model->last = random_.OneIn(2) ? StreamId() : SomeId();
    group.SetLast(model->last, std::nullopt);
    ASSERT_TRUE(group.Save().ok());
  }

  void RemoveSomething(Stream& stream) {
    if (random_.OneIn(30)) {
      ASSERT_TRUE(stream.space().Delete("key").value());
      model_ = {};
      return;
    }
    auto found = SomeGroup(stream);
    if (!found) return;
    auto& [model, group] = *found;
    if (random_.OneIn(4)) {
      ASSERT_TRUE(group.Destroy().ok());
      model_.groups.erase(group.name());
      return;
    }
    const std::string name = SomeName('c');
    Consumer* const consumer = group.FindConsumer(name).value();
    if (consumer == nullptr) return;
    ASSERT_EQ(group.RemoveConsumer(*consumer).value(), model->consumers[name]);
    std::erase_if(model->pending,
                  [&](const auto& pending) { return pending.second.consumer == name; });
    model->consumers.erase(name);
    ASSERT_TRUE(group.Save().ok());
  }

  void Check(core::TransactionKeyspace& space) {
    Stream stream = Stream::Open(space, "key", Now()).value();
    ASSERT_EQ(stream.exists(), model_.exists);
    ASSERT_EQ(stream.size(), model_.entries.size());
    ASSERT_EQ(stream.head().added, model_.added);
    ASSERT_EQ(stream.head().last, model_.last);
    std::vector<StreamId> ids;
    for (const auto& [id, entry] : model_.entries) ids.push_back(id);
    CheckWalk(stream, StreamOrder::kAscending, ids);
    std::reverse(ids.begin(), ids.end());
    CheckWalk(stream, StreamOrder::kDescending, ids);
    const StreamFacts facts = FactsOf(stream).value();
    std::vector<std::string> names;
    ASSERT_TRUE(StreamGroup::WalkGroups(stream, [&](StreamGroup& group) -> Status {
                  names.push_back(group.name());
                  CheckGroup(facts, group);
                  return {};
                }).ok());
    ASSERT_EQ(names.size(), model_.groups.size());
  }

  void CheckWalk(const Stream& stream, StreamOrder order, const std::vector<StreamId>& ids) {
    std::vector<StreamId> shown;
    ASSERT_TRUE(stream
                    .Walk({}, kStreamIdMax, UINT64_MAX, order,
                          [&](StreamId id, Bytes entry) {
                            shown.push_back(id);
                            EntryStrings strings(entry);
                            ASSERT_EQ(strings.count(), 2u);
                            ASSERT_EQ(strings.Next(), "f");
                            ASSERT_EQ(strings.Next(), model_.entries[id].strings[1]);
                          })
                    .has_value());
    ASSERT_EQ(shown, ids);
  }

  void CheckGroup(const StreamFacts& facts, StreamGroup& group) {
    const ModelGroup& model = model_.groups.at(group.name());
    ASSERT_EQ(group.state().last, model.last);
    ASSERT_EQ(group.state().pending, model.pending.size());
    ASSERT_EQ(group.state().consumers, model.consumers.size());
    std::map<StreamId, ModelPending> pending;
    ASSERT_TRUE(
        group
            .WalkPending(nullptr, {}, kStreamIdMax,
                         [&](StreamId id, const PendingEntry& entry) -> Result<bool> {
                           MAYFLY_TRY(const Consumer* owner, group.ConsumerOf(entry.consumer));
                           pending[id] = {owner->name, entry.delivered_ms, entry.deliveries};
                           return true;
                         })
            .ok());
    ASSERT_EQ(pending, model.pending);
    const auto ends = group.Ends().value();
    ASSERT_EQ(ends.has_value(), !pending.empty());
    if (ends) {
      ASSERT_EQ(ends->first, pending.begin()->first);
      ASSERT_EQ(ends->last, pending.rbegin()->first);
    }
    std::map<std::string, std::uint64_t> consumers;
    ASSERT_TRUE(group
                    .WalkConsumers([&](const Consumer& consumer) -> Status {
                      consumers[consumer.name] = consumer.pending;
                      std::uint64_t owned = 0;
                      MAYFLY_RETURN_IF_ERROR(group.WalkPending(
                          &consumer, {}, kStreamIdMax,
                          [&](StreamId, const PendingEntry& entry) -> Result<bool> {
                            EXPECT_EQ(entry.consumer, consumer.number);
                            ++owned;
                            return true;
                          }));
                      EXPECT_EQ(owned, consumer.pending);
                      return {};
                    })
                    .ok());
    ASSERT_EQ(consumers, model.consumers);
    const auto lag = LagOf(facts, group.state());
    if (!lag) return;
    const auto behind = std::distance(model_.entries.upper_bound(model.last), model_.entries.end());
    ASSERT_EQ(*lag, static_cast<std::uint64_t>(behind)) << group.name();
  }

  mutable PlainHome home_;
  Random random_;
  Model model_;
};

TEST(StreamPlay, HoldsWhatAPlainModelHolds) {
  const std::uint64_t first_seed = FreshSeed();
  for (std::uint64_t i = 0; i < kStreamGames && !HasFailure(); ++i) {
    SCOPED_TRACE(testing::Message() << "seed " << first_seed + i);
    StreamGame(first_seed + i).Play();
  }
}

}  // namespace
}  // namespace mayfly::types
