// Goal: compaction drops what its DropPolicy calls dead, for good, and nothing else.
// Method: values that carry their deadline, a policy whose clock the case sets, and Compact().
#include <gtest/gtest.h>

#include "tests/engine/cases.h"
#include "tests/engine/deadline_policy.h"

namespace mayfly::engine::suite {
namespace {

void CompactionDropsTheDeadFromTheirDeadlineOn(Rig& rig) {
  const auto policy = OpenWithPolicy(rig);
  rig.Put(kRows, "mortal", Mortal(kDeadlineMs, "value"));
  rig.Put(kRows, "immortal", Immortal("value"));
  policy->SetNow(kDeadline - Millis(1));
  rig.Compact(Role::kRows);
  EXPECT_EQ(rig.ScanKeys(kRows), (Keys{"immortal", "mortal"}));
  policy->SetNow(kDeadline);
  rig.Compact(Role::kRows);
  EXPECT_EQ(rig.ScanKeys(kRows), (Keys{"immortal"}));
  EXPECT_EQ(rig.Get(kRows, "mortal"), std::nullopt);
  EXPECT_EQ(rig.Get(kRows, "immortal"), Immortal("value"));
}

void CompactionKeepsEverythingWithoutAPolicy(Rig& rig) {
  rig.Put(kRows, "key", Mortal(1, "value"));
  rig.Compact(Role::kRows);
  EXPECT_EQ(rig.Get(kRows, "key"), Mortal(1, "value"));
}

void AnOlderVersionBeneathADeadOneNeverComesBack(Rig& rig) {
  const auto policy = OpenWithPolicy(rig);
  rig.Put(kRows, "key", Immortal("older"));
  rig.Put(kRows, "other", Immortal("older"));
  rig.Compact(Role::kRows);
  rig.Put(kRows, "key", Mortal(kDeadlineMs, "newer"));
  policy->SetNow(kDeadline);
  rig.Compact(Role::kRows);
  EXPECT_EQ(rig.Get(kRows, "key"), std::nullopt);
  rig.Compact(Role::kRows);
  EXPECT_EQ(rig.ScanKeys(kRows), (Keys{"other"}));
  if (!rig.engine().capabilities().persistent) return;
  rig.Reopen(policy);
  EXPECT_EQ(rig.ScanKeys(kRows), (Keys{"other"}));
}

// Files of several ages are compacted by the engine itself while the rows are written.
void OlderVersionsStayHiddenOverManyFiles(Rig& rig) {
  const auto policy = OpenWithPolicy(rig);
  constexpr std::size_t kKeys = 1500;
  const auto fill = [&rig](const std::string& value) {
    for (std::size_t i = 0; i < kKeys; i += 50) {
      Batch batch;
      for (std::size_t j = i; j < i + 50; ++j) batch.Put(kRows, NumberedKey(j), value);
      rig.Commit(batch);
    }
  };
  fill(Immortal(std::string(100, 'a')));
  rig.Compact(Role::kRows);
  fill(Immortal(std::string(100, 'b')));
  policy->SetNow(kDeadline);
  fill(Mortal(kDeadlineMs, std::string(100, 'c')));
  for (std::size_t i = 0; i < kKeys; i += 100) rig.Put(kRows, NumberedKey(i), Immortal("alive"));
  rig.Compact(Role::kRows);
  const Pairs pairs = rig.Scan(kRows);
  EXPECT_EQ(pairs.size(), kKeys / 100);
  for (const auto& [key, value] : pairs) ASSERT_EQ(value, Immortal("alive")) << key;
}

void ARowThatGotALaterDeadlineIsKept(Rig& rig) {
  const auto policy = OpenWithPolicy(rig);
  rig.Put(kRows, "extended", Mortal(kDeadlineMs, "value"));
  rig.Put(kRows, "persisted", Mortal(kDeadlineMs, "value"));
  rig.Put(kRows, "shortened", Immortal("value"));
  rig.Put(kRows, "extended", Mortal(kDeadlineMs + 1, "value"));
  rig.Put(kRows, "persisted", Immortal("value"));
  rig.Put(kRows, "shortened", Mortal(kDeadlineMs, "value"));
  policy->SetNow(kDeadline);
  rig.Compact(Role::kRows);
  EXPECT_EQ(rig.ScanKeys(kRows), (Keys{"extended", "persisted"}));
}

void TheJudgeIsAskedPerRole(Rig& rig) {
  const auto policy = OpenWithPolicy(rig);
  for (const Address at : kAllRoles) rig.Put(at, "key", Mortal(kDeadlineMs, "value"));
  policy->SetNow(kDeadline);
  for (const Address at : kAllRoles) {
    rig.Compact(at.role);
    const bool judged = at.role == Role::kRows || at.role == Role::kMembers;
    EXPECT_EQ(rig.Get(at, "key").has_value(), !judged) << RoleName(at.role);
    EXPECT_GT(policy->judges(at.role), 0) << RoleName(at.role);
  }
}

void CompactionOfARangeDropsTheDeadInIt(Rig& rig) {
  const auto policy = OpenWithPolicy(rig);
  for (const Bytes key : {"a", "b", "c", "d"}) rig.Put(kRows, key, Mortal(kDeadlineMs, "value"));
  rig.Put(kRows, "bb", Immortal("value"));
  rig.Put(kRows, "e", Immortal("value"));
  policy->SetNow(kDeadline);
  rig.Compact(Role::kRows, {.begin = "b", .end = "d"});
  EXPECT_EQ(rig.Get(kRows, "b"), std::nullopt);
  EXPECT_EQ(rig.Get(kRows, "c"), std::nullopt);
  EXPECT_EQ(rig.Get(kRows, "bb"), Immortal("value"));
  EXPECT_EQ(rig.Get(kRows, "e"), Immortal("value"));
  rig.Compact(Role::kRows, {.begin = "c"});
  EXPECT_EQ(rig.Get(kRows, "d"), std::nullopt);
  rig.Compact(Role::kRows, {.end = "b"});
  EXPECT_EQ(rig.ScanKeys(kRows), (Keys{"bb", "e"}));
}

void CompactionLeavesTheLivingToSnapshots(Rig& rig) {
  const auto policy = OpenWithPolicy(rig);
  rig.Put(kRows, "dead", Mortal(kDeadlineMs, "value"));
  rig.Put(kRows, "living", Mortal(kDeadlineMs + 1, "old"));
  const auto snapshot = rig.NewSnapshot();
  rig.Put(kRows, "living", Immortal("new"));
  policy->SetNow(kDeadline);
  rig.Compact(Role::kRows);
  EXPECT_EQ(rig.Get(kRows, "living", snapshot.get()), Mortal(kDeadlineMs + 1, "old"));
  EXPECT_EQ(rig.Get(kRows, "living"), Immortal("new"));
  EXPECT_EQ(rig.Get(kRows, "dead"), std::nullopt);
}

void ADroppedKeyIsAbsentForConditionsAndTakesNewValues(Rig& rig) {
  const auto policy = OpenWithPolicy(rig);
  rig.Put(kRows, "key", Mortal(kDeadlineMs, "value"));
  policy->SetNow(kDeadline);
  rig.Compact(Role::kRows);
  Batch batch;
  batch.RequireAbsent(kRows, "key");
  batch.Put(kRows, "key", Immortal("again"));
  rig.Commit(batch);
  rig.Compact(Role::kRows);
  EXPECT_EQ(rig.Get(kRows, "key"), Immortal("again"));
}

void FilesTellWhenTheirRowsDie(Rig& rig) {
  const auto policy = OpenWithPolicy(rig);
  constexpr std::size_t kKeys = 1000;
  for (std::size_t i = 0; i < kKeys; ++i) {
    rig.Put(kRows, NumberedKey(i),
            i % 2 == 0 ? Mortal(kDeadlineMs + i, std::string(100, 'x'))
                       : Immortal(std::string(100, 'x')));
  }
  rig.Compact(Role::kRows);
  const auto files = rig.engine().Files(Role::kRows);
  ASSERT_TRUE(files.has_value()) << files.status().ToString();
  ASSERT_EQ(!files->empty(), rig.home().has_files());
  if (files->empty()) return;

  std::uint64_t mortal = 0;
  std::uint64_t immortal = 0;
  std::uint64_t entries = 0;
  for (const FileInfo& file : *files) {
    EXPECT_FALSE(file.name.empty());
    EXPECT_GT(file.bytes, 0u);
    EXPECT_LE(file.first_key, file.last_key);
    EXPECT_GE(file.first_key, NumberedKey(0));
    EXPECT_LE(file.last_key, NumberedKey(kKeys - 1));
    entries += file.entries - file.deletions;
    mortal += file.deadlines.mortal_rows();
    immortal += file.deadlines.immortal_rows();
    EXPECT_GE(file.deadlines.min_deadline().value_or(kDeadline), kDeadline);
    EXPECT_LE(file.deadlines.max_deadline().value_or(kDeadline), kDeadline + Millis(kKeys));
    EXPECT_EQ(file.deadlines.BytesDeadBy(kDeadline - Millis(1)), 0u);
  }
  EXPECT_EQ(entries, kKeys);
  EXPECT_EQ(mortal, kKeys / 2);
  EXPECT_EQ(immortal, kKeys / 2);
  const auto others = rig.engine().Files(Role::kMembers);
  ASSERT_TRUE(others.has_value());
  EXPECT_TRUE(others->empty());
}

}  // namespace

Cases DropPolicyCases() {
  return {
      MAYFLY_CASE(CompactionDropsTheDeadFromTheirDeadlineOn),
      MAYFLY_CASE(CompactionKeepsEverythingWithoutAPolicy),
      MAYFLY_CASE(AnOlderVersionBeneathADeadOneNeverComesBack),
      MAYFLY_CASE(OlderVersionsStayHiddenOverManyFiles),
      MAYFLY_CASE(ARowThatGotALaterDeadlineIsKept),
      MAYFLY_CASE(TheJudgeIsAskedPerRole),
      MAYFLY_CASE(CompactionOfARangeDropsTheDeadInIt),
      MAYFLY_CASE(CompactionLeavesTheLivingToSnapshots),
      MAYFLY_CASE(ADroppedKeyIsAbsentForConditionsAndTakesNewValues),
      MAYFLY_CASE(FilesTellWhenTheirRowsDie),
  };
}

}  // namespace mayfly::engine::suite
