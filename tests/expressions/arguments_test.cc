// Goal: placeholders are well formed and all used, or refused in DynamoDB's words.
// Method: requests with one fault each, and several expressions that share their placeholders.
#include "expressions/syntax/arguments.h"

#include <gtest/gtest.h>

#include "expressions/condition.h"
#include "expressions/projection.h"

namespace mayfly::expressions {
namespace {

TEST(Arguments, HaveAForm) {
  const struct {
    const char* name;
    bool fine;
    // clang-format off
  } cases[] = {
      {"#a",   true},
      {"#A_1", true},
      {"#1",   true},
      {"#_",   true},
      {"#",    false},
      {"a",    false},
      {":a",   false},
      {"#a-b", false},
      {"##a",  false},
      {"",     false},
  };
  // clang-format on
  for (const auto& c : cases) {
    ExpressionArguments given;
    given.names = {{c.name, "x"}};
    const Status status = Arguments(given).CheckForm();
    const std::string refusal =
        std::string("ExpressionAttributeNames contains invalid key: Syntax error; key: \"") +
        c.name + "\"";
    EXPECT_EQ(std::string(status.message()), c.fine ? "" : refusal);
  }
  ExpressionArguments given;
  given.values = {{"v", Number(1)}};
  EXPECT_EQ(Arguments(given).CheckForm().message(),
            "ExpressionAttributeValues contains invalid key: Syntax error; key: \"v\"");
  given.values = {{":v", Number(1)}};
  EXPECT_TRUE(Arguments(given).CheckForm().ok());
  given.names = {{"#n", ""}};
  EXPECT_EQ(Arguments(given).CheckForm().message(),
            "ExpressionAttributeNames contains invalid value: Empty attribute name for key #n");
  given.names = {{"#" + std::string(255, 'n'), "x"}};
  EXPECT_EQ(Arguments(given).CheckForm().message(),
            "ExpressionAttributeNames contains invalid key: The expression attribute map contains "
            "a key that is too long; size of key: 256");
}

TEST(Arguments, AreTwoMegabytesTogetherAtMost) {
  constexpr std::size_t kMax = std::size_t{2} << 20;
  const auto said = [](std::size_t name, std::size_t value) {
    ExpressionArguments given;
    given.names["#n"] = std::string(name - 2, 'x');
    given.values[":v"] = std::string(value - 2, 'x');
    return std::string(Arguments(given).CheckForm().message());
  };
  EXPECT_EQ(said(1000, kMax - 1000), "");
  EXPECT_EQ(said(1000, kMax - 999),
            "Combined size of ExpressionAttributeNames and ExpressionAttributeValues exceeds max "
            "size");
  EXPECT_EQ(said(kMax + 1, 2), "ExpressionAttributeNames exceeds max size");
  EXPECT_EQ(said(3, kMax + 1), "ExpressionAttributeValues exceeds max size");
}

TEST(Arguments, AreCopiedOnceHoweverOftenTheyAreNamed) {
  ExpressionArguments given;
  given.values[":v"] = "value";
  Arguments arguments(given);
  const auto once = arguments.Value(":v");
  ASSERT_NE(once, nullptr);
  EXPECT_EQ(*once, AttributeValue("value"));
  EXPECT_EQ(arguments.Value(":v"), once);
  EXPECT_EQ(arguments.Value(":w"), nullptr);
}

TEST(Arguments, AreUsedByOneExpressionOrAnother) {
  ExpressionArguments given;
  given.names = {{"#a", "a"}, {"#b", "b"}, {"#c", "c"}};
  given.values = {{":v", Number(1)}, {":w", Number(2)}};
  Arguments arguments(given);
  EXPECT_EQ(arguments.CheckAllUsed(true).message(),
            "Value provided in ExpressionAttributeNames unused in expressions: keys: {#a, #b, #c}");
  ASSERT_TRUE(Condition::Parse("#a = :v", Condition::Role::kFilter, arguments).has_value());
  EXPECT_EQ(arguments.CheckAllUsed(true).message(),
            "Value provided in ExpressionAttributeNames unused in expressions: keys: {#b, #c}");
  ASSERT_TRUE(Projection::Parse("#a, x.#b, #c", arguments).has_value());
  EXPECT_EQ(arguments.CheckAllUsed(true).message(),
            "Value provided in ExpressionAttributeValues unused in expressions: keys: {:w}");
  ASSERT_TRUE(Condition::Parse("a = :w", Condition::Role::kFilter, arguments).has_value());
  EXPECT_TRUE(arguments.CheckAllUsed(true).ok());
}

TEST(Arguments, NeedAnExpression) {
  ExpressionArguments given;
  EXPECT_TRUE(Arguments(given).CheckAllUsed(false).ok());
  given.values = {{":v", Number(1)}};
  EXPECT_EQ(Arguments(given).CheckAllUsed(false).message(),
            "ExpressionAttributeValues can only be specified when using expressions");
  given.names = {{"#a", "a"}};
  EXPECT_EQ(Arguments(given).CheckAllUsed(false).message(),
            "ExpressionAttributeNames can only be specified when using expressions");
}

}  // namespace
}  // namespace mayfly::expressions
