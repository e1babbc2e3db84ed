// Goal: concurrent changes of a table all happen, or are refused; none is lost. Method: the service
// on real tables, threads that start together, often.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>

#include "core/database_home.h"
#include "dynamo/json/json.h"
#include "dynamo/service.h"
#include "dynamo/tables/table_notes.h"
#include "dynamo/testing/asked.h"
#include "engine/together.h"
#include "mayfly/logger.h"
#include "tables/protocol_tables.h"

namespace mayfly::dynamo {
namespace {

using engine::suite::RunTogether;

constexpr int kRounds = 20;
constexpr std::size_t kTaggers = 4;
constexpr int kTagsEach = 12;
const std::string kArn = R"("ResourceArn":"arn:aws:dynamodb:mayfly:000000000000:table/tab")";

class TableRaces : public ::testing::Test {
 protected:
  TableRaces() { Create(); }

  void Create() { EXPECT_EQ(Call("CreateTable", kCreateTab), 200); }

  // Returns the status. From any thread.
  int Call(const std::string& operation, const std::string& body) {
    return AnswerOf(service_, RequestOf("DynamoDB_20120810." + operation, body)).status;
  }

  int Tag(const std::string& key) {
    return Call("TagResource", "{" + kArn + R"(,"Tags":[{"Key":")" + key + R"(","Value":"v"}]})");
  }
  int Untag(const std::string& key) {
    return Call("UntagResource", "{" + kArn + R"(,"TagKeys":[")" + key + R"("]})");
  }
  int Protect(bool on) {
    return Call("UpdateTable", R"({"TableName":"tab","DeletionProtectionEnabled":)" +
                                   std::string(on ? "true}" : "false}"));
  }
  int SetTtl(const std::string& attribute, bool on) {
    return Call("UpdateTimeToLive",
                R"({"TableName":"tab","TimeToLiveSpecification":{"AttributeName":")" + attribute +
                    R"(","Enabled":)" + (on ? "true}}" : "false}}"));
  }

  TableSpec Spec() { return tables_->DescribeTable("tab")->spec; }

 private:
  DatabaseHome home_{EngineKind::kMemory};
  const std::unique_ptr<tables::ProtocolTables> tables_ =
      *tables::ProtocolTables::Open(home_.database());
  Service service_{*tables_, home_.clock(), SilentLogger()};
};

// Back to back, so that some always wait for the change of another, and go on together.
TEST_F(TableRaces, NoTagIsLost) {
  const auto key = [](std::size_t tagger, int nr) {
    return "k" + std::to_string(tagger) + "." + std::to_string(nr);
  };
  for (int round = 0; round < kRounds; ++round) {
    RunTogether(kTaggers, [&](std::size_t tagger) {
      for (int nr = 0; nr < kTagsEach; ++nr) EXPECT_EQ(Tag(key(tagger, nr)), 200);
    });
    ASSERT_EQ(TagsOf(Spec().notes).size(), kTaggers * kTagsEach) << "in round " << round;
    RunTogether(kTaggers, [&](std::size_t tagger) {
      for (int nr = 0; nr < kTagsEach; ++nr) EXPECT_EQ(Untag(key(tagger, nr)), 200);
    });
    ASSERT_TRUE(TagsOf(Spec().notes).empty()) << "in round " << round;
  }
}

TEST_F(TableRaces, WhatUpdateTableNotesAndTagsDoNotUndoEachOther) {
  for (int round = 0; round < kRounds; ++round) {
    RunTogether({[&] {
                   for (int nr = 0; nr < kTagsEach; ++nr) {
                     EXPECT_EQ(Protect(nr % 2 == 0), 200);
                     ASSERT_EQ(IsProtected(Spec().notes), nr % 2 == 0) << "in round " << round;
                   }
                 },
                 [&] {
                   for (int nr = 0; nr < kTagsEach; ++nr) {
                     EXPECT_EQ(nr % 2 == 0 ? Tag("k") : Untag("k"), 200);
                     ASSERT_EQ(TagsOf(Spec().notes).contains("k"), nr % 2 == 0)
                         << "in round " << round;
                   }
                 }});
  }
}

// Either the table is protected and stays, or it is gone before it could be.
TEST_F(TableRaces, AProtectedTableIsNotDropped) {
  for (int round = 0; round < kRounds; ++round) {
    int protecting = 0;
    int deleting = 0;
    RunTogether({[&] { protecting = Protect(true); },
                 [&] { deleting = Call("DeleteTable", R"({"TableName":"tab"})"); }});
    ASSERT_NE(protecting == 200, deleting == 200) << "in round " << round;
    if (deleting == 200) {
      Create();
    } else {
      ASSERT_EQ(Protect(false), 200);
    }
  }
}

TEST_F(TableRaces, OneOfTwoAttributesIsTheOneOfTtl) {
  for (int round = 0; round < kRounds; ++round) {
    std::atomic<int> taken = 0;
    RunTogether(2, [&](std::size_t i) {
      if (SetTtl("a" + std::to_string(i), true) == 200) ++taken;
    });
    ASSERT_EQ(taken, 1) << "in round " << round;
    ASSERT_EQ(SetTtl(Spec().ttl_attribute, false), 200);
  }
}

}  // namespace
}  // namespace mayfly::dynamo
