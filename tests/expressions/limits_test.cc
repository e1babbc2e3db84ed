// Goal: expressions are as large as DynamoDB allows and no larger, and none exhausts the stack.
// Method: each limit on it and one past it; texts that nest as deep as their bytes allow.
#include "expressions/syntax/limits.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "expressions/condition.h"
#include "expressions/key_condition.h"
#include "expressions/projection.h"
#include "expressions/syntax/reserved_words.h"
#include "expressions/update.h"

namespace mayfly::expressions {
namespace {

ExpressionArguments LimitsArguments() {
  ExpressionArguments given;
  given.values = {{":v", Number(1)}};
  return given;
}

std::string SaidOfFilter(const std::string& text) {
  const ExpressionArguments given = LimitsArguments();
  Arguments arguments(given);
  return std::string(
      Condition::Parse(text, Condition::Role::kFilter, arguments).status().message());
}

std::string SaidOfUpdate(const std::string& text) {
  const ExpressionArguments given = LimitsArguments();
  Arguments arguments(given);
  return std::string(Update::Parse(text, arguments).status().message());
}

std::string Repeated(const std::string& text, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += text;
  return all;
}

TEST(ExpressionLimits, BoundTheBytes) {
  const std::string rest = " = :v";
  EXPECT_EQ(SaidOfFilter(std::string(4096 - rest.size(), 'a') + rest), "");
  EXPECT_EQ(SaidOfFilter(std::string(4097 - rest.size(), 'a') + rest),
            "Invalid FilterExpression: Expression size has exceeded the maximum allowed size; "
            "expression size: 4097");
}

// Whatever is written is part of the item, so an update that writes more makes none.
TEST(ExpressionLimits, BoundWhatAnUpdateWrites) {
  const auto said = [](const std::string& text, std::size_t bytes) {
    ExpressionArguments given;
    // A list of one string: three bytes and one more for the element.
    given.values[":v"] = AttributeValue::List{std::string(bytes - 4, 'x')};
    Arguments arguments(given);
    const auto update = Update::Parse(text, arguments);
    return std::string((update ? update->Apply({}).status() : update.status()).message());
  };
  const std::string refusal = "Item size to update has exceeded the maximum allowed size";
  EXPECT_EQ(said("SET a = :v, b = :v, c = :v, d = :v", 102'400), "");
  EXPECT_EQ(said("SET a = :v, b = :v, c = :v, d = :v", 102'401), refusal);
  EXPECT_EQ(said("SET a = list_append(:v, :v)", 204'801), "");
  EXPECT_EQ(said("SET a = list_append(if_not_exists(a, list_append(:v, :v)), :v)", 200'000),
            refusal);
}

TEST(ExpressionLimits, BoundTheOperators) {
  // A comparison each, and an AND between two: 299. The function is the 300th, one NOT too many.
  const std::string most = Repeated("a=:v AND ", 149) + "a=:v AND ";
  EXPECT_EQ(SaidOfFilter(Repeated("a=:v AND ", 149) + "NOT a=:v"), "");
  EXPECT_EQ(SaidOfFilter(most + "attribute_exists(b)"),
            "Invalid FilterExpression: The expression contains too many operators; operator count: "
            "301");
  // The AND of a BETWEEN is none.
  EXPECT_EQ(SaidOfFilter(Repeated("a BETWEEN b AND c OR ", 149) + "NOT a=:v"), "");
  std::string update = "SET ";
  for (int i = 0; i < 300; ++i) update += fmt::format("{}a{}=b+:v", i == 0 ? "" : ",", i);
  EXPECT_EQ(SaidOfUpdate(update), "");
  EXPECT_EQ(SaidOfUpdate(update + ",c=d-:v"),
            "Invalid UpdateExpression: The expression contains too many operators; operator count: "
            "301");
}

TEST(ExpressionLimits, BoundTheOperandsOfIn) {
  EXPECT_EQ(SaidOfFilter("a IN (" + Repeated(":v,", 99) + ":v)"), "");
  EXPECT_EQ(SaidOfFilter("a IN (" + Repeated(":v,", 100) + ":v)"),
            "Invalid FilterExpression: The IN operator is provided with too many operands; number "
            "of operands: 101");
}

TEST(ExpressionLimits, BoundTheStepsOfAPath) {
  const std::string whole = "a" + Repeated(".b", 31);
  EXPECT_EQ(SaidOfFilter(whole + " = :v"), "");
  EXPECT_EQ(SaidOfFilter(whole + "[0] = :v"),
            "Invalid FilterExpression: The document path has too many nesting levels; nesting "
            "levels: 33");
  EXPECT_EQ(SaidOfUpdate("SET " + whole + " = :v"), "");
  EXPECT_EQ(SaidOfUpdate("SET " + whole + ".b = :v"),
            "Invalid UpdateExpression: The document path has too many nesting levels; nesting "
            "levels: 33");
  const ExpressionArguments given = LimitsArguments();
  Arguments arguments(given);
  EXPECT_TRUE(Projection::Parse(whole, arguments).has_value());
  EXPECT_FALSE(Projection::Parse(whole + ".b", arguments).has_value());
}

TEST(ExpressionLimits, EndBeforeTheStackDoes) {
  const std::string redundant =
      "Invalid FilterExpression: The expression has redundant parentheses;";
  EXPECT_EQ(SaidOfFilter(Repeated("(", 4096)), redundant);
  EXPECT_EQ(SaidOfFilter("a = " + Repeated("(", 4000)), redundant);
  EXPECT_EQ(SaidOfUpdate("SET a = " + Repeated("(", 4000)),
            "Invalid UpdateExpression: The expression has redundant parentheses;");
  EXPECT_EQ(SaidOfFilter(Repeated("NOT ", 299) + "a = :v"), "");
  EXPECT_EQ(SaidOfFilter(Repeated("NOT ", 300) + "a = :v"),
            "Invalid FilterExpression: The expression contains too many operators; operator count: "
            "301");
  EXPECT_EQ(SaidOfFilter(Repeated("NOT (", 299) + "a = :v" + Repeated(")", 299)), "");
  EXPECT_EQ(SaidOfFilter(Repeated("size(", 299) + "a" + Repeated(")", 299) + " = :v"),
            "Invalid FilterExpression: Incorrect operand type for operator or function; operator "
            "or function: size, operand type: N");
}

TEST(ReservedWords, AreKnownInAnyCase) {
  for (const char* word : {"ABORT", "abort", "Zone", "TTL", "name", "flattern", "size", "And"}) {
    EXPECT_TRUE(IsReservedWord(word)) << word;
  }
  for (const char* word : {"", "aborts", "zones", "pk", "id", "remove", "a", "zzz"}) {
    EXPECT_FALSE(IsReservedWord(word)) << word;
  }
}

}  // namespace
}  // namespace mayfly::expressions
