// item.h - items of tables: maps of named attributes, in DynamoDB's types.
//
//   mayfly::Item item = {{"user", "alice"}, {"age", mayfly::Number(42)}};
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "mayfly/result.h"

namespace mayfly {

// A decimal of up to 38 digits, its first one between 1E-130 and 9E+125; positive, negative or
// zero. Exact: nothing is rounded. Kept in its one normal form, plain digits without an exponent,
// so that equal numbers are equal texts.
class Number {
 public:
  Number() = default;                                           // 0.
  Number(std::int64_t value) : text_(std::to_string(value)) {}  // NOLINT: a number is one.

  // Parses digits with an optional sign, point and exponent: "12", "-0.5", "6.02E23". Invalid: not
  // a number, more than 38 digits, too large or too small; the message is DynamoDB's.
  static Result<Number> Parse(std::string_view text);

  const std::string& text() const { return text_; }

  // By value.
  friend std::strong_ordering operator<=>(const Number& a, const Number& b);
  friend bool operator==(const Number& a, const Number& b) { return a.text_ == b.text_; }

 private:
  friend struct NumberAccess;  // Makes a Number of a text that is known to be in normal form.

  std::string text_ = "0";
};

// Exact, or Invalid when the result has more than 38 digits or is out of range.
Result<Number> Add(const Number& a, const Number& b);
Result<Number> Subtract(const Number& a, const Number& b);

// Stored; append, never renumber.
enum class AttributeType : std::uint8_t {
  kString = 0,
  kNumber = 1,
  kBinary = 2,
  kBool = 3,
  kNull = 4,
  kList = 5,
  kMap = 6,
  kStringSet = 7,
  kNumberSet = 8,
  kBinarySet = 9,
};

// DynamoDB's short name: "S", "N", "B", "BOOL", "NULL", "L", "M", "SS", "NS", "BS".
std::string_view AttributeTypeName(AttributeType type);

class AttributeValue;
using Item = std::map<std::string, AttributeValue, std::less<>>;

// A value of type kBinary.
struct Binary {
  std::string bytes;
  friend auto operator<=>(const Binary&, const Binary&) = default;
};

struct Null {
  friend bool operator==(Null, Null) = default;
};

class AttributeValue {
 public:
  using List = std::vector<AttributeValue>;
  using Map = Item;
  using StringSet = std::set<std::string>;
  using NumberSet = std::set<Number>;
  using BinarySet = std::set<Binary>;

  AttributeValue() : value_(Null()) {}
  // NOLINTBEGIN(google-explicit-constructor): a literal is a value.
  AttributeValue(std::string text) : value_(std::move(text)) {}
  AttributeValue(const char* text) : value_(std::string(text)) {}
  AttributeValue(Number number) : value_(std::move(number)) {}
  AttributeValue(Binary bytes) : value_(std::move(bytes)) {}
  AttributeValue(bool value) : value_(value) {}
  AttributeValue(Null null) : value_(null) {}
  AttributeValue(List list) : value_(std::move(list)) {}
  AttributeValue(Map map) : value_(std::move(map)) {}
  AttributeValue(StringSet set) : value_(std::move(set)) {}
  AttributeValue(NumberSet set) : value_(std::move(set)) {}
  AttributeValue(BinarySet set) : value_(std::move(set)) {}
  // NOLINTEND(google-explicit-constructor)
  AttributeValue(std::int64_t) = delete;  // Say Number(): a string of digits is something else.
  AttributeValue(int) = delete;

  AttributeType type() const { return static_cast<AttributeType>(value_.index()); }

  // Each returns null when the value is of another type.
  const std::string* string() const { return std::get_if<std::string>(&value_); }
  const Number* number() const { return std::get_if<Number>(&value_); }
  const Binary* binary() const { return std::get_if<Binary>(&value_); }
  const bool* boolean() const { return std::get_if<bool>(&value_); }
  const List* list() const { return std::get_if<List>(&value_); }
  const Map* map() const { return std::get_if<Map>(&value_); }
  const StringSet* string_set() const { return std::get_if<StringSet>(&value_); }
  const NumberSet* number_set() const { return std::get_if<NumberSet>(&value_); }
  const BinarySet* binary_set() const { return std::get_if<BinarySet>(&value_); }
  List* list() { return std::get_if<List>(&value_); }
  Map* map() { return std::get_if<Map>(&value_); }
  StringSet* string_set() { return std::get_if<StringSet>(&value_); }
  NumberSet* number_set() { return std::get_if<NumberSet>(&value_); }
  BinarySet* binary_set() { return std::get_if<BinarySet>(&value_); }

  bool is_null() const { return type() == AttributeType::kNull; }

  // True if the types are the same and the values equal. Numbers compare by value.
  friend bool operator==(const AttributeValue& a, const AttributeValue& b);

 private:
  // In the order of AttributeType.
  std::variant<std::string, Number, Binary, bool, Null, List, Map, StringSet, NumberSet, BinarySet>
      value_;
};

}  // namespace mayfly
