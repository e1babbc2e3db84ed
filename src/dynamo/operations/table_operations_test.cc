// Goal: tables, their ttl, tags and streams are defined and described in DynamoDB's JSON.
// Method: the service on fake tables.
#include <gtest/gtest.h>

#include "dynamo/tables/table_notes.h"
#include "dynamo/testing/fake_service.h"

namespace mayfly::dynamo {
namespace {

const std::string kArn = R"("arn:aws:dynamodb:mayfly:000000000000:table/tab")";

const json::value& At(const json::object& object, std::initializer_list<const char*> path) {
  const json::object* here = &object;
  const json::value* found = nullptr;
  for (const char* name : path) {
    found = &here->at(name);
    if (found->is_object()) here = &found->get_object();
  }
  return *found;
}

TEST(TableOperations, ATableIsDescribedAsItWasDefined) {
  FakeService service;
  const json::object made = service.Call("CreateTable", R"({"TableName":"tab",
      "AttributeDefinitions":[{"AttributeName":"p","AttributeType":"S"},
        {"AttributeName":"n","AttributeType":"N"},{"AttributeName":"b","AttributeType":"B"}],
      "KeySchema":[{"AttributeName":"p","KeyType":"HASH"},{"AttributeName":"n","KeyType":"RANGE"}],
      "ProvisionedThroughput":{"ReadCapacityUnits":3,"WriteCapacityUnits":4},
      "GlobalSecondaryIndexes":[{"IndexName":"by_b","KeySchema":[{"AttributeName":"b","KeyType":"HASH"}],
        "Projection":{"ProjectionType":"INCLUDE","NonKeyAttributes":["x"]}}],
      "LocalSecondaryIndexes":[{"IndexName":"local","KeySchema":[{"AttributeName":"p","KeyType":"HASH"},
        {"AttributeName":"b","KeyType":"RANGE"}],"Projection":{"ProjectionType":"KEYS_ONLY"}}],
      "StreamSpecification":{"StreamEnabled":true,"StreamViewType":"OLD_IMAGE"},
      "Tags":[{"Key":"mayfly:ttl-mode","Value":"until-swept"}]})");
  ASSERT_EQ(service.status, 200) << ToText(made);
  const TableSpec spec = service.tables.DescribeTable("tab")->spec;
  EXPECT_EQ(spec.partition, (KeyAttribute{"p", KeyType::kString}));
  EXPECT_EQ(spec.sort, (KeyAttribute{"n", KeyType::kNumber}));
  EXPECT_EQ(spec.global_indexes[0].partition, (KeyAttribute{"b", KeyType::kBinary}));
  EXPECT_EQ(spec.global_indexes[0].projection.attributes, std::vector<std::string>{"x"});
  EXPECT_EQ(spec.local_indexes[0].projection.kind, IndexProjection::Kind::kKeysOnly);
  EXPECT_EQ(spec.stream, StreamView::kOldImage);
  EXPECT_EQ(spec.ttl_mode, TtlMode::kUntilSwept);
  const json::object table = service.Call("DescribeTable", R"({"TableName":"tab"})");
  EXPECT_EQ(At(table, {"Table", "TableStatus"}), "ACTIVE");
  EXPECT_EQ(At(table, {"Table", "CreationDateTime"}), 1'700'000'000);
  EXPECT_EQ(At(table, {"Table", "ProvisionedThroughput", "WriteCapacityUnits"}), 4);
  EXPECT_EQ(At(table, {"Table", "AttributeDefinitions"}).as_array().size(), 3u);
  EXPECT_EQ(At(table, {"Table", "LatestStreamArn"}),
            "arn:aws:dynamodb:mayfly:000000000000:table/tab/stream/label-1");
  EXPECT_EQ(At(made, {"TableDescription", "KeySchema"}), At(table, {"Table", "KeySchema"}));
  EXPECT_EQ(service.Error("CreateTable", R"({"TableName":"tab","BillingMode":"PAY_PER_REQUEST",
      "AttributeDefinitions":[{"AttributeName":"p","AttributeType":"S"}],
      "KeySchema":[{"AttributeName":"p","KeyType":"HASH"}]})"),
            "ResourceInUseException: Table already exists: tab");
}

TEST(TableOperations, DefinitionsThatDoNotFitAreRefused) {
  FakeService service;
  const auto refused = [&](const std::string& definitions, const std::string& schema) {
    return service.Error("CreateTable", R"({"TableName":"tab","BillingMode":"PAY_PER_REQUEST",
        "AttributeDefinitions":[)" + definitions +
                                            R"(],"KeySchema":[)" + schema + "]}");
  };
  const std::string p = R"({"AttributeName":"p","AttributeType":"S"})";
  EXPECT_EQ(refused(p, R"({"AttributeName":"q","KeyType":"HASH"})"),
            "ValidationException: One or more parameter values were invalid: Some index key "
            "attributes are not defined in AttributeDefinitions. Keys: [q], AttributeDefinitions: "
            "[p]");
  EXPECT_EQ(refused(p, R"({"AttributeName":"p","KeyType":"RANGE"})"),
            "ValidationException: Invalid KeySchema: The first KeySchemaElement is not a HASH key "
            "type");
  EXPECT_EQ(refused(p + R"(,{"AttributeName":"q","AttributeType":"S"})",
                    R"({"AttributeName":"p","KeyType":"HASH"})"),
            "ValidationException: One or more parameter values were invalid: Number of attributes "
            "in KeySchema does not exactly match number of attributes defined in "
            "AttributeDefinitions");
  EXPECT_EQ(refused(R"({"AttributeName":"p","AttributeType":"X"})",
                    R"({"AttributeName":"p","KeyType":"HASH"})"),
            "ValidationException: 1 validation error detected: Value 'X' at "
            "'attributeDefinitions.1.member.attributeType' failed to satisfy constraint: Member "
            "must satisfy enum value set: [B, N, S]");
}

TEST(TableOperations, TablesAreListedByPages) {
  FakeService service;
  for (const char* name : {"aaa", "bbb", "ccc"}) service.CreateTable(name);
  EXPECT_EQ(service.Text("ListTables", R"({"Limit":2})"),
            R"({"TableNames":["aaa","bbb"],"LastEvaluatedTableName":"bbb"})");
  EXPECT_EQ(service.Text("ListTables", R"({"Limit":2,"ExclusiveStartTableName":"bbb"})"),
            R"({"TableNames":["ccc"]})");
}

TEST(TableOperations, AnIndexIsAddedAndDropped) {
  FakeService service;
  service.CreateTable("tab");
  const json::object changed = service.Call("UpdateTable", R"({"TableName":"tab",
      "AttributeDefinitions":[{"AttributeName":"g","AttributeType":"N"}],
      "GlobalSecondaryIndexUpdates":[{"Create":{"IndexName":"by_g",
        "KeySchema":[{"AttributeName":"g","KeyType":"HASH"}],"Projection":{"ProjectionType":"ALL"}}}]})");
  EXPECT_EQ(At(changed, {"TableDescription", "TableStatus"}), "UPDATING") << ToText(changed);
  EXPECT_EQ(service.tables.change.add_global_index->partition,
            (KeyAttribute{"g", KeyType::kNumber}));
  service.Text("UpdateTable", R"({"TableName":"tab",
      "GlobalSecondaryIndexUpdates":[{"Delete":{"IndexName":"by_g"}}]})");
  EXPECT_EQ(service.tables.change.drop_global_index, "by_g");
  EXPECT_TRUE(service.Error("UpdateTable", R"({"TableName":"tab"})")
                  .starts_with("ValidationException: At least one of"));
}

