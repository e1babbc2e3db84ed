// The law of TTL: a row exists until its deadline and is gone from then on, for every call.
// Method: every call that can tell whether a row exists, tried 1 ms before, at and 1 ms after the
// deadline, with the reaper off and on, on a keyspace, in a transaction and in a snapshot, on every
// engine, in keyspaces of both orders.
#include <gtest/gtest.h>

#include <array>
#include <functional>

#include "core/database_home.h"
#include "core/new_database.h"
#include "tests/engine/cluster_homes.h"

namespace mayfly {
namespace {

constexpr Millis kLawTtl{1000};
constexpr const char* kKey = "key";
constexpr const char* kValue = "value";

// A call that tells whether the row exists. Fails the test on any error but NotFound.
struct ReadProbe {
  const char* name;
  bool (*sees)(const KeyspaceReader& reader);
};

struct WriteProbe {
  const char* name;
  bool (*sees)(KeyspaceWriter& writer);
};

template <typename T>
bool Answered(const Result<T>& result) {
  EXPECT_TRUE(result.has_value() || result.error().IsNotFound()) << result.status().ToString();
  return result.has_value();
}

bool WalkSees(const KeyspaceReader& reader, const CursorOptions& options,
              const std::function<void(Cursor&)>& seek) {
  auto cursor = reader.NewCursor(options);
  if (!Answered(cursor)) return false;
  seek(**cursor);
  const bool seen = (*cursor)->Valid() && (*cursor)->key() == kKey && (*cursor)->value() == kValue;
  EXPECT_TRUE((*cursor)->status().ok());
  return seen;
}

constexpr ReadProbe kReadProbes[] = {
    {"Get", [](const KeyspaceReader& r) { return Answered(r.Get(kKey)); }},
    {"GetPinned",
     [](const KeyspaceReader& r) {
       PinnedBytes value;
       const Status read = r.Get(kKey, value);
       EXPECT_EQ(value.view(), read.ok() ? kValue : "");
       return read.ok();
     }},
    {"GetRow", [](const KeyspaceReader& r) { return Answered(r.GetRow(kKey)); }},
    {"MultiGet",
     [](const KeyspaceReader& r) {
       const std::array<Bytes, 2> keys{"other", kKey};
       const auto rows = r.MultiGet(keys);
       return Answered(rows) && Answered((*rows)[1]);
     }},
    {"Exists", [](const KeyspaceReader& r) { return r.Exists(kKey).value(); }},
    {"Ttl",
     [](const KeyspaceReader& r) {
       const auto ttl = r.Ttl(kKey);
       if (ttl) {
         EXPECT_GT(ttl->count(), 0);
       }
       return Answered(ttl);
     }},
    {"Count", [](const KeyspaceReader& r) { return r.Count().value() == 1; }},
    {"CursorFirst",
     [](const KeyspaceReader& r) { return WalkSees(r, {}, [](Cursor& c) { c.SeekToFirst(); }); }},
    {"CursorLast",
     [](const KeyspaceReader& r) { return WalkSees(r, {}, [](Cursor& c) { c.SeekToLast(); }); }},
    {"CursorSeek",
     [](const KeyspaceReader& r) {
       return WalkSees(r, {}, [](Cursor& c) { c.SeekAtOrAfter(kKey); });
     }},
    {"CursorSeekBack",
     [](const KeyspaceReader& r) {
       return WalkSees(r, {}, [](Cursor& c) { c.SeekAtOrBefore("zzz"); });
     }},
    {"CursorPrefix",
     [](const KeyspaceReader& r) {
       return WalkSees(r, {.prefix = "ke"}, [](Cursor& c) { c.SeekToFirst(); });
     }},
    {"CursorMortal",
     [](const KeyspaceReader& r) {
       return WalkSees(r, {.filter = RowFilter::kMortal}, [](Cursor& c) { c.SeekToFirst(); });
     }},
    {"ScanDeadlines",
     [](const KeyspaceReader& r) { return r.ScanDeadlines({}).value().size() == 1; }},
    {"Forecast",
     [](const KeyspaceReader& r) {
       std::uint64_t rows = 0;
       const auto forecast = r.Forecast({.bucket = kLawTtl, .buckets = 3});
       for (const auto& bucket : *forecast) rows += bucket.rows;
       return rows == 1;
     }},
};

constexpr WriteProbe kWriteProbes[] = {
    {"PutIfAbsent",
     [](KeyspaceWriter& w) { return !w.PutIf(kKey, "new", PutCondition::Absent()).value(); }},
    {"PutIfPresent",
     [](KeyspaceWriter& w) { return w.PutIf(kKey, "new", PutCondition::Present()).value(); }},
    {"PutIfEquals",
     [](KeyspaceWriter& w) { return w.PutIf(kKey, "new", PutCondition::Equals(kValue)).value(); }},
    {"Delete", [](KeyspaceWriter& w) { return w.Delete(kKey).value(); }},
    {"Update",
     [](KeyspaceWriter& w) {
       bool seen = false;
       EXPECT_TRUE(w.Update(kKey, [&](std::optional<Bytes> old) -> std::optional<std::string> {
                      seen = old.has_value();
                      return "new";
                    }).ok());
       return seen;
     }},
    {"KeepsTheDeadlineOfALivingRowOnly",
     [](KeyspaceWriter& w) {
       EXPECT_TRUE(w.Put(kKey, "new", Lifetime::Keep()).ok());
       return w.Ttl(kKey).value() != kForever;
     }},
    {"Expire",
     [](KeyspaceWriter& w) { return Answered(w.Expire(kKey, Lifetime::For(Millis(5)))); }},
    {"ExpireIfPresent",
     [](KeyspaceWriter& w) {
       return Answered(w.Expire(kKey, Lifetime::For(Millis(5)), DeadlineIf::kPresent));
     }},
    {"Persist", [](KeyspaceWriter& w) { return Answered(w.Persist(kKey)); }},
    {"Touch", [](KeyspaceWriter& w) { return Answered(w.Touch(kKey, Lifetime::For(kLawTtl))); }},
};

// A read that only keyspaces ordered by timestamp have, given when the row was written.
struct StampedReadProbe {
  const char* name;
  bool (*sees)(const KeyspaceReader& reader, WallTime written);
};

bool WalkSeesAsOf(const KeyspaceReader& reader, WallTime as_of, RowFilter filter,
                  void (Cursor::*seek)()) {
  return WalkSees(reader, {.filter = filter, .as_of = as_of},
                  [seek](Cursor& cursor) { (cursor.*seek)(); });
}

constexpr StampedReadProbe kStampedReadProbes[] = {
    {"GetAsOf",
     [](const KeyspaceReader& r, WallTime written) { return Answered(r.GetAsOf(kKey, written)); }},
    {"GetAsOfLater",
     [](const KeyspaceReader& r, WallTime written) {
       return Answered(r.GetAsOf(kKey, written + kLawTtl - Millis(1)));
     }},
    {"CursorAsOfFirst",
     [](const KeyspaceReader& r, WallTime written) {
       return WalkSeesAsOf(r, written, RowFilter::kAll, &Cursor::SeekToFirst);
     }},
    {"CursorAsOfLast",
     [](const KeyspaceReader& r, WallTime written) {
       return WalkSeesAsOf(r, written, RowFilter::kAll, &Cursor::SeekToLast);
     }},
    {"CursorAsOfMortal",
     [](const KeyspaceReader& r, WallTime written) {
       return WalkSeesAsOf(r, written, RowFilter::kMortal, &Cursor::SeekToFirst);
     }},
};

// Writes with a timestamp: a late one neither hides the living nor shows the dead again.
struct StampedWriteProbe {
  const char* name;
  bool (*sees)(KeyspaceWriter& writer, WallTime written);
};

constexpr StampedWriteProbe kStampedWriteProbes[] = {
    {"PutAtLate",
     [](KeyspaceWriter& w, WallTime written) {
       EXPECT_FALSE(w.PutAt(kKey, "late", written - Millis(1)).value());
       return w.Exists(kKey).value();
     }},
    {"DeleteAtLate",
     [](KeyspaceWriter& w, WallTime written) {
       EXPECT_FALSE(w.DeleteAt(kKey, written - Millis(1)).value());
       return w.Exists(kKey).value();
     }},
    {"PutAtKeepsTheDeadlineOfALivingRowOnly",
     [](KeyspaceWriter& w, WallTime written) {
       EXPECT_TRUE(w.PutAt(kKey, "new", written, Lifetime::Keep()).value());
       return w.Ttl(kKey).value() != kForever;
     }},
    {"DeleteAtAsTheLastWord",
     [](KeyspaceWriter& w, WallTime written) {
       const bool seen = w.Exists(kKey).value();
       EXPECT_TRUE(w.DeleteAt(kKey, written).value());
       EXPECT_FALSE(w.Exists(kKey).value());
       return seen;
     }},
};

enum class Asks : std::uint8_t { kPlainly, kInTransaction, kInSnapshot };

struct Case {
  EngineKind engine;
  bool reaper;
  Asks asks;
  int offset_ms;  // From the deadline.
  RowOrder order;
};

std::string NameOfCase(const ::testing::TestParamInfo<Case>& info) {
  const Case& c = info.param;
  std::string name = NameOf(c.engine) + (c.reaper ? "Reaper" : "");
  if (c.order == RowOrder::kTimestamp) name += "ByTimestamp";
  name += c.asks == Asks::kPlainly         ? "Plain"
          : c.asks == Asks::kInTransaction ? "Transaction"
                                           : "Snapshot";
  return name + (c.offset_ms < 0 ? "Before" : c.offset_ms == 0 ? "At" : "After");
}

std::vector<Case> AllCases() {
  std::vector<Case> cases;
  for (const EngineKind engine :
       {EngineKind::kMemory, EngineKind::kRocks, EngineKind::kMemoryFirst, EngineKind::kShard}) {
    for (const bool reaper : {false, true}) {
      for (const Asks asks : {Asks::kPlainly, Asks::kInTransaction, Asks::kInSnapshot}) {
        for (const int offset : {-1, 0, 1}) {
          for (const RowOrder order : {RowOrder::kArrival, RowOrder::kTimestamp}) {
            cases.push_back({engine, reaper, asks, offset, order});
          }
        }
      }
    }
  }
  return cases;
}

// One shard of a cluster, on objects in memory: core runs on it as on any engine.
Result<std::unique_ptr<Database>> OpenOnShard(const DatabaseOptions& options) {
  core::StoreOptions store;
  store.horizon = std::make_shared<core::DropHorizon>();
  store.clock = options.clock;
  return core::NewDatabase(engine::suite::ShardKind().new_home()->Open(store.horizon), store);
}

DatabaseHome::Opener OpenerOf(EngineKind kind) {
  return kind == EngineKind::kShard ? OpenOnShard : DatabaseHome::Opener(Database::Open);
}

class Law : public ::testing::TestWithParam<Case> {
 protected:
  Law() : home_(GetParam().engine, {}, kStart, OpenerOf(GetParam().engine)) {
    rows_ = *home_.database().CreateKeyspace(
        "rows",
        {.order = GetParam().order, .history = stamped() ? Millis(100 * kLawTtl) : Millis(0)});
    if (GetParam().reaper) reaper_ = *home_.database().StartReaper();
  }

