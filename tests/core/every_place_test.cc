// Goal: purge_within covers every place a byte can lie in (docs/promises.md lists them): keys,
// members, values, the names of collections, and what was written over while it lived.
// Method: each place gets bytes of its own, in the log alone or settled in files; each is ended in
// its own way; after the promise a grep over every file searches for all of them. Each search that
// must find nothing found the same bytes before. MAYFLY_SEED repeats a run.
#include <gtest/gtest.h>

#include <functional>
#include <mutex>
#include <thread>
#include <tuple>

#include "core/latched_fixture.h"
#include "core/proof_fixture.h"
#include "mayfly/logger.h"

namespace mayfly {
namespace {

using namespace std::chrono_literals;
using core::MemberLifetime;
using core::TransactionKeyspace;

struct Place {
  std::string name;
  std::string bytes;               // The bytes that must be gone.
  std::function<void()> end = {};  // Deletes it or writes over it; empty: it dies.
};

// Where the bytes lie when they end.
enum class Lie : std::uint8_t { kLog, kFiles };

class EveryPlace : public ProvableDeletionOn,
                   public ::testing::WithParamInterface<std::tuple<EngineKind, Lie>> {
 protected:
  EveryPlace() : ProvableDeletionOn(std::get<EngineKind>(GetParam())) {
    timed_ = Make("timed", {.purge_within = kPromise,
                            .order = RowOrder::kTimestamp,
                            .history = 5min,
                            .late_max = 10min});
  }

  std::string Fresh(const std::string& name) { return name + planter_.Distinct(40); }

  void Put(Keyspace& keyspace, Bytes key, Bytes value, Lifetime lifetime = Lifetime::Forever()) {
    ASSERT_EQ(CodeOf(keyspace.Put(key, value, lifetime)), kOk);
  }

  void PutMember(Bytes key, Bytes member, Bytes value,
                 MemberLifetime lifetime = MemberLifetime::Forever()) {
    InLatched(database(), promised(), {key}, [&](TransactionKeyspace& space) {
      Fill(space, key, {});
      ASSERT_TRUE(space.PutMember(key, member, value, lifetime).has_value());
    });
  }

  void Change(Bytes key, const std::function<void(TransactionKeyspace&)>& change) {
    InLatched(database(), promised(), {key}, change);
  }

  void Add(const std::string& name, std::string bytes, std::function<void()> end = {}) {
    places_.push_back({name, std::move(bytes), std::move(end)});
  }

  void PlantRows() {
    const std::string dying = Fresh("dying key");
    Put(promised(), dying, Fresh("v"), Lifetime::For(kTtl));
    Add("the key of a row that dies", dying);

    const std::string deleted = Fresh("deleted key");
    Put(promised(), deleted, Fresh("v"));
    Add("the key of a row that is deleted", deleted,
        [=, this] { EXPECT_TRUE(promised().Delete(deleted).value()); });

    PlantOverwritten("put", [this](Bytes key) { Put(promised(), key, "harmless"); });
    PlantOverwritten("a put with another deadline",
                     [this](Bytes key) { Put(promised(), key, "x", Lifetime::For(1000h)); });
    PlantOverwritten("an update", [this](Bytes key) {
      ASSERT_EQ(CodeOf(promised().Update(key, [](auto) { return std::string("harmless"); })), kOk);
    });
    PlantOverwritten("a transaction", [this](Bytes key) {
      ASSERT_EQ(CodeOf(database().Transact([&](Transaction& transaction) {
                  return transaction.In(promised()).Put(key, "harmless");
                })),
                kOk);
    });
    PlantOverwritten("a latched transaction", [this](Bytes key) {
      Change(key, [&](TransactionKeyspace& space) {
        ASSERT_EQ(CodeOf(space.Put(key, "harmless", Lifetime::Forever())), kOk);
      });
    });
    PlantOverwritten("a collection", [this](Bytes key) {
      Change(key, [&](TransactionKeyspace& space) {
        ASSERT_EQ(CodeOf(space.MakeCollection(key, "head")), kOk);
        ASSERT_TRUE(space.PutMember(key, "m", "v").has_value());
      });
    });
  }

  // A living row's value, which `over` replaces.
  void PlantOverwritten(const std::string& what, const std::function<void(Bytes key)>& over) {
    const std::string key = "overwritten by " + what;
    const std::string value = Fresh("value");
    Put(promised(), key, value);
    Add("a value overwritten by " + what, value, [=] { over(key); });
  }

  void PlantCollections() {
    const std::string deleted = Fresh("deleted collection");
    PutMember(deleted, "m", "v");
    Add("the name of a collection that is deleted", deleted,
        [=, this] { EXPECT_TRUE(promised().Delete(deleted).value()); });

    const std::string expired = Fresh("expired collection");
    PutMember(expired, "m", "v");
    EXPECT_TRUE(promised().Expire(expired, Lifetime::For(kTtl)).value());
    Add("the name of a collection that dies", expired);

    const std::string emptied = Fresh("emptied collection");
    PutMember(emptied, "m", "v");
    Add("the name of a collection that loses its last member", emptied, [=, this] {
      Change(emptied, [&](TransactionKeyspace& space) {
        EXPECT_TRUE(space.RemoveMember(emptied, "m").value());
      });
    });

    const std::string mortal = Fresh("mortal collection");
    PutMember(mortal, "m", "v", MemberLifetime::Until(clock().Now() + kTtl));
    Add("the name of a collection whose members die", mortal);

    const std::string replaced = Fresh("replaced collection");
    PutMember(replaced, "m", "v");
    Add("the name of a collection that is replaced and deleted", replaced, [=, this] {
      Put(promised(), replaced, "plain");
      EXPECT_TRUE(promised().Delete(replaced).value());
    });

    for (const bool with_mortal_members : {false, true}) {
      const std::string renamed = Fresh("renamed collection");
      const std::string to = with_mortal_members ? "has mortal members" : "has none";
      PutMember(renamed, "m", "v");
      if (with_mortal_members) {
        PutMember(renamed, "n", "v", MemberLifetime::Until(clock().Now() + 1000h));
      }
      Add("the name a collection had before it was renamed, which " + to, renamed, [=, this] {
        InLatched(database(), promised(), {renamed, to}, [&](TransactionKeyspace& space) {
          ASSERT_EQ(CodeOf(space.Move(renamed, space, to)), kOk);
        });
      });
    }

    PlantMembers();
  }

  void PlantMembers() {
    const std::string value = Fresh("member value");
    PutMember("living", "m", value);
    Add("a member's overwritten value", value, [this] { PutMember("living", "m", "harmless"); });

    const std::string mortal_value = Fresh("member value");
    PutMember("living", "mortal", mortal_value, MemberLifetime::Until(clock().Now() + 1000h));
    Add("a mortal member's overwritten value", mortal_value,
        [this] { PutMember("living", "mortal", "harmless", MemberLifetime::Keep()); });

    const std::string member = Fresh("removed member");
    PutMember("living", member, "v");
    Add("the name of a member that is removed", member, [=, this] {
      Change("living", [&](TransactionKeyspace& space) {
        EXPECT_TRUE(space.RemoveMember("living", member).value());
      });
    });

    const std::string side = Fresh("side value");
    Change("living", [&](TransactionKeyspace& space) {
      ASSERT_EQ(CodeOf(space.PutSide("living", "s", side)), kOk);
    });
    Add("a side's overwritten value", side, [this] {
      Change("living", [](TransactionKeyspace& space) {
        ASSERT_EQ(CodeOf(space.PutSide("living", "s", "harmless")), kOk);
      });
    });
  }

  void PlantVersions() {
    const std::string overtaken = Fresh("overtaken value");
    Put(*timed_, "overtaken", overtaken);
    Add("a value that a later timestamp overtook", overtaken,
        [this] { Put(*timed_, "overtaken", "harmless"); });

    const std::string key = Fresh("timed key");
    Put(*timed_, key, "v");
    Add("the key of a row with a timestamp that is deleted", key,
        [=, this] { EXPECT_TRUE(timed_->Delete(key).value()); });
  }

  void PlantAll() {
    PlantRows();
    PlantCollections();
    PlantVersions();
    if (std::get<Lie>(GetParam()) == Lie::kFiles) ReclaimAll();
    for (const Place& place : places_) {
      EXPECT_NE(Files().FilesWith(MarkOf(place)), "") << place.name << ", before its end";
    }
  }

  // The first bytes of a key may be shared with its neighbour's.
  static Bytes MarkOf(const Place& place) {
    return Bytes(place.bytes).substr(place.bytes.size() - 30);
  }

  void EndAll() {
    for (const Place& place : places_) {
      if (place.end) place.end();
    }
    clock().Advance(kTtl);
  }

  void ExpectNothingLeft() {
    const FileBytes files = Files();
    for (const Place& place : places_) {
      EXPECT_EQ(files.FilesWith(MarkOf(place)), "") << place.name;
      const Proof proof = Prove(MarkOf(place));
      for (const ProofTrace& trace : proof.traces) {
        ADD_FAILURE() << place.name << ": " << trace.where << ": " << trace.what;
      }
    }
  }

  std::shared_ptr<Keyspace> timed_;
  std::vector<Place> places_;
};

TEST_P(EveryPlace, IsEmptyWhenThePromiseIsDue) {
  PlantAll();
  const auto reaper = *database().StartReaper();
  EndAll();
  Live(*reaper, kPromise);
  ExpectNothingLeft();
  EXPECT_TRUE(Prove().kept());
}

TEST_P(EveryPlace, IsEmptyAfterAReclaimOfEverything) {
  PlantAll();
  EndAll();
  clock().Advance(kPromise);
  EXPECT_FALSE(Prove().kept()) << "nobody has removed anything";
  EXPECT_FALSE(ReclaimAll().held_up);
  ExpectNothingLeft();
  EXPECT_TRUE(Prove().kept());
}

TEST_P(EveryPlace, IsEmptyInTimeThoughTheDatabaseWasReopened) {
  PlantAll();
  EndAll();
  promised_.reset();
  timed_.reset();
  home_.Reopen();
  const auto reaper = *database().StartReaper();
  Live(*reaper, kPromise);
  ExpectNothingLeft();
  EXPECT_TRUE(Prove().kept());
}

INSTANTIATE_TEST_SUITE_P(, EveryPlace,
                         ::testing::Combine(EnginesWithFiles(),
                                            ::testing::Values(Lie::kLog, Lie::kFiles)),
                         [](const auto& subject) {
                           return NameOf(std::get<0>(subject.param)) +
                                  (std::get<1>(subject.param) == Lie::kLog ? "Log" : "Files");
                         });

class Overwriting : public ProvableDeletion {};

INSTANTIATE_TEST_SUITE_P(Engines, Overwriting, EnginesWithFiles(), NameOfEngine);

TEST_P(Overwriting, CountsFromTheMomentTheValueWasReplaced) {
  ASSERT_EQ(CodeOf(promised().Put("key", planter_.Distinct(100))), kOk);
  ReclaimAll();
  clock().Advance(kPromise);
  EXPECT_TRUE(Prove().kept()) << "nothing has ended";
  ASSERT_EQ(CodeOf(promised().Put("key", "harmless")), kOk);
  const WallTime replaced = clock().Now();
  clock().Advance(kPromise - 1ms);
  EXPECT_TRUE(Prove().kept());
  EXPECT_EQ(ProofOf(Prove(), "promised").purged_through, replaced - 1ms);
  clock().Advance(1ms);
  EXPECT_FALSE(Prove().kept());
  ReclaimAll();
  EXPECT_TRUE(Prove().kept());
}

TEST_P(Overwriting, WithTheSameBytesIsNoReasonForWork) {
  ASSERT_EQ(CodeOf(promised().Put("key", "value")), kOk);
  ReclaimAll();
  ASSERT_EQ(CodeOf(promised().Put("key", "value")), kOk);
  EXPECT_TRUE(promised().Expire("key", Lifetime::For(1000h)).value());
  EXPECT_EQ(ProofOf(Prove(), "promised").purged_through, clock().Now()) << "nothing has ended";
}

TEST_P(Overwriting, BeforeThePromiseWasMadeIsCoveredFromThenOn) {
  const auto later = Make("later", {});
  const Planted old = Plant(*later, Lifetime::Forever());
  ReclaimAll();
  ASSERT_EQ(CodeOf(later->Put(old.key, "harmless")), kOk);
  clock().Advance(10 * kPromise);
  EXPECT_TRUE(Prove().kept()) << "nothing was promised";
  ASSERT_EQ(CodeOf(later->SetPolicy({.purge_within = kPromise})), kOk);
  EXPECT_TRUE(Prove().kept()) << "it has just been promised";
  EXPECT_TRUE(Files().HasValueOf(old));
  const auto reaper = *database().StartReaper();
  Live(*reaper, kPromise);
  EXPECT_FALSE(Files().HasValueOf(old));
  EXPECT_TRUE(Prove().kept());
}

TEST_P(Overwriting, IsHeldUpByASnapshotThatShowsTheOldValueAndSaysSo) {
  const Planted old = Plant(promised(), Lifetime::Forever());
  ReclaimAll();
  auto snapshot = *database().NewSnapshot();
  ASSERT_EQ(CodeOf(promised().Put(old.key, "harmless")), kOk);
  const auto reaper = *database().StartReaper();
  Live(*reaper, kPromise);
  EXPECT_TRUE(Files().HasValueOf(old)) << "it is shown";
  EXPECT_FALSE(Prove().kept());
  EXPECT_TRUE(Names(Prove(), ProofHolder::Kind::kSnapshot));
  snapshot.reset();
  Live(*reaper, kPromise);
  EXPECT_FALSE(Files().HasValueOf(old));
  EXPECT_TRUE(Prove().kept());
}

// Neither sets a deadline that would wake it.
TEST_P(Overwriting, AndDeletingWakeAReaperThatSleeps) {
  const Planted deleted = Plant(promised(), Lifetime::Forever());
  const Planted overwritten = Plant(promised(), Lifetime::Forever());
  const auto reaper = *database().StartReaper();
  for (const bool deletes : {true, false}) {
    for (int i = 0; i < 3; ++i) {
      clock().Advance(kPromise);
      reaper->AwaitIdle();  // Until it has nothing left to do.
    }
    const Planted& row = deletes ? deleted : overwritten;
    if (deletes) {
      EXPECT_TRUE(promised().Delete(row.key).value());
    } else {
      ASSERT_EQ(CodeOf(promised().Put(row.key, "harmless")), kOk);
    }
    clock().Advance(kPromise - 1s);
    const SteadyTime begin = SystemClock::Process().Steady();
    while (Files().HasValueOf(row)) {
      ASSERT_LT(SystemClock::Process().Steady() - begin, 30s) << "it sleeps; deletes " << deletes;
      std::this_thread::yield();
    }
  }
}

TEST_P(Overwriting, AKeyspaceThatIsDroppedKeepsItsPromise) {
  const auto doomed =
      Make("doomed", {.events = EventDetail::kKeyAndValue, .purge_within = kPromise});
  const Planted row = Plant(*doomed, Lifetime::Forever());
  const Planted dying = Plant(*doomed, Lifetime::For(1ms));
  ReclaimAll();
  clock().Advance(1ms);
  ASSERT_TRUE(database().Purge().has_value());
  Files().ExpectBothOf(row, "a row of a keyspace that is dropped");
  ASSERT_EQ(CodeOf(database().DropKeyspace("doomed")), kOk);
  clock().Advance(kPromise);
  EXPECT_FALSE(Prove().kept()) << "nobody has removed anything";
  home_.Reopen();
  promised_.reset();
  EXPECT_FALSE(Prove().kept()) << "a restart does not settle it";
  const auto reaper = *database().StartReaper();
  reaper->AwaitIdle();
  Files().ExpectNoneOf(row, "a row of a keyspace that was dropped");
  Files().ExpectNoneOf(dying, "an event of a keyspace that was dropped");
  EXPECT_TRUE(Prove().kept());
}

// Keeps log lines about promises.
class PromiseLog : public Logger {
 public:
  bool Wants(LogLevel level) const override { return level >= LogLevel::kWarning; }
  void Write(LogLevel /*level*/, std::string_view line) override {
    const std::lock_guard lock(mutex_);
    if (line.find("promise") != std::string_view::npos) lines_.emplace_back(line);
  }
  std::vector<std::string> lines() const {
    const std::lock_guard lock(mutex_);
    return lines_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
};

class LatePromises : private PromiseLog, public ProvableDeletion {
 protected:
  LatePromises() : ProvableDeletion({.logger = static_cast<PromiseLog*>(this)}) {}