TEST(TableOperations, AProtectedTableStays) {
  FakeService service;
  service.CreateTable("tab", R"(,"DeletionProtectionEnabled":true)");
  EXPECT_TRUE(service.Error("DeleteTable", R"({"TableName":"tab"})")
                  .starts_with("ValidationException: Resource cannot be deleted"));
  service.Text("UpdateTable", R"({"TableName":"tab","DeletionProtectionEnabled":false})");
  const json::object gone = service.Call("DeleteTable", R"({"TableName":"tab"})");
  EXPECT_EQ(At(gone, {"TableDescription", "TableStatus"}), "DELETING");
}

TEST(TtlOperations, AreSwitchedAndDescribed) {
  FakeService service;
  service.CreateTable("tab");
  const auto update = [](const std::string& attribute, const std::string& enabled) {
    return R"({"TableName":"tab","TimeToLiveSpecification":{"AttributeName":")" + attribute +
           R"(","Enabled":)" + enabled + "}}";
  };
  EXPECT_EQ(service.Text("UpdateTimeToLive", update("at", "true")),
            R"({"TimeToLiveSpecification":{"Enabled":true,"AttributeName":"at"}})");
  EXPECT_EQ(service.Text("DescribeTimeToLive", R"({"TableName":"tab"})"),
            R"({"TimeToLiveDescription":{"TimeToLiveStatus":"ENABLED","AttributeName":"at"}})");
  EXPECT_EQ(service.Error("UpdateTimeToLive", update("at", "true")),
            "ValidationException: TimeToLive is already enabled");
  EXPECT_EQ(service.Error("UpdateTimeToLive", update("other", "true")),
            "ValidationException: TimeToLive is active on a different AttributeName: current "
            "AttributeName is at");
  service.Text("UpdateTimeToLive", update("at", "false"));
  EXPECT_EQ(service.Error("UpdateTimeToLive", update("at", "false")),
            "ValidationException: TimeToLive is already disabled");
}