  bool alive() const { return GetParam().offset_ms < 0; }
  bool stamped() const { return GetParam().order == RowOrder::kTimestamp; }

  // One row that dies offset_ms before now.
  void Prepare() {
    EXPECT_TRUE(rows_->Clear().ok());
    written_ = home_.clock().Now();
    EXPECT_TRUE(rows_->Put(kKey, kValue, Lifetime::For(kLawTtl)).ok());
    home_.clock().Advance(kLawTtl + Millis(GetParam().offset_ms));
    if (reaper_) reaper_->AwaitIdle();
  }

  // Time passes and everything that dies is purged; frozen views must not change.
  void LetTheWorldGoOn() {
    home_.clock().Advance(2 * kLawTtl);
    EXPECT_TRUE(home_.database().Purge().has_value());
  }

  void TryRead(const char* name, const std::function<bool(const KeyspaceReader&)>& sees) {
    SCOPED_TRACE(name);
    Prepare();
    switch (GetParam().asks) {
      case Asks::kPlainly: EXPECT_EQ(sees(*rows_), alive()); break;
      case Asks::kInTransaction: {
        const auto transaction = *home_.database().Begin();
        EXPECT_EQ(sees(transaction->In(*rows_)), alive());
        LetTheWorldGoOn();
        EXPECT_EQ(sees(transaction->In(*rows_)), alive()) << "later";
        EXPECT_TRUE(transaction->Commit().ok());
        break;
      }
      case Asks::kInSnapshot: {
        const auto snapshot = *home_.database().NewSnapshot();
        EXPECT_EQ(sees(snapshot->In(*rows_)), alive());
        LetTheWorldGoOn();
        EXPECT_EQ(sees(snapshot->In(*rows_)), alive()) << "later";
        break;
      }
    }
    home_.ExpectClean();
  }

