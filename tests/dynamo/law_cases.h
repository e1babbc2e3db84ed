// law_cases.h - for every operation, a request about an item that dies, and where its life shows.
// One millisecond before the item's instant an operation replies as if it had none; at it and
// after, as if the item had never existed. So no reply has to be written down, and an operation
// that is added without a line fails the test. The words with an @ are those of law_words.h.
#pragma once

#include <array>
#include <string_view>

namespace mayfly::dynamo {

// Where a living item makes a difference: so a case cannot pass without one.
enum class Tells : unsigned char {
  kReply,     // In the reply.
  kContents,  // Not in the reply, but in the contents afterwards.
  kNothing,   // Nowhere: it overwrites any item.
  kDeadline,  // In the reply, which also shows whether there is a deadline.
  kRemoved,   // It returns how many dead items it removed, which were still stored.
  kNoItem,    // It reads no item; the reason stands in place of the body.
};

struct LawCase {
  std::string_view operation;
  Tells tells;
  std::string_view body;
};

// Columns of its own would drift apart over so many lines.
// clang-format off
inline constexpr auto kLawCases = std::to_array<LawCase>({
    {"CreateTable", Tells::kNoItem, "a new table has no items"},
    {"DescribeTable", Tells::kReply, R"({@in})"},
    {"ListTables", Tells::kNoItem, "names tables, which do not die"},
    {"UpdateTable", Tells::kReply, R"({@in,"BillingMode":"PAY_PER_REQUEST"})"},
    {"UpdateTable", Tells::kReply, R"({@in,"GlobalSecondaryIndexUpdates":
        [{"Delete":{"IndexName":"by_topic"}}]})"},
    {"UpdateTable", Tells::kReply, R"({@in,
        "AttributeDefinitions":[{"AttributeName":"title","AttributeType":"S"}],
        "GlobalSecondaryIndexUpdates":[{"Create":{"IndexName":"by_title",
          "KeySchema":[{"AttributeName":"title","KeyType":"HASH"}],
          "Projection":{"ProjectionType":"ALL"}}}]})"},
    {"DeleteTable", Tells::kReply, R"({@in})"},