TEST(TtlOperations, OursSetTellAndRemove) {
  FakeService service;
  service.CreateTable("tab");
  service.Text("PutItem", R"({"TableName":"tab","Item":{"p":{"S":"1"},"s":{"S":"a"}}})");
  const std::string key = R"({"TableName":"tab","Key":{"p":{"S":"1"},"s":{"S":"a"}})";
  EXPECT_EQ(service.Text("Mayfly_20261101.GetTTL", key + "}"), R"({"RemainingSeconds":null})");
  EXPECT_EQ(service.Text("Mayfly_20261101.SetTTL", key + R"(,"TtlSeconds":1.5})"), "{}");
  EXPECT_EQ(service.tables.ttl, Millis(1500));
  EXPECT_EQ(service.Text("Mayfly_20261101.GetTTL", key + "}"), R"({"RemainingSeconds":2})");
  EXPECT_EQ(service.Text("Mayfly_20261101.RemoveTTL", key + "}"), R"({"Removed":true})");
  EXPECT_EQ(service.Text("Mayfly_20261101.SweepExpiredTTL", R"({"TableName":"tab"})"),
            R"({"Deleted":1})");
  EXPECT_TRUE(
      service.Error("Mayfly_20261101.GetTTL", key + "}").starts_with("ResourceNotFoundException"));
  for (const std::string ttl : {"0", "-5", "1e300"}) {
    const std::string set = std::string(key).append(R"(,"TtlSeconds":)").append(ttl).append("}");
    EXPECT_TRUE(
        service.Error("Mayfly_20261101.SetTTL", set).starts_with("ValidationException: TtlSeconds"))
        << ttl;
  }
}

TEST(TagOperations, AreKeptAndChooseTheModeOfTtl) {
  FakeService service;
  service.CreateTable("tab", R"(,"Tags":[{"Key":"team","Value":"a"}])");
  service.Text("TagResource", R"({"ResourceArn":)" + kArn +
                                  R"(,"Tags":[{"Key":"mayfly:ttl-mode","Value":"until-swept"}]})");
  EXPECT_EQ(service.tables.change.ttl_mode, TtlMode::kUntilSwept);
  EXPECT_EQ(
      service.Text("ListTagsOfResource", R"({"ResourceArn":)" + kArn + "}"),
      R"({"Tags":[{"Key":"mayfly:ttl-mode","Value":"until-swept"},{"Key":"team","Value":"a"}]})");
  service.Text("UntagResource", R"({"ResourceArn":)" + kArn + R"(,"TagKeys":["mayfly:ttl-mode"]})");
  EXPECT_EQ(service.tables.change.ttl_mode, TtlMode::kExact);
  EXPECT_TRUE(service
                  .Error("TagResource", R"({"ResourceArn":)" + kArn +
                                            R"(,"Tags":[{"Key":"mayfly:ttl-mode","Value":"x"}]})")
                  .starts_with("ValidationException: The tag mayfly:ttl-mode"));
  EXPECT_TRUE(service.Error("ListTagsOfResource", R"({"ResourceArn":"arn:aws:s3:::b"})")
                  .starts_with("ValidationException: Invalid ResourceArn"));
}

