// Goal: bytes that no reader can see are removed on demand, file by file, and nothing else changes;
// Find() reports whether they are gone.
// Method: rows in files of different ages, rewritten or dropped one by one. An engine without files
// lists none, and returns that nothing was done.
#include <gtest/gtest.h>

#include <thread>

#include "tests/engine/cases.h"
#include "tests/engine/deadline_policy.h"

namespace mayfly::engine::suite {
namespace {

// The file that was flushed last; none for an engine without files.
std::vector<FileInfo> YoungestFile(Rig& rig) {
  std::vector<FileInfo> files = rig.Files(Role::kRows);
  std::erase_if(files, [](const FileInfo& file) { return file.level > 0; });
  EXPECT_LE(files.size(), 1u);
  EXPECT_EQ(files.empty(), !rig.home().has_files());
  return files;
}

void CompactEveryFile(Rig& rig) {
  for (const FileInfo& file : rig.Files(Role::kRows)) {
    EXPECT_TRUE(rig.CompactFile(Role::kRows, file.name)) << file.name;
  }
}

// The engine's own compaction may have the file for a moment, and put another one in its place.
bool CompactsTheNewestFile(Rig& rig) {
  constexpr int kTriesMax = 10'000;
  for (int i = 0; i < kTriesMax; ++i) {
    const auto files = rig.Files(Role::kRows);
    if (files.empty()) return false;
    if (rig.CompactFile(Role::kRows, files.front().name)) return true;
    std::this_thread::yield();
  }
  return false;
}

// Two ages: in the last level, and above it.
void CompactFileDropsTheDeadAndKeepsTheLiving(Rig& rig) {
  const auto policy = OpenWithPolicy(rig);
  rig.Put(kRows, "old dead", Mortal(kDeadlineMs, "value"));
  rig.Put(kRows, "old living", Immortal("value"));
  rig.Compact(Role::kRows);
  rig.Put(kRows, "p dead", Mortal(kDeadlineMs, "value"));
  rig.Put(kRows, "p living", Mortal(kDeadlineMs + 1, "value"));
  rig.Flush();
  policy->SetNow(kDeadline - Millis(1));
  CompactEveryFile(rig);
  EXPECT_EQ(rig.ScanKeys(kRows), (Keys{"old dead", "old living", "p dead", "p living"}));
  policy->SetNow(kDeadline);
  CompactEveryFile(rig);
  const Keys living{"old living", "p living"};
  if (rig.home().has_files()) {
    EXPECT_EQ(rig.ScanKeys(kRows), living);
  }
  EXPECT_EQ(rig.Get(kRows, "old living"), Immortal("value"));
  EXPECT_EQ(rig.Get(kRows, "p living"), Mortal(kDeadlineMs + 1, "value"));
}

void CompactFileTakesTombstonesAway(Rig& rig) {
  for (const Bytes key : {"a", "b", "c", "d"}) rig.Put(kRows, key, "value");
  rig.Compact(Role::kRows);
  rig.Delete(kRows, "b");
  rig.DeleteRange(kRows, "c", "d");
  rig.Flush();
  const auto deletions = [&rig] {
    std::uint64_t sum = 0;
    for (const FileInfo& file : rig.Files(Role::kRows)) sum += file.deletions;
    return sum;
  };
  EXPECT_EQ(deletions(), rig.home().has_files() ? 2u : 0u);
  for (const FileInfo& file : YoungestFile(rig)) {
    EXPECT_TRUE(rig.CompactFile(Role::kRows, file.name));
  }
  EXPECT_EQ(deletions(), 0u);
  EXPECT_EQ(rig.ScanKeys(kRows), (Keys{"a", "d"}));
}

// The trap of every store that drops by deadline: the newer version may go, the older may not come.
void AnExpiredNewerVersionOverAPermanentOlderOneNeverRevivesIt(Rig& rig) {
  const auto policy = OpenWithPolicy(rig);
  rig.Put(kRows, "key", Immortal("older"));
  rig.Put(kRows, "other", Immortal("older"));
  rig.Compact(Role::kRows);
  rig.Put(kRows, "key", Mortal(kDeadlineMs, "newer"));
  rig.Flush();
  policy->SetNow(kDeadline);

  // The older one's file first: readers still have the newer one.
  for (const FileInfo& file : rig.Files(Role::kRows)) {
    if (file.level == 0) continue;
    EXPECT_TRUE(rig.CompactFile(Role::kRows, file.name));
  }
  EXPECT_EQ(rig.Get(kRows, "key"), Mortal(kDeadlineMs, "newer"));
  for (const FileInfo& file : YoungestFile(rig)) {
    EXPECT_TRUE(rig.CompactFile(Role::kRows, file.name));
  }
  const auto newer =
      rig.home().has_files() ? std::nullopt : std::optional(Mortal(kDeadlineMs, "newer"));
  EXPECT_EQ(rig.Get(kRows, "key"), newer);
  CompactEveryFile(rig);
  rig.Flush();
  EXPECT_EQ(rig.Get(kRows, "key"), newer);
  if (!rig.engine().capabilities().persistent) return;
  rig.Reopen(policy);
  EXPECT_EQ(rig.ScanKeys(kRows), newer ? (Keys{"key", "other"}) : (Keys{"other"}));
}

void CompactFileLeavesSnapshotsAlone(Rig& rig) {
  rig.Put(kRows, "key", "old");
  rig.Put(kRows, "gone", "old");
  rig.Flush();
  const auto snapshot = rig.NewSnapshot();
  rig.Put(kRows, "key", "new");
  rig.Delete(kRows, "gone");
  rig.Flush();
  for (int i = 0; i < 2; ++i) {
    const auto files = rig.Files(Role::kRows);
    if (!files.empty()) {
      EXPECT_TRUE(rig.CompactFile(Role::kRows, files.front().name));
    }
    EXPECT_EQ(rig.Get(kRows, "key", snapshot.get()), "old");
    EXPECT_EQ(rig.Get(kRows, "gone", snapshot.get()), "old");
    EXPECT_EQ(rig.Scan(kRows), (Pairs{{"key", "new"}}));
  }
}

void CompactFileHoldsToItsRoleAndItsNames(Rig& rig) {
  rig.Put(kRows, "key", "value");
  rig.Put(kMembers, "key", "value");
  rig.Flush();
  EXPECT_FALSE(rig.CompactFile(Role::kRows, "no such file"));
  EXPECT_FALSE(rig.CompactFile(Role::kRows, ""));
  EXPECT_FALSE(rig.DropFile(Role::kRows, "no such file"));
  EXPECT_FALSE(rig.DropFile(Role::kRows, ""));
  for (const FileInfo& file : rig.Files(Role::kRows)) {
    EXPECT_FALSE(rig.CompactFile(Role::kMembers, file.name));
    EXPECT_FALSE(rig.DropFile(Role::kMembers, file.name));
  }
  EXPECT_EQ(rig.Get(kRows, "key"), "value");
  EXPECT_EQ(rig.Get(kMembers, "key"), "value");
}

void DropFileRefusesAFileWithSomethingBeneath(Rig& rig) {
  rig.Put(kRows, "deleted", "value");
  rig.Put(kRows, "in a range", "value");
  rig.Put(kRows, "other", "value");
  rig.Compact(Role::kRows);
  rig.Delete(kRows, "deleted");
  rig.DeleteRange(kRows, "in a", "in b");
  rig.Flush();
  for (const FileInfo& file : YoungestFile(rig)) {
    EXPECT_FALSE(rig.DropFile(Role::kRows, file.name));
  }
  EXPECT_EQ(rig.ScanKeys(kRows), (Keys{"other"}));
}

void DropFileTakesAFileOfTheLastLevelAndNothingElse(Rig& rig) {
  rig.Put(kRows, "dropped", "value");
  rig.Compact(Role::kRows);
  rig.Put(kMembers, "dropped", "value");
  rig.Delete(kRows, "dropped");
  rig.Put(kRows, "kept", "value");
  rig.Flush();
  for (const FileInfo& file : rig.Files(Role::kRows)) {
    EXPECT_EQ(rig.DropFile(Role::kRows, file.name), file.level > 0);
  }
  for (const FileInfo& file : rig.Files(Role::kRows)) EXPECT_EQ(file.level, 0);
  EXPECT_EQ(rig.ScanKeys(kRows), (Keys{"kept"}));
  EXPECT_EQ(rig.ScanKeys(kMembers), (Keys{"dropped"}));
  if (!rig.engine().capabilities().persistent) return;
  rig.Reopen();
  EXPECT_EQ(rig.ScanKeys(kRows), (Keys{"kept"}));
  EXPECT_EQ(rig.ScanKeys(kMembers), (Keys{"dropped"}));
}

void FlushChangesNothingThatCanBeSeen(Rig& rig) {
  rig.Flush();
  for (const Address at : kAllRoles) rig.Put(at, "key", std::string(RoleName(at.role)));
  rig.Flush();
  rig.Flush();
  for (const Address at : kAllRoles) EXPECT_EQ(rig.Get(at, "key"), RoleName(at.role));
  rig.Delete(kRows, "key");
  rig.Flush();
  EXPECT_EQ(rig.Get(kRows, "key"), std::nullopt);
  if (!rig.engine().capabilities().persistent) return;
  rig.Reopen();
  EXPECT_TRUE(rig.Scan(kRows).empty());
  EXPECT_EQ(rig.Get(kMeta, "key"), "meta");
}

void FindSeesKeysAndValuesOfEveryRole(Rig& rig) {
  for (const Address at : kAllRoles) {
    const std::string name(RoleName(at.role));
    rig.Put(at, "the key of " + name, "the value of " + name);
    EXPECT_EQ(rig.Find("key of " + name).size(), 1u);
    EXPECT_EQ(rig.Find("the value of " + name).size(), 1u);
    rig.Flush();
    EXPECT_FALSE(rig.Find("key of " + name).empty());
    EXPECT_EQ(rig.Find("the value of " + name).size(), 1u);
  }
  EXPECT_TRUE(rig.Find("the key of nobody").empty());
  for (const Trace& trace : rig.Find("the ")) {
    EXPECT_FALSE(trace.where.empty());
    EXPECT_FALSE(trace.what.empty());
    EXPECT_EQ(trace.what.find("the value of rows"), Bytes::npos) << "a value was printed";
  }
}

void FindStopsAtItsLimit(Rig& rig) {
  for (std::size_t i = 0; i < 20; ++i) {
    rig.Put(kRows, NumberedKey(i), "the needle");
    if (i % 3 == 0) rig.Flush();
  }
  for (const std::size_t limit : {1u, 2u, 5u}) {
    const auto traces = rig.engine().Find("the needle", limit);
    ASSERT_TRUE(traces.has_value()) << traces.status().ToString();
    EXPECT_EQ(traces->size(), limit);
  }
}

// The steps of a proved deletion: delete, rewrite the files that held it, flush, search.
void NothingIsFoundOfADeletedKeyOnceItsFilesAreRewritten(Rig& rig) {
  rig.Put(kRows, "a neighbour", "value");
  rig.Put(kRows, "the secret key", "the secret value");
  rig.Put(kRows, "the third", "value");
  rig.Flush();
  rig.Delete(kRows, "the secret key");
  rig.Flush();
  EXPECT_EQ(rig.Get(kRows, "the secret key"), std::nullopt);
  if (rig.home().has_files()) {
    EXPECT_FALSE(rig.Find("the secret value").empty());
    EXPECT_FALSE(rig.Find("the secret key").empty());
    EXPECT_TRUE(CompactsTheNewestFile(rig));
  }
  rig.Flush();
  EXPECT_EQ(rig.Find("the secret value").size(), 0u);
  EXPECT_EQ(rig.Find("the secret key").size(), 0u);
  EXPECT_EQ(rig.ScanKeys(kRows), (Keys{"a neighbour", "the third"}));
}

// The first and last keys of a file are stored in more places than those between them.
void NothingIsFoundOfTheDeadAtTheEdgesOfAFile(Rig& rig) {
  const auto policy = OpenWithPolicy(rig);
  rig.Put(kRows, "a secret", Mortal(kDeadlineMs, "secret"));
  rig.Put(kRows, "m", Immortal("value"));
  rig.Put(kRows, "z secret", Mortal(kDeadlineMs, "secret"));
  rig.Flush();
  EXPECT_FALSE(rig.Find("secret").empty());
  policy->SetNow(kDeadline);
  CompactEveryFile(rig);
  if (!rig.home().has_files()) rig.Compact(Role::kRows);
  rig.Flush();
  EXPECT_EQ(rig.Find("secret").size(), 0u);
  EXPECT_EQ(rig.ScanKeys(kRows), (Keys{"m"}));
}

void WhatASnapshotShowsIsFoundUntilItGoes(Rig& rig) {
  rig.Put(kRows, "key", "the secret");
  rig.Put(kRows, "other", "value");
  auto snapshot = rig.NewSnapshot();
  rig.Put(kRows, "key", "nothing to hide");
  rig.Flush();
  rig.Compact(Role::kRows);
  EXPECT_FALSE(rig.Find("the secret").empty());
  EXPECT_EQ(rig.Get(kRows, "key", snapshot.get()), "the secret");
  snapshot.reset();
  CompactEveryFile(rig);
  rig.Flush();
  EXPECT_EQ(rig.Find("the secret").size(), 0u);
  EXPECT_EQ(rig.Get(kRows, "key"), "nothing to hide");
}

void WhatACursorShowsIsFoundUntilItGoes(Rig& rig) {
  const auto obsolete_files = [&rig] { return rig.engine().Stats()->obsolete_files; };
  rig.Put(kRows, "key", "the secret");
  rig.Flush();
  EXPECT_EQ(obsolete_files(), 0u);
  auto cursor = rig.NewCursor(kRows);
  rig.Delete(kRows, "key");
  rig.Flush();
  rig.Compact(Role::kRows);
  rig.Flush();
  EXPECT_FALSE(rig.Find("the secret").empty());
  EXPECT_EQ(obsolete_files() > 0, rig.home().cursors_keep_files());
  cursor->SeekToFirst();
  EXPECT_EQ(ValueAt(*cursor), "the secret");
  cursor.reset();
  rig.Compact(Role::kRows);
  rig.Flush();
  EXPECT_EQ(rig.Find("the secret").size(), 0u);
  EXPECT_EQ(obsolete_files(), 0u);
}

void AnIdleEngineHoldsNoCommitsBack(Rig& rig) {
  rig.Put(kRows, "key", "value");
  rig.Flush();
  const auto stats = rig.engine().Stats();
  ASSERT_TRUE(stats.has_value()) << stats.status().ToString();
  EXPECT_FALSE(stats->commits_held_back);
}

}  // namespace

Cases ReclaimCases() {
  return {
      MAYFLY_CASE(CompactFileDropsTheDeadAndKeepsTheLiving),
      MAYFLY_CASE(CompactFileTakesTombstonesAway),
      MAYFLY_CASE(AnExpiredNewerVersionOverAPermanentOlderOneNeverRevivesIt),
      MAYFLY_CASE(CompactFileLeavesSnapshotsAlone),
      MAYFLY_CASE(CompactFileHoldsToItsRoleAndItsNames),
      MAYFLY_CASE(DropFileRefusesAFileWithSomethingBeneath),
      MAYFLY_CASE(DropFileTakesAFileOfTheLastLevelAndNothingElse),
      MAYFLY_CASE(FlushChangesNothingThatCanBeSeen),
      MAYFLY_CASE(FindSeesKeysAndValuesOfEveryRole),
      MAYFLY_CASE(FindStopsAtItsLimit),
      MAYFLY_CASE(NothingIsFoundOfADeletedKeyOnceItsFilesAreRewritten),
      MAYFLY_CASE(NothingIsFoundOfTheDeadAtTheEdgesOfAFile),
      MAYFLY_CASE(WhatASnapshotShowsIsFoundUntilItGoes),
      MAYFLY_CASE(WhatACursorShowsIsFoundUntilItGoes),
      MAYFLY_CASE(AnIdleEngineHoldsNoCommitsBack),
  };
}

}  // namespace mayfly::engine::suite