  void TryWrite(const char* name, const std::function<bool(KeyspaceWriter&)>& sees) {
    SCOPED_TRACE(name);
    Prepare();
    if (GetParam().asks == Asks::kPlainly) {
      EXPECT_EQ(sees(*rows_), alive());
    } else {
      const auto transaction = *home_.database().Begin();
      EXPECT_EQ(sees(transaction->In(*rows_)), alive());
      EXPECT_TRUE(transaction->Commit().ok());
    }
    home_.ExpectClean();
  }

  DatabaseHome home_;
  std::shared_ptr<Keyspace> rows_;
  WallTime written_;  // The row that Prepare() left.
  std::unique_ptr<Reaper> reaper_;
};

TEST_P(Law, EveryReadSeesTheLivingAndOnlyThem) {
  for (const ReadProbe& probe : kReadProbes) TryRead(probe.name, probe.sees);
  if (!stamped()) return;
  for (const StampedReadProbe& probe : kStampedReadProbes) {
    TryRead(probe.name, [&](const KeyspaceReader& r) { return probe.sees(r, written_); });
  }
}

TEST_P(Law, EveryWriteDecidesByTheLivingAndOnlyThem) {
  if (GetParam().asks == Asks::kInSnapshot) return;  // A snapshot has no writes.
  for (const WriteProbe& probe : kWriteProbes) TryWrite(probe.name, probe.sees);
  if (!stamped()) return;
  for (const StampedWriteProbe& probe : kStampedWriteProbes) {
    TryWrite(probe.name, [&](KeyspaceWriter& w) { return probe.sees(w, written_); });
  }
}

TEST_P(Law, ATransactionsOwnWritesFollowTheSameRule) {
  if (GetParam().asks != Asks::kInTransaction) return;  // The others have none.
  for (const ReadProbe& probe : kReadProbes) {
    SCOPED_TRACE(probe.name);
    Prepare();
    const auto transaction = *home_.database().Begin();
    KeyspaceWriter& writer = transaction->In(*rows_);
    ASSERT_TRUE(writer.Put(kKey, kValue, Lifetime::For(kLawTtl)).ok());
    EXPECT_TRUE(probe.sees(writer));
    ASSERT_TRUE(writer.Delete(kKey).value());
    EXPECT_FALSE(probe.sees(writer));
    transaction->Rollback();
    home_.ExpectClean();
  }
}

INSTANTIATE_TEST_SUITE_P(Every, Law, ::testing::ValuesIn(AllCases()), NameOfCase);

}  // namespace
}  // namespace mayfly
