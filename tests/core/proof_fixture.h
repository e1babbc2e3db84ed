// proof_fixture.h - a database with a promise, and a grep that checks whether it was kept.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "core/each_engine.h"
#include "core/planted.h"

namespace mayfly {

inline constexpr Millis kPromise = std::chrono::hours(1);
inline constexpr Millis kTtl = std::chrono::minutes(10);
inline constexpr std::size_t kBig = std::size_t{40} << 10;
inline constexpr std::size_t kHuge = std::size_t{1} << 20;

inline bool Names(const Proof& proof, ProofHolder::Kind kind, const std::string& words = "") {
  for (const ProofHolder& holder : proof.holders) {
    if (holder.kind == kind && holder.description.find(words) != std::string::npos) return true;
  }
  return false;
}

inline KeyspaceProof ProofOf(const Proof& proof, const std::string& keyspace) {
  for (const KeyspaceProof& one : proof.keyspaces) {
    if (one.name == keyspace) return one;
  }
  ADD_FAILURE() << "no proof of " << keyspace;
  return {};
}

// A database with one keyspace that has made the promise.
class ProvableDeletionOn : public ::testing::Test {
 protected:
  explicit ProvableDeletionOn(EngineKind engine, const DatabaseOptions& options = {})
      : engine_(engine), home_(engine, options) {
    // Members lie in the row of their collection, or have rows of their own.
    if (planter_.random().OneIn(2)) home_.Unpack();
    promised_ = Make("promised", {.purge_within = kPromise});
  }

  ~ProvableDeletionOn() override { home_.ExpectClean(); }

  std::shared_ptr<Keyspace> Make(const std::string& name, const KeyspacePolicy& policy) {
    auto made = database().CreateKeyspace(name, policy);
    EXPECT_TRUE(made.has_value()) << made.status().ToString();
    return *std::move(made);
  }

  Planted Plant(Keyspace& keyspace, const Lifetime& lifetime, std::size_t bytes = 100) {
    Planted row = planter_.New(bytes);
    EXPECT_EQ(CodeOf(keyspace.Put(row.key, row.value, lifetime)), kOk);
    return row;
  }

  ReclaimReport ReclaimAll() {
    const auto report = database().Reclaim({.everything = true});
    EXPECT_TRUE(report.has_value()) << report.status().ToString();
    return report.value_or(ReclaimReport{});
  }

  FileBytes Files() { return FileBytes(home_.options().directory); }

  // A fold may move a row while files are read one after the other: it is looked for again then.
  void ExpectInFiles(const Planted& row, const std::string& what) {
    constexpr int kLooksMax = 50;
    for (int i = 0; i < kLooksMax; ++i) {
      const FileBytes files = Files();
      if (files.HasKeyOf(row) && files.HasValueOf(row)) return;
    }
    Files().ExpectBothOf(row, what);
  }

  Proof Prove(Bytes find = {}) {
    auto proof = database().Prove({.find = std::string(find)});
    EXPECT_TRUE(proof.has_value()) << proof.status().ToString();
    return proof ? *std::move(proof) : Proof{};
  }

  // Checks that the grep and the proof agree.
  void ExpectGone(const Planted& row, const std::string& what) {
    Files().ExpectNoneOf(row, what);
    EXPECT_TRUE(Prove(row.key_mark()).traces.empty()) << what;
    for (const Bytes mark : row.value_marks()) {
      EXPECT_TRUE(Prove(mark).traces.empty()) << what;
    }
  }
  void ExpectThere(const Planted& row, const std::string& what) {
    // An old version may be in memory alone.
    if (engine_ != EngineKind::kMemoryFirst) ExpectInFiles(row, what);
    EXPECT_FALSE(Prove(row.key_mark()).traces.empty()) << what;
    bool found = false;
    for (const Bytes mark : row.value_marks()) found |= !Prove(mark).traces.empty();
    EXPECT_TRUE(found) << what;
  }

  // Lets time pass in small steps, and the reaper run in each.
  void Live(Reaper& reaper, Millis length) {
    const WallTime end = clock().Now() + length;
    while (clock().Now() < end) {
      clock().Advance(std::min<Millis>(std::chrono::minutes(5), end - clock().Now()));
      reaper.AwaitIdle();
    }
  }

  Database& database() { return home_.database(); }
  ManualClock& clock() { return home_.clock(); }
  Keyspace& promised() { return *promised_; }

  const EngineKind engine_;
  DatabaseHome home_;
  Planter planter_;
  std::shared_ptr<Keyspace> promised_;
};

// The same on each engine with files.
class ProvableDeletion : public ProvableDeletionOn,
                         public ::testing::WithParamInterface<EngineKind> {
 protected:
  explicit ProvableDeletion(const DatabaseOptions& options = {})
      : ProvableDeletionOn(GetParam(), options) {}
};

inline auto EnginesWithFiles() {
  return ::testing::Values(EngineKind::kRocks, EngineKind::kMemoryFirst);
}

}  // namespace mayfly
