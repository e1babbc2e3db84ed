// Goal: no text breaks the parsers, and accepted ones can be evaluated. Method: the first byte
// chooses the kind; the rest is the expression, or each byte of it a token, which gets further. The
// item and the placeholders have values of every type.
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

#include "base/check.h"
#include "expressions/condition.h"
#include "expressions/key_condition.h"
#include "expressions/projection.h"
#include "expressions/update.h"

namespace mayfly::expressions {
namespace {

ExpressionArguments Given() {
  ExpressionArguments given;
  // clang-format off
  given.names = {
      {"#a", "a"},
      {"#m", "m"},
      {"#0", "name"}
  };
  given.values = {
      {":n", Number(5)},
      {":s", "text"},
      {":b", Binary{"bytes"}},
      {":t", true},
      {":u", Null()},
      {":l", AttributeValue::List{"a", Number(1)}},
      {":m", Item{{"a", Number(1)}}},
      {":S", AttributeValue::StringSet{"a", "b"}},
      {":N", AttributeValue::NumberSet{Number(1), Number(2)}},
      {":B", AttributeValue::BinarySet{Binary{"a"}}},
      {":y", "S"},
  };
  // clang-format on
  return given;
}

constexpr std::string_view kTokens[] = {
    "a",
    "s",
    "b",
    "l",
    "m",
    "S",
    "N",
    "B",
    "x",
    "name",
    "#a",
    "#m",
    "#0",
    "#x",
    ":n",
    ":s",
    ":b",
    ":t",
    ":u",
    ":l",
    ":m",
    ":S",
    ":N",
    ":B",
    ":y",
    ":x",
    "(",
    ")",
    "[",
    "]",
    ",",
    ".",
    "0",
    "1",
    "2",
    "99",
    "=",
    "<>",
    "<",
    "<=",
    ">",
    ">=",
    "+",
    "-",
    "AND",
    "OR",
    "NOT",
    "BETWEEN",
    "IN",
    "SET",
    "REMOVE",
    "ADD",
    "DELETE",
    "size(",
    "l[0]",
    "m.l[1]",
    "a = :n",
    "contains(",
    "m.a",
    "begins_with(",
    "m.m.new",
    "m.m.x",
    "!",
    "attribute_exists(",
    "attribute_not_exists(",
    "attribute_type(",
    "if_not_exists(",
    "list_append(",
};

std::string Spelled(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) {
    text += kTokens[static_cast<unsigned char>(byte) % std::size(kTokens)];
    text += ' ';
  }
  return text;
}

const Item& TheItem() {
  // clang-format off
  static const Item item = {
      {"a", Number(7)},
      {"s", "some text"},
      {"b", Binary{"bytes"}},
      {"l", AttributeValue::List{"a", Number(1), AttributeValue::List{true, Null()}}},
      {"m", Item{{"a", Number(1)}, {"l", AttributeValue::List{"x"}}, {"m", Item{}}}},
      {"S", AttributeValue::StringSet{"a", "b"}},
      {"N", AttributeValue::NumberSet{Number(1)}},
      {"B", AttributeValue::BinarySet{Binary{"a"}}},
  };
  // clang-format on
  return item;
}

void CheckRefusal(const Status& status) {
  MAYFLY_CHECK(status.code() == StatusCode::kInvalid && !status.message().empty(),
               "a refusal without words");
}

void TryCondition(std::string_view text, Arguments& arguments) {
  const auto condition = Condition::Parse(text, Condition::Role::kCondition, arguments);
  if (!condition) return CheckRefusal(condition.error());
  (void)condition->Holds(TheItem());
  (void)condition->Holds({});
  (void)condition->Attributes();
}

void TryUpdate(std::string_view text, Arguments& arguments) {
  const auto update = Update::Parse(text, arguments);
  if (!update) return CheckRefusal(update.error());
  const auto after = update->Apply(TheItem());
  if (!after) return CheckRefusal(after.error());
  (void)update->Touched(*after);
  const auto attributes = update->Attributes();
  for (const auto& [name, value] : TheItem()) {
    const auto found = after->find(name);
    MAYFLY_CHECK(attributes.contains(name) || (found != after->end() && found->second == value),
                 "an attribute changed that the update does not name");
  }
}

void TryProjection(std::string_view text, Arguments& arguments) {
  const auto projection = Projection::Parse(text, arguments);
  if (!projection) return CheckRefusal(projection.error());
  const Item part = projection->Of(TheItem());
  const auto attributes = projection->Attributes();
  for (const auto& [name, value] : part) {
    MAYFLY_CHECK(attributes.contains(name) && TheItem().contains(name), "more than was wanted");
  }
}

void TryKeyCondition(std::string_view text, Arguments& arguments) {
  const auto condition = KeyCondition::Parse(text, {"s", KeyType::kString},
                                             KeyAttribute{"a", KeyType::kNumber}, arguments);
  if (!condition) return CheckRefusal(condition.error());
  MAYFLY_CHECK(condition->partition.string() != nullptr, "a partition of another type");
}

}  // namespace
}  // namespace mayfly::expressions

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mayfly;
  if (size == 0) return 0;
  static const ExpressionArguments given = expressions::Given();
  expressions::Arguments arguments(given);
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string text = data[0] % 8 < 4 ? expressions::Spelled(rest) : std::string(rest);
  switch (data[0] % 4) {
    case 0: expressions::TryCondition(text, arguments); break;
    case 1: expressions::TryUpdate(text, arguments); break;
    case 2: expressions::TryProjection(text, arguments); break;
    default: expressions::TryKeyCondition(text, arguments); break;
  }
  return 0;
}
