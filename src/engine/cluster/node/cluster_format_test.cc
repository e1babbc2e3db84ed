// Goal: what is fixed when a database is created is the same for all servers, or they do not start.
#include "engine/cluster/node/cluster_format.h"

#include <gtest/gtest.h>

#include "engine/cluster/objects/testing/memory_objects.h"

namespace mayfly::engine::cluster {
namespace {

class ClusterFormatTest : public testing::Test {
 protected:
  Result<ClusterFormat> Open(const FormatRequest& request) { return OpenFormat(store_, request); }

  const std::shared_ptr<MemoryObjects> objects_ = std::make_shared<MemoryObjects>();
  MemoryObjectStore store_{objects_};
};

TEST_F(ClusterFormatTest, ANewDatabaseHasTheDefaultsAndIsFoundAgain) {
  const auto created = Open({.database = "db"});
  ASSERT_TRUE(created.has_value());
  EXPECT_EQ(created->shards, kShardsDefault);
  EXPECT_EQ(created->shards_per_group, 1u);
  EXPECT_EQ(Open({.database = "db"}).value(), created.value());
  EXPECT_EQ(Open({.database = "db", .create_if_missing = false}).value(), created.value());
  EXPECT_EQ(DecodeClusterFormat(Encode(*created)).value(), created.value());
}

TEST_F(ClusterFormatTest, AnAbsentOneIsNotMadeUnasked) {
  EXPECT_TRUE(Open({.database = "db", .create_if_missing = false}).status().IsNotFound());
  EXPECT_TRUE(objects_->MapOf(MetaObject("db")).empty());
}

TEST_F(ClusterFormatTest, AServerThatAsksForAnotherFormatIsRefused) {
  ASSERT_TRUE(Open({.database = "db", .shards = 64, .shards_per_group = 2}).has_value());
  EXPECT_TRUE(Open({.database = "db"}).has_value());
  EXPECT_EQ(Open({.database = "db", .shards = 128}).status().code(), StatusCode::kInvalid);
  EXPECT_EQ(Open({.database = "db", .shards_per_group = 1}).status().code(), StatusCode::kInvalid);
  FormatRequest other{.database = "db"};
  other.ownership.lease += std::chrono::milliseconds(1);
  const Status refused = Open(other).status();
  EXPECT_EQ(refused.code(), StatusCode::kInvalid);
  EXPECT_NE(refused.message().find("lease in ms of 4000"), std::string::npos) << refused.message();
}

TEST_F(ClusterFormatTest, TheServerThatIsSlowerTakesWhatTheOtherMade) {
  // The other one comes between our look and our write.
  bool first = true;
  store_.SetFate([&](Request request, const std::string&) {
    if (request == Request::kWriteMap && std::exchange(first, false)) {
      MemoryObjectStore other(objects_);
      EXPECT_TRUE(OpenFormat(other, {.database = "db", .shards = 32}).has_value());
    }
    return Fate::kHappens;
  });
  EXPECT_EQ(Open({.database = "db"}).value().shards, 32u);
}

TEST_F(ClusterFormatTest, OtherBytesAreRefused) {
  const std::string good = Encode(ClusterFormat{.shards = 1024,
                                                .shards_per_group = 1,
                                                .roster_pages = 8,
                                                .lease_ms = 4000,
                                                .wait_ms = 4200,
                                                .drift_ppm = 20000});
  EXPECT_TRUE(DecodeClusterFormat(good).has_value());
  EXPECT_EQ(DecodeClusterFormat("").status().code(), StatusCode::kCorruption);
  EXPECT_EQ(DecodeClusterFormat(good + "x").status().code(), StatusCode::kCorruption);
  EXPECT_EQ(DecodeClusterFormat(good.substr(0, good.size() - 1)).status().code(),
            StatusCode::kCorruption);
  EXPECT_EQ(DecodeClusterFormat("\x02" + good.substr(1)).status().code(), StatusCode::kUnsupported);
}

TEST_F(ClusterFormatTest, NamesAreOfPlainLetters) {
  for (const char* const good : {"a", "My-Data_2"}) EXPECT_TRUE(CheckDatabaseName(good).ok());
  for (const std::string& bad : {std::string(), std::string("a.b"), std::string(65, 'a')}) {
    EXPECT_EQ(CheckDatabaseName(bad).code(), StatusCode::kInvalid);
  }
}

}  // namespace
}  // namespace mayfly::engine::cluster
