// Goal: every write is as durable as its caller, or the database's options, request.
// Method: an engine that records the durability of each commit.
#include <gtest/gtest.h>

#include <mutex>

#include "core/each_engine.h"
#include "core/new_database.h"
#include "engine/memory/memory_engine.h"
#include "tests/engine/forwarding_engine.h"

namespace mayfly {
namespace {

using namespace std::chrono_literals;

class NotingEngine final : public engine::suite::ForwardingEngine {
 public:
  NotingEngine() : ForwardingEngine(engine::NewMemoryEngine()) {}

  // Of the last commit.
  Durability last = Durability::kNone;

 private:
  Status DoCommit(const engine::Batch& batch, Durability durability) override {
    last = durability;
    return ForwardingEngine::DoCommit(batch, durability);
  }
};

class DurabilityOf : public ::testing::TestWithParam<Durability> {
 protected:
  DurabilityOf() {
    auto engine = std::make_unique<NotingEngine>();
    engine_ = engine.get();
    database_ = *core::NewDatabase(std::move(engine), {.durability = GetParam(), .clock = &clock_});
  }

  Keyspace& rows() { return database_->default_keyspace(); }

  ManualClock clock_{kStart};
  std::unique_ptr<Database> database_;
  NotingEngine* engine_ = nullptr;  // database_'s.
};

TEST_P(DurabilityOf, WritesThatDoNotSayIsTheDatabases) {
  ASSERT_EQ(CodeOf(rows().Put("key", "value")), kOk);
  EXPECT_EQ(engine_->last, GetParam());
  EXPECT_EQ(CodeOf(rows().Touch("key", Lifetime::For(5ms))), kOk);
  EXPECT_EQ(engine_->last, GetParam());
}

TEST_P(DurabilityOf, TransactionsThatDoNotSayIsTheDatabases) {
  const auto transaction = *database_->Begin();
  ASSERT_EQ(CodeOf(transaction->In(rows()).Put("key", "value")), kOk);
  ASSERT_EQ(CodeOf(transaction->Commit()), kOk);
  EXPECT_EQ(engine_->last, GetParam());
  ASSERT_EQ(CodeOf(database_->Transact(
                [&](Transaction& again) { return again.In(rows()).Put("key", "new"); })),
            kOk);
  EXPECT_EQ(engine_->last, GetParam());
}

TEST_P(DurabilityOf, TransactionsThatSayIsTheirs) {
  for (const Durability asked : {Durability::kNone, Durability::kProcess, Durability::kDisk}) {
    const auto transaction = *database_->Begin();
    ASSERT_EQ(CodeOf(transaction->In(rows()).Put("key", "value")), kOk);
    ASSERT_EQ(CodeOf(transaction->Commit(asked)), kOk);
    EXPECT_EQ(engine_->last, asked);
  }
}

std::string NameOfDurability(const ::testing::TestParamInfo<Durability>& info) {
  constexpr const char* kNames[] = {"None", "Process", "Disk"};
  return kNames[static_cast<std::size_t>(info.param)];
}

INSTANTIATE_TEST_SUITE_P(Every, DurabilityOf,
                         ::testing::Values(Durability::kNone, Durability::kProcess,
                                           Durability::kDisk),
                         NameOfDurability);

}  // namespace
}  // namespace mayfly