    {"PutItem", Tells::kNothing, R"({@in,"Item":@new})"},
    {"PutItem", Tells::kReply, R"({@in,"Item":@new,"ReturnValues":"ALL_OLD"})"},
    {"PutItem", Tells::kReply, R"({@in,"Item":@new,@units})"},
    {"PutItem", Tells::kReply, R"j({@in,"Item":@new,
        "ConditionExpression":"attribute_exists(p)"})j"},
    {"PutItem", Tells::kReply, R"j({@in,"Item":@new,
        "ConditionExpression":"attribute_not_exists(p)"})j"},
    {"PutItem", Tells::kReply, R"j({@in,"Item":@new,
        "ConditionExpression":"attribute_exists(nothing)",
        "ReturnValuesOnConditionCheckFailure":"ALL_OLD"})j"},
    {"PutItem", Tells::kReply, R"({@in,"Item":@new,"ConditionExpression":"title = :t",
        "ExpressionAttributeValues":{":t":{"S":"old"}}})"},
    {"PutItem", Tells::kReply, R"({@in,"Item":@new,"Expected":{"title":{"Exists":false}}})"},

    {"GetItem", Tells::kReply, R"({@in,"Key":@key})"},
    {"GetItem", Tells::kReply, R"({@in,"Key":@key,"ConsistentRead":true})"},
    {"GetItem", Tells::kReply, R"({@in,"Key":@key,"ProjectionExpression":"title"})"},
    {"GetItem", Tells::kReply, R"({@in,"Key":@key,"ProjectionExpression":"nothing",@units})"},

    {"UpdateItem", Tells::kContents, R"({@in,"Key":@key})"},
    {"UpdateItem", Tells::kContents, R"({@in,"Key":@key,"UpdateExpression":"REMOVE title"})"},
    {"UpdateItem", Tells::kContents, R"({@in,"Key":@key,"UpdateExpression":"SET score = :n",
        @nine})"},
    {"UpdateItem", Tells::kReply, R"({@in,"Key":@key,"UpdateExpression":"SET extra = :n",@nine,
        "ReturnValues":"ALL_NEW"})"},
    {"UpdateItem", Tells::kReply, R"({@in,"Key":@key,"UpdateExpression":"SET extra = :n",@nine,
        "ReturnValues":"ALL_OLD"})"},
    {"UpdateItem", Tells::kReply, R"({@in,"Key":@key,"UpdateExpression":"SET title = :n",@nine,
        "ReturnValues":"UPDATED_OLD"})"},
    {"UpdateItem", Tells::kReply, R"({@in,"Key":@key,"UpdateExpression":"ADD hits :n",@nine,
        "ReturnValues":"UPDATED_NEW"})"},
    {"UpdateItem", Tells::kReply, R"({@in,"Key":@key,"UpdateExpression":"SET hits = hits + :n",
        @nine})"},
    {"UpdateItem", Tells::kReply, R"j({@in,"Key":@key,
        "UpdateExpression":"SET title = if_not_exists(title, :n)",@nine,
        "ReturnValues":"UPDATED_NEW"})j"},
    {"UpdateItem", Tells::kReply, R"j({@in,"Key":@key,"UpdateExpression":"REMOVE title",
        "ConditionExpression":"attribute_exists(hits)"})j"},
    {"UpdateItem", Tells::kReply, R"j({@in,"Key":@key,"UpdateExpression":"REMOVE title",
        "ConditionExpression":"attribute_not_exists(hits)"})j"},
    {"UpdateItem", Tells::kReply, R"({@in,"Key":@key,"UpdateExpression":"REMOVE padding",@units})"},
    {"UpdateItem", Tells::kReply, R"({@in,"Key":@key,"AttributeUpdates":{"hits":{"Action":"ADD",
        "Value":{"N":"9"}}},"ReturnValues":"ALL_NEW"})"},

    {"DeleteItem", Tells::kNothing, R"({@in,"Key":@key})"},
    {"DeleteItem", Tells::kReply, R"({@in,"Key":@key,"ReturnValues":"ALL_OLD"})"},
    {"DeleteItem", Tells::kReply, R"({@in,"Key":@key,@units})"},
    {"DeleteItem", Tells::kReply, R"j({@in,"Key":@key,
        "ConditionExpression":"attribute_exists(title)"})j"},
    {"DeleteItem", Tells::kReply, R"j({@in,"Key":@key,
        "ConditionExpression":"attribute_not_exists(title)"})j"},

    {"BatchGetItem", Tells::kReply, R"({"RequestItems":{"law":{"Keys":[@key,@other]}}})"},
    {"BatchGetItem", Tells::kReply, R"({"RequestItems":{"law":{"Keys":[@key],
        "ProjectionExpression":"nothing"}},@units})"},
    {"BatchWriteItem", Tells::kNothing, R"({"RequestItems":{"law":[
        {"PutRequest":{"Item":@new}}]}})"},
    {"BatchWriteItem", Tells::kNothing, R"({"RequestItems":{"law":[
        {"DeleteRequest":{"Key":@key}}]}})"},
    {"BatchWriteItem", Tells::kContents, R"({"RequestItems":{"law":[
        {"DeleteRequest":{"Key":@other}}]}})"},
    {"BatchWriteItem", Tells::kReply, R"({"RequestItems":{"law":[{"PutRequest":{"Item":@new}}]},
        @units})"},

    {"Query", Tells::kReply, R"({@in,@home})"},
    {"Query", Tells::kReply, R"({@in,"KeyConditionExpression":"p = :p AND s = :s",
        "ExpressionAttributeValues":{":p":{"S":"home"},":s":{"N":"1"}}})"},
    {"Query", Tells::kReply, R"({@in,@home,"ScanIndexForward":false})"},
    {"Query", Tells::kReply, R"({@in,@home,"Limit":1})"},
    {"Query", Tells::kReply, R"({@in,@home,"Select":"COUNT"})"},
    {"Query", Tells::kReply, R"({@in,"KeyConditionExpression":"p = :p",
        "FilterExpression":"title = :t","ExpressionAttributeValues":{":p":{"S":"home"},
        ":t":{"S":"other"}}})"},
    {"Query", Tells::kReply, R"({@in,@home,@units})"},
    {"Query", Tells::kContents, R"({@in,@home,"ExclusiveStartKey":@key})"},
    {"Query", Tells::kReply, R"({@in,"KeyConditions":{"p":{"ComparisonOperator":"EQ",
        "AttributeValueList":[{"S":"home"}]}}})"},
    {"Query", Tells::kReply, R"({@in,"IndexName":"by_topic",@topic})"},
    {"Query", Tells::kReply, R"({@in,"IndexName":"by_topic",@topic,"Limit":1})"},
    {"Query", Tells::kReply, R"({@in,"IndexName":"by_topic",@topic,"ScanIndexForward":false})"},
    {"Query", Tells::kReply, R"({@in,"IndexName":"by_topic",@topic,"Select":"COUNT"})"},
    {"Query", Tells::kReply, R"({@in,"IndexName":"by_score",
        "KeyConditionExpression":"p = :p AND score < :s",
        "ExpressionAttributeValues":{":p":{"S":"home"},":s":{"N":"6"}}})"},
    {"Query", Tells::kReply, R"({@in,"IndexName":"by_score",@home,"Select":"ALL_ATTRIBUTES"})"},
    {"Query", Tells::kReply, R"({@in,"IndexName":"by_score",@home,"Select":"COUNT"})"},

    {"Scan", Tells::kReply, R"({@in})"},
    {"Scan", Tells::kReply, R"({@in,"ConsistentRead":true,"Segment":0,"TotalSegments":1})"},
    {"Scan", Tells::kReply, R"({@in,"Limit":1})"},
    {"Scan", Tells::kReply, R"({@in,"Select":"COUNT"})"},
    {"Scan", Tells::kReply, R"({@in,"FilterExpression":"title = :t",
        "ExpressionAttributeValues":{":t":{"S":"old"}}})"},
    {"Scan", Tells::kReply, R"({@in,"ScanFilter":{"title":{"ComparisonOperator":"EQ",
        "AttributeValueList":[{"S":"old"}]}}})"},
    {"Scan", Tells::kContents, R"({@in,"ExclusiveStartKey":@key})"},
    {"Scan", Tells::kReply, R"({@in,"IndexName":"by_topic"})"},
    {"Scan", Tells::kReply, R"({@in,"IndexName":"by_topic","Select":"COUNT"})"},
    {"Scan", Tells::kReply, R"({@in,"IndexName":"by_score","Limit":1})"},
    {"Scan", Tells::kReply, R"({@in,"IndexName":"by_score","Select":"ALL_ATTRIBUTES"})"},
    {"Scan", Tells::kReply, R"({@in,"IndexName":"by_score","Select":"COUNT"})"},

    {"TransactGetItems", Tells::kReply, R"({"TransactItems":[{"Get":{@in,"Key":@key}},{"Get":{@in,
        "Key":@other}}]})"},
    {"TransactGetItems", Tells::kReply, R"({"TransactItems":[{"Get":{@in,"Key":@key,
        "ProjectionExpression":"nothing"}}],@units})"},
    {"TransactWriteItems", Tells::kReply, R"j({"TransactItems":[{"ConditionCheck":{@in,"Key":@key,
        "ConditionExpression":"attribute_exists(title)"}},{"Delete":{@in,"Key":@other}}]})j"},
    {"TransactWriteItems", Tells::kReply, R"j({"TransactItems":[{"ConditionCheck":{@in,"Key":@key,
        "ConditionExpression":"attribute_not_exists(title)"}},{"Delete":{@in,"Key":@other}}]})j"},
    {"TransactWriteItems", Tells::kReply, R"j({"TransactItems":[{"ConditionCheck":{@in,"Key":@key,
        "ConditionExpression":"attribute_exists(nothing)",
        "ReturnValuesOnConditionCheckFailure":"ALL_OLD"}},{"Delete":{@in,"Key":@other}}]})j"},
    {"TransactWriteItems", Tells::kNothing, R"({"TransactItems":[{"Put":{@in,"Item":@new}}]})"},
    {"TransactWriteItems", Tells::kReply, R"j({"TransactItems":[{"Put":{@in,"Item":@new,
        "ConditionExpression":"attribute_not_exists(p)"}}]})j"},
    {"TransactWriteItems", Tells::kContents, R"({"TransactItems":[{"Update":{@in,"Key":@key,
        "UpdateExpression":"REMOVE title"}}]})"},
    {"TransactWriteItems", Tells::kReply, R"({"TransactItems":[{"Update":{@in,"Key":@key,
        "UpdateExpression":"SET hits = hits + :n",@nine}}]})"},
    {"TransactWriteItems", Tells::kNothing, R"({"TransactItems":[{"Delete":{@in,"Key":@key}}]})"},
    {"TransactWriteItems", Tells::kReply, R"j({"TransactItems":[{"Delete":{@in,"Key":@key,
        "ConditionExpression":"attribute_exists(p)"}}]})j"},
    {"TransactWriteItems", Tells::kReply, R"({"TransactItems":[{"Put":{@in,"Item":@new}}],
        @units})"},

    {"ExecuteStatement", Tells::kReply, R"({"Statement":"SELECT * FROM law"})"},
    {"ExecuteStatement", Tells::kReply, R"({"Statement":"SELECT title FROM law WHERE p = 'home' )"
        R"(ORDER BY s DESC"})"},
    {"ExecuteStatement", Tells::kReply, R"({"Statement":"SELECT title FROM law WHERE p = 'home'","Limit":1})"},
    {"ExecuteStatement", Tells::kReply, R"({"Statement":"SELECT * FROM law WHERE p = 'home' AND s = 1"})"},
    {"ExecuteStatement", Tells::kReply, R"({"Statement":"SELECT * FROM law WHERE p IN ['home', 'x'] )"
        R"(AND title = 'old'"})"},
    {"ExecuteStatement", Tells::kReply, R"({"Statement":"SELECT * FROM law.by_topic"})"},
    {"ExecuteStatement", Tells::kReply, R"({"Statement":"INSERT INTO law VALUE )"
        R"({'p': 'home', 's': 1}"})"},
    {"ExecuteStatement", Tells::kReply, R"({"Statement":"INSERT INTO law VALUE ?",
        "Parameters":[{"M":@new}]})"},
    {"ExecuteStatement", Tells::kReply, R"({"Statement":"UPDATE law SET extra = 1 )"
        R"(WHERE p = 'home' AND s = 1 RETURNING ALL NEW *"})"},
    {"ExecuteStatement", Tells::kReply, R"({"Statement":"UPDATE law REMOVE title )"
        R"(WHERE p = 'home' AND s = 1 AND title = 'old'"})"},
    {"ExecuteStatement", Tells::kReply, R"({"Statement":"DELETE FROM law WHERE p = 'home' AND s = 1 )"
        R"(RETURNING ALL OLD *"})"},
    {"ExecuteStatement", Tells::kReply, R"({"Statement":"DELETE FROM law WHERE p = 'home' AND s = 1 )"
        R"(AND nothing = 1","ReturnValuesOnConditionCheckFailure":"ALL_OLD"})"},
    {"BatchExecuteStatement", Tells::kReply, R"({"Statements":[
        {"Statement":"SELECT * FROM law WHERE p = 'home' AND s = 1"}]})"},
    {"BatchExecuteStatement", Tells::kReply, R"({"Statements":[
        {"Statement":"INSERT INTO law VALUE {'p': 'home', 's': 1}"}]})"},
    {"ExecuteTransaction", Tells::kReply, R"({"TransactStatements":[
        {"Statement":"SELECT * FROM law WHERE p = 'home' AND s = 1"}]})"},
    {"ExecuteTransaction", Tells::kReply, R"j({"TransactStatements":[
        {"Statement":"EXISTS(SELECT * FROM law WHERE p = 'home' AND s = 1 AND title = 'old')"},
        {"Statement":"INSERT INTO law VALUE {'p': 'new', 's': 1}"}]})j"},
    {"ExecuteTransaction", Tells::kReply, R"({"TransactStatements":[
        {"Statement":"UPDATE law SET extra = 1 WHERE p = 'home' AND s = 1"}]})"},

    {"UpdateTimeToLive", Tells::kContents, R"({@in,
        "TimeToLiveSpecification":{"AttributeName":"expires","Enabled":false}})"},
    {"DescribeTimeToLive", Tells::kNoItem, "tells what the table was told"},
    {"SetTTL", Tells::kReply, R"({@in,"Key":@key,"TtlSeconds":50})"},
    {"RemoveTTL", Tells::kDeadline, R"({@in,"Key":@key})"},
    {"GetTTL", Tells::kDeadline, R"({@in,"Key":@key})"},
    {"SweepExpiredTTL", Tells::kRemoved, R"({@in})"},
    {"SweepExpiredTTL", Tells::kRemoved, R"({@in,"Limit":1})"},

    {"TagResource", Tells::kContents, R"({@arn,"Tags":[{"Key":"mayfly:ttl-mode",
        "Value":"until-swept"}]})"},
    {"UntagResource", Tells::kContents, R"({@arn,"TagKeys":["team"]})"},
    {"ListTagsOfResource", Tells::kNoItem, "tells what the table was told"},

    {"ListStreams", Tells::kNoItem, "names streams, which do not die with items"},
    {"DescribeStream", Tells::kNoItem, "tells of records; they stay when their item dies"},
    {"GetShardIterator", Tells::kNoItem, "names a place among records"},
    {"GetRecords", Tells::kNoItem, "tells what happened, deaths too: see stream_law_test.cc"},

    {"DescribeEndpoints", Tells::kNoItem, "tells of the service"},
    {"DescribeLimits", Tells::kNoItem, "tells of the service"},
    {"DescribeContinuousBackups", Tells::kNoItem, "there are none"},
});
// clang-format on

}  // namespace mayfly::dynamo
