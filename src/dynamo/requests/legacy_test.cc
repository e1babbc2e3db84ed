// Goal: the legacy parameters are translated to their expressions, and never mix with them.
// Method: requests on fake tables, which record the expressions they get.
#include "dynamo/requests/legacy.h"

#include <gtest/gtest.h>

#include "dynamo/testing/fake_service.h"

namespace mayfly::dynamo {
namespace {

class Legacy : public testing::Test {
 protected:
  Legacy() { service_.CreateTable("tab"); }

  // The condition a PutItem with this Expected has, names put in.
  std::string Condition(const std::string& expected, const std::string& more = "") {
    service_.Text("PutItem", R"({"TableName":"tab","Item":{"p":{"S":"1"}},"Expected":)" + expected +
                                 more + "}");
    return Filled(service_.tables.put.condition, service_.tables.put.arguments);
  }

  static std::string Filled(std::string text, const ExpressionArguments& arguments) {
    const auto replace = [&](const std::string& from, const std::string& to) {
      for (auto at = text.find(from); at != std::string::npos; at = text.find(from)) {
        text.replace(at, from.size(), to);
      }
    };
    for (const auto& [placeholder, name] : arguments.names) replace(placeholder, name);
    for (const auto& [placeholder, value] : arguments.values) {
      replace(placeholder, value.string() != nullptr   ? "'" + *value.string() + "'"
                           : value.number() != nullptr ? value.number()->text()
                                                       : "(other)");
    }
    return text;
  }

  FakeService service_;
};

TEST_F(Legacy, ExpectedBecomesACondition) {
  EXPECT_EQ(Condition(R"({"a":{"Value":{"S":"x"}}})"), "a = 'x'");
  EXPECT_EQ(Condition(R"({"a":{"Exists":true,"Value":{"N":"1"}}})"), "a = 1");
  EXPECT_EQ(Condition(R"({"a":{"Exists":false}})"), "attribute_not_exists(a)");
  EXPECT_EQ(Condition(R"({"a":{"ComparisonOperator":"GE","AttributeValueList":[{"N":"5"}]},
                          "b":{"ComparisonOperator":"NOT_NULL"}})"),
            "a >= 5 AND attribute_exists(b)");
  EXPECT_EQ(Condition(R"({"a":{"Value":{"S":"x"}},"b":{"Exists":false}})",
                      R"(,"ConditionalOperator":"OR")"),
            "a = 'x' OR attribute_not_exists(b)");
  EXPECT_EQ(
      Condition(R"({"a":{"ComparisonOperator":"IN","AttributeValueList":[{"N":"1"},{"N":"2"}]}})"),
      "a IN (1, 2)");
  EXPECT_EQ(
      Condition(
          R"({"a":{"ComparisonOperator":"BETWEEN","AttributeValueList":[{"N":"1"},{"N":"2"}]}})"),
      "a BETWEEN 1 AND 2");
  EXPECT_EQ(
      Condition(R"({"a":{"ComparisonOperator":"NOT_CONTAINS","AttributeValueList":[{"S":"q"}]}})"),
      "NOT contains(a, 'q')");
  EXPECT_EQ(Condition("{}"), "");
}

TEST_F(Legacy, UpdatesBecomeClauses) {
  service_.Text("UpdateItem", R"({"TableName":"tab","Key":{"p":{"S":"1"}},"AttributeUpdates":{
      "a":{"Action":"PUT","Value":{"S":"x"}}, "b":{"Value":{"N":"2"}}, "c":{"Action":"DELETE"},
      "d":{"Action":"ADD","Value":{"N":"3"}}, "e":{"Action":"DELETE","Value":{"SS":["m"]}}}})");
  EXPECT_EQ(Filled(service_.tables.update.update, service_.tables.update.arguments),
            "ADD d 3 DELETE e (other) REMOVE c SET a = 'x', b = 2");
}

TEST_F(Legacy, AListIsAppendedByAdd) {
  service_.Text("UpdateItem", R"({"TableName":"tab","Key":{"p":{"S":"1"}},"AttributeUpdates":{
      "l":{"Action":"ADD","Value":{"L":[{"N":"3"}]}}}})");
  EXPECT_EQ(service_.tables.update.update, "SET #m0 = list_append(if_not_exists(#m0, :m0), :m1)");
}