  using PromiseLog::lines;
};

INSTANTIATE_TEST_SUITE_P(Engines, LatePromises, EnginesWithFiles(), NameOfEngine);

TEST_P(LatePromises, AreInTheLogOnceTheyAreKeptAgain) {
  const auto reaper = *database().StartReaper();
  const Planted row = Plant(promised(), Lifetime::Forever());
  EXPECT_TRUE(promised().Delete(row.key).value());
  clock().Advance(kPromise + 1700ms);
  reaper->AwaitIdle();
  ASSERT_EQ(lines().size(), 1U);
  EXPECT_NE(lines()[0].find("keyspace 'promised'"), std::string::npos) << lines()[0];
  EXPECT_NE(lines()[0].find("1700 ms later than promised"), std::string::npos) << lines()[0];
  Live(*reaper, 3 * kPromise);
  EXPECT_EQ(lines().size(), 1U) << "said once";
}

TEST_P(LatePromises, AreInTheLogOnceWhileSomethingIsInTheWay) {
  const auto reaper = *database().StartReaper();
  const Planted row = Plant(promised(), Lifetime::Forever());
  auto snapshot = *database().NewSnapshot();
  EXPECT_TRUE(promised().Delete(row.key).value());
  Live(*reaper, 3 * kPromise);
  ASSERT_EQ(lines().size(), 1U);
  EXPECT_NE(lines()[0].find("is broken"), std::string::npos) << lines()[0];
  snapshot.reset();
  Live(*reaper, kPromise);
  ASSERT_EQ(lines().size(), 2U);
  EXPECT_NE(lines()[1].find("is kept again"), std::string::npos) << lines()[1];
}

TEST_P(LatePromises, OfARunThatIsOverAreNoNews) {
  const Planted row = Plant(promised(), Lifetime::Forever());
  EXPECT_TRUE(promised().Delete(row.key).value());
  clock().Advance(10 * kPromise);
  promised_.reset();
  home_.Reopen();
  const auto reaper = *database().StartReaper();
  reaper->AwaitIdle();
  EXPECT_TRUE(Prove().kept());
  EXPECT_TRUE(lines().empty()) << lines()[0];
}

}  // namespace
}  // namespace mayfly