// The value of a tag may have been changed by TTL.POLICY or the library since.
TEST(TagOperations, CountAgainstWhatIsInForceAndOnlyWhenTheyAreNamed) {
  FakeService service;
  service.CreateTable("tab", "");
  const auto tag = [&](const std::string& key, const std::string& value) {
    service.Text("TagResource", R"({"ResourceArn":)" + kArn + R"(,"Tags":[{"Key":")" + key +
                                    R"(","Value":")" + value + R"("}]})");
  };
  const auto untag = [&](const std::string& key) {
    service.Text("UntagResource",
                 R"({"ResourceArn":)" + kArn + R"(,"TagKeys":[")" + key + R"("]})");
  };
  const auto spec = [&] { return service.tables.DescribeTable("tab").value().spec; };
  tag("mayfly:purge-within", "10000");
  tag("mayfly:ttl-mode", "until-swept");
  EXPECT_EQ(spec().purge_within, Millis(10'000));
  ASSERT_TRUE(service.tables
                  .UpdateTable("tab", {.ttl_mode = TtlMode::kExact, .purge_within = Millis(60'000)})
                  .has_value());
  tag("owner", "me");
  EXPECT_EQ(spec().purge_within, Millis(60'000)) << "another tag";
  EXPECT_EQ(spec().ttl_mode, TtlMode::kExact);
  tag("mayfly:purge-within", "10000");
  EXPECT_EQ(spec().purge_within, Millis(10'000)) << "the same words, but not what is in force";
  tag("mayfly:ttl-mode", "until-swept");
  EXPECT_EQ(spec().ttl_mode, TtlMode::kUntilSwept);
  untag("mayfly:purge-within");
  EXPECT_EQ(spec().purge_within, std::nullopt);
  ASSERT_TRUE(service.tables.UpdateTable("tab", {.purge_within = Millis(60'000)}).has_value());
  untag("mayfly:purge-within");
  EXPECT_EQ(spec().purge_within, Millis(60'000)) << "there was no tag to take off";
}

TEST(StreamOperations, RecordsAreReadOnceEach) {
  FakeService service;
  service.CreateTable(
      "tab", R"(,"StreamSpecification":{"StreamEnabled":true,"StreamViewType":"NEW_IMAGE"})");
  for (std::uint64_t i = 5; i < 8; ++i) {
    StreamRecord record;
    record.sequence = i;
    record.kind = i < 7 ? StreamRecord::Kind::kInsert : StreamRecord::Kind::kRemove;
    record.by_ttl = i == 7;
    record.at = service.clock.Now();
    record.keys = {{"p", "1"}};
    service.tables.records.push_back(record);
  }
  const std::string arn = R"("arn:aws:dynamodb:mayfly:000000000000:table/tab/stream/label-1")";
  const std::string stream = "DynamoDBStreams_20120810.";
  const json::object described =
      service.Call(stream + "DescribeStream", R"({"StreamArn":)" + arn + "}");
  EXPECT_EQ(At(described, {"StreamDescription", "StreamStatus"}), "ENABLED");
  const std::string shard(
      View(At(described, {"StreamDescription", "Shards"}).at(0).at("ShardId").as_string()));
  const auto iterator = [&](const std::string& type) {
    const json::object reply = service.Call(stream + "GetShardIterator",
                                            R"({"StreamArn":)" + arn + R"(,"ShardId":")" + shard +
                                                R"(","ShardIteratorType":)" + type + "}");
    EXPECT_EQ(service.status, 200) << ToText(reply);
    return std::string(View(reply.at("ShardIterator").as_string()));
  };
  const auto records = [&](const std::string& place, const std::string& limit = "1000") {
    return service.Call(stream + "GetRecords",
                        R"({"ShardIterator":")" + place + R"(","Limit":)" + limit + "}");
  };
  const json::object first = records(iterator(R"("TRIM_HORIZON")"), "2");
  EXPECT_EQ(first.at("Records").as_array().size(), 2u) << ToText(first);
  const json::object second = records(std::string(View(first.at("NextShardIterator").as_string())));
  const json::value& death = second.at("Records").at(0);
  EXPECT_EQ(death.at("eventName"), "REMOVE");
  EXPECT_EQ(death.at("userIdentity").at("PrincipalId"), "dynamodb.amazonaws.com");
  EXPECT_EQ(death.at("userIdentity").at("Type"), "Service");
  EXPECT_EQ(death.at("dynamodb").at("SequenceNumber"), "000000000000000000007");
  EXPECT_EQ(first.at("Records").at(0).as_object().if_contains("userIdentity"), nullptr);
  EXPECT_TRUE(records(iterator(R"("LATEST")")).at("Records").as_array().empty());
  EXPECT_EQ(records(iterator(R"("AFTER_SEQUENCE_NUMBER","SequenceNumber":"000000000000000000006")"))
                .at("Records")
                .as_array()
                .size(),
            1u);
  const std::string old = iterator(R"("TRIM_HORIZON")");
  service.clock.Advance(std::chrono::minutes(15));
  EXPECT_TRUE(records(old).contains("Records"));
  service.clock.Advance(Millis(1));
  EXPECT_TRUE(service.Error(stream + "GetRecords", R"({"ShardIterator":")" + old + R"("})")
                  .starts_with("ExpiredIteratorException"));
  for (const std::string bad : {"x", "|", "||", "a|1|2", "a|b|c"}) {
    EXPECT_TRUE(service.Error(stream + "GetRecords", R"({"ShardIterator":")" + bad + R"("})")
                    .starts_with("ValidationException"))
        << bad;
  }
}

}  // namespace
}  // namespace mayfly::dynamo