TEST_F(Legacy, QueriesAndScansAreTranslated) {
  service_.Text("Query", R"({"TableName":"tab","KeyConditions":{
      "p":{"ComparisonOperator":"EQ","AttributeValueList":[{"S":"1"}]},
      "s":{"ComparisonOperator":"BEGINS_WITH","AttributeValueList":[{"S":"a"}]}},
      "QueryFilter":{"f":{"ComparisonOperator":"NE","AttributeValueList":[{"N":"7"}]}},
      "AttributesToGet":["x","p"]})");
  const QueryRequest& query = service_.tables.query;
  EXPECT_EQ(Filled(query.key_condition, query.arguments), "p = '1' AND begins_with(s, 'a')");
  EXPECT_EQ(Filled(query.filter, query.arguments), "f <> 7");
  EXPECT_EQ(Filled(query.projection, query.arguments), "x, p");
  service_.Text("Scan", R"({"TableName":"tab","ScanFilter":{
      "a":{"ComparisonOperator":"NULL"},"b":{"ComparisonOperator":"CONTAINS","AttributeValueList":[{"S":"z"}]}},
      "ConditionalOperator":"OR"})");
  const ScanRequest& scan = service_.tables.scan;
  EXPECT_EQ(Filled(scan.filter, scan.arguments), "attribute_not_exists(a) OR contains(b, 'z')");
}

TEST_F(Legacy, BothMannersInOneRequestAreRefused) {
  EXPECT_EQ(service_.Error("PutItem", R"json({"TableName":"tab","Item":{"p":{"S":"1"}},
      "Expected":{"a":{"Exists":false}},"ConditionExpression":"attribute_not_exists(a)"})json"),
            "ValidationException: Can not use both expression and non-expression parameters in the "
            "same request: Non-expression parameters: {Expected} Expression parameters: "
            "{ConditionExpression}");
  EXPECT_EQ(service_.Error("Query", R"({"TableName":"tab","KeyConditionExpression":"p = :p",
      "AttributesToGet":["a"],"QueryFilter":{}})"),
            "ValidationException: Can not use both expression and non-expression parameters in the "
            "same request: Non-expression parameters: {AttributesToGet, QueryFilter} Expression "
            "parameters: {KeyConditionExpression}");
}

TEST_F(Legacy, WhatDoesNotFitIsRefused) {
  const auto refused = [&](const std::string& expected, const std::string& more = "") {
    return service_.Error("PutItem", R"({"TableName":"tab","Item":{"p":{"S":"1"}},"Expected":)" +
                                         expected + more + "}");
  };
  EXPECT_EQ(refused(R"({"a":{"ComparisonOperator":"BETWEEN","AttributeValueList":[{"N":"1"}]}})"),
            "ValidationException: One or more parameter values were invalid: Invalid number of "
            "argument(s) for the BETWEEN ComparisonOperator");
  EXPECT_EQ(refused(R"({"a":{}})"),
            "ValidationException: One or more parameter values were invalid: Value must be "
            "provided when Exists is null for Attribute: a");
  EXPECT_EQ(refused(R"({"a":{"Exists":false}})", R"(,"ConditionalOperator":"OR")"),
            "ValidationException: ConditionalOperator can only be used when Filter or Expected has "
            "two or more elements");
  EXPECT_EQ(
      refused(R"({"a":{"Exists":false},"b":{"Exists":false}})", R"(,"ConditionalOperator":"XOR")"),
      "ValidationException: 1 validation error detected: Value 'XOR' at "
      "'conditionalOperator' failed to satisfy constraint: Member must satisfy enum value "
      "set: [OR, AND]");
  EXPECT_EQ(service_.Error("Scan", R"({"TableName":"tab","AttributesToGet":[]})"),
            "ValidationException: 1 validation error detected: Value '[]' at 'attributesToGet' "
            "failed to satisfy constraint: Member must have length greater than or equal to 1");
  EXPECT_EQ(service_.Error("Query", R"({"TableName":"tab","KeyConditions":{
      "p":{"ComparisonOperator":"NE","AttributeValueList":[{"S":"1"}]}}})"),
            "ValidationException: Attempted conditional constraint is not an indexable operation");
  EXPECT_EQ(service_.Error("UpdateItem", R"({"TableName":"tab","Key":{"p":{"S":"1"}},
      "AttributeUpdates":{"a":{"Action":"ADD","Value":{"S":"x"}}}})"),
            "ValidationException: One or more parameter values were invalid: ADD action is not "
            "supported for the type S");
}

}  // namespace
}  // namespace mayfly::dynamo
