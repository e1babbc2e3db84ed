// Goal: what makes room may use the reserve of a full disk, and what adds bytes may not.
// Method: batches of the kinds that core commits, and stored values that the test invents.
#include "engine/disk/full_disk_right.h"

#include <gtest/gtest.h>

#include "engine/disk/limits.h"

namespace mayfly::engine {
namespace {

constexpr Address kRow{Role::kRows};
constexpr Address kEntry{Role::kExpiry};
constexpr Address kCounter{Role::kMeta};

TEST(FullDiskRightTest, ACommitThatAddsBytesHasNone) {
  Batch batch;
  batch.Put(kRow, "key", "value");
  EXPECT_EQ(RightByItself(batch), FullDiskRight::kNone);
}

TEST(FullDiskRightTest, ADeleteMayAddALittleForEachRow) {
  Batch batch;
  batch.Delete(kRow, "key");
  batch.Delete(kEntry, "entry");
  batch.Put(kCounter, "counter", std::string(100, 'c'));
  batch.Put(kEntry, "k", std::string(kFullDiskBytesPerDelete - 1, 'e'));
  EXPECT_EQ(RightByItself(batch), FullDiskRight::kRowDelete);
  batch.Put(kEntry, "l", "");
  EXPECT_EQ(RightByItself(batch), FullDiskRight::kNone) << "one byte more";
}

TEST(FullDiskRightTest, HousekeepingAloneIsAllowedWhileItIsSmall) {
  Batch batch;
  batch.Put(kCounter, "c", std::string(kFullDiskHousekeepingBytes - 1, 'c'));
  EXPECT_EQ(RightByItself(batch), FullDiskRight::kRowDelete);
  batch.Put(kCounter, "d", "");
  EXPECT_EQ(RightByItself(batch), FullDiskRight::kNone);
}

TEST(FullDiskRightTest, ARangeDeleteMayUseMost) {
  Batch batch;
  batch.DeleteRange(kRow, "a", "b");
  EXPECT_EQ(RightByItself(batch), FullDiskRight::kRangeDelete);
}

TEST(FullDiskRightTest, AMoveFreesWhatItAddsOnlyIfTheRowIsStored) {
  const auto stored = [](Address, Bytes key) -> std::optional<std::size_t> {
    return key == "stored" ? std::optional<std::size_t>(1000) : std::nullopt;
  };
  const auto move = [](Bytes key, std::size_t bytes) {
    Batch batch;
    batch.Delete(kRow, key);
    batch.Put(kRow, "moved!", std::string(bytes, 'm'));
    return batch;
  };
  EXPECT_TRUE(FreesWhatItAdds(move("stored", 1000 + kFullDiskBytesPerDelete), stored));
  EXPECT_FALSE(FreesWhatItAdds(move("stored", 1001 + kFullDiskBytesPerDelete), stored));
  EXPECT_FALSE(FreesWhatItAdds(move("other", 10), stored));
}

}  // namespace
}  // namespace mayfly::engine
