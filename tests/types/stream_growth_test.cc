// Goal: the cost of a command on a stream does not grow with the stream, nor with what was removed
// from it, died in it or was acknowledged before. Method: an engine that counts its reads, steps
// and tombstones, at one size and at ten times it. The bound is well above what is needed and far
// below either size.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "core/counting_engine.h"
#include "core/latched_fixture.h"
#include "core/new_database.h"
#include "engine/memory/memory_engine.h"
#include "types/streams/stream.h"
#include "types/streams/stream_group.h"
#include "types/worn_members.h"

namespace mayfly::types {
namespace {

constexpr std::uint64_t kBound = 300;

class StreamGrowth : public ::testing::TestWithParam<int> {
 protected:
  using Task = std::function<void(Stream& stream)>;

  StreamGrowth()
      : database_(
            *core::NewDatabase(std::make_unique<CountingEngine>(engine::NewMemoryEngine(), costs_),
                               {.purge_on_read = false, .clock = &clock_})) {}

  void Run(const Task& task) {
    InLatched(*database_, database_->default_keyspace(), {"key"},
              [&](core::TransactionKeyspace& space) {
                Stream stream = Stream::Open(space, "key", clock_.Now()).value();
                if (!stream.exists()) {
                  ASSERT_TRUE(stream.Make().ok());
                }
                task(stream);
                ASSERT_TRUE(stream.Save().ok());
              });
  }

  // The engine's cost of a call, the highest of some in a row.
  std::uint64_t Cost(const Task& task) {
    std::uint64_t dearest = 0;
    for (int i = 0; i < 100; ++i) {
      const EngineCosts before = *costs_;
      Run(task);
      dearest = std::max(dearest, costs_->gets - before.gets + costs_->cursor_moves -
                                      before.cursor_moves + costs_->tombstones - before.tombstones +
                                      costs_->changes - before.changes);
    }
    return dearest;
  }

  static void Add(Stream& stream) {
    const Bytes strings[] = {"field", "value"};
    ASSERT_TRUE(stream.Add(stream.NextId().value(), strings).ok());
  }

  void Fill(int entries) {
    for (int i = 0; i < entries; i += 500) {
      Run([](Stream& stream) {
        for (int n = 0; n < 500; ++n) Add(stream);
      });
    }
  }

  // Gives the group's consumer up to `count` entries, and acknowledges all but every thousandth.
  static void Consume(Stream& stream, std::uint64_t count) {
    StreamGroup group = *StreamGroup::Find(stream, "group").value();
    Consumer* consumer = group.FindConsumer("c").value();
    if (consumer == nullptr) consumer = group.MakeConsumer("c", 0).value();
    std::vector<StreamId> ids;
    ASSERT_TRUE(stream
                    .Walk(After(group.state().last).value(), kStreamIdMax, count,
                          StreamOrder::kAscending, [&](StreamId id, Bytes) { ids.push_back(id); })
                    .has_value());
    for (const StreamId id : ids) {
      group.SetLast(id, std::nullopt);
      ASSERT_TRUE(group.PutPending(id, *consumer, 0, 1, nullptr).ok());
      if (id.sequence % 1000 == 999) continue;
      ASSERT_TRUE(group.RemovePending(id, *group.FindPending(id).value()).ok());
    }
    ASSERT_TRUE(group.Save().ok());
  }

  static void First(Stream& stream) { ASSERT_TRUE(stream.FirstId().has_value()); }

  ManualClock clock_{WallTimeFromMs(1'700'000'000'000)};
  std::shared_ptr<EngineCosts> costs_ = std::make_shared<EngineCosts>();
  std::unique_ptr<Database> database_;
};

INSTANTIATE_TEST_SUITE_P(Entries, StreamGrowth, testing::Values(1000, 10'000));

TEST_P(StreamGrowth, AddingAndTrimmingCostTheSame) {
  Fill(GetParam());
  EXPECT_LE(Cost(Add), kBound);
  EXPECT_LE(Cost([](Stream& stream) {
              Add(stream);
              ASSERT_EQ(stream.Trim({.length = stream.size() - 1}).value(), 1u);
            }),
            kBound);
}

TEST_P(StreamGrowth, WhatWasTrimmedIsNotPassed) {
  Fill(GetParam());
  // A trim that leaves few is no heavier than these few.
  EXPECT_LE(Cost([](Stream& stream) { ASSERT_TRUE(stream.Trim({.length = 10}).has_value()); }),
            kBound);
  EXPECT_LE(Cost(First), kBound);
}

TEST_P(StreamGrowth, NorWhatWasRemovedOneByOneFromTheFront) {
  Fill(GetParam());
  for (int i = 0; i < GetParam() / 2; ++i) {
    Run([](Stream& stream) { ASSERT_TRUE(stream.Remove(*stream.FirstId().value()).value()); });
  }
  EXPECT_LE(Cost(First), kBound);
}

TEST_P(StreamGrowth, NorWhatWasRemovedBehindAnEntryThatStays) {
  Run([](Stream& stream) { ASSERT_TRUE(StreamGroup::Make(stream, "group", {}, 0).value()); });
  Fill(GetParam());
  for (int i = 0; i < GetParam() - 10; ++i) {
    Run([](Stream& stream) {
      const StreamId second = After(*stream.FirstId().value()).value();
      std::optional<StreamId> found;
      ASSERT_TRUE(stream
                      .Walk(second, kStreamIdMax, 1, StreamOrder::kAscending,
                            [&](StreamId id, Bytes) { found = id; })
                      .has_value());
      ASSERT_TRUE(stream.Remove(*found).value());
    });
  }
  Run([](Stream& stream) {
    EXPECT_EQ(stream.size(), 10u);
    EXPECT_TRUE(StreamGroup::Find(stream, "group").value().has_value());
  });
  EXPECT_LE(Cost([](Stream& stream) {
              std::vector<StreamId> ids;
              ASSERT_TRUE(stream
                              .Walk({}, kStreamIdMax, 10, StreamOrder::kAscending,
                                    [&](StreamId id, Bytes) { ids.push_back(id); })
                              .has_value());
              ASSERT_EQ(ids.size(), 10u);
            }),
            kWornRemovedMin + kBound);
}

TEST_P(StreamGrowth, NorWhatDied) {
  Run([](Stream& stream) { stream.SetMaxAge(Millis(10)); });
  Fill(GetParam());
  clock_.Advance(Millis(10));
  ASSERT_TRUE(database_->Purge().has_value());
  Fill(500);
  EXPECT_LE(Cost(First), kBound);
  EXPECT_LE(Cost(Add), kBound);
}

TEST_P(StreamGrowth, AGroupCostsWhatItReads) {
  Run([](Stream& stream) { ASSERT_TRUE(StreamGroup::Make(stream, "group", {}, 0).value()); });
  Fill(GetParam());
  for (int i = 0; i < GetParam() / 1000; ++i) Run([](Stream& stream) { Consume(stream, 900); });
  EXPECT_LE(Cost([](Stream& stream) { Consume(stream, 1); }), kBound);
  EXPECT_LE(Cost([](Stream& stream) {
              StreamGroup group = *StreamGroup::Find(stream, "group").value();
              ASSERT_TRUE(group.Ends().has_value());
            }),
            kBound);
}

}  // namespace
}  // namespace mayfly::types
