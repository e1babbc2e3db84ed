#include "expressions/value_text.h"

#include <fmt/format.h>

#include <utility>

#include "base/check.h"

namespace mayfly::expressions {
namespace {

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  AttributeValue Whole() {
    AttributeValue value = Value();
    MAYFLY_CHECK(Skip() == '\0', "something behind a value");
    return value;
  }

 private:
  // The next character that is no space; 0 at the end.
  char Skip() {
    while (text_.starts_with(' ')) text_.remove_prefix(1);
    return text_.empty() ? '\0' : text_.front();
  }

  bool Eat(std::string_view word) {
    Skip();
    if (!text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }

  std::string Until(std::string_view ends) {
    const std::size_t size = std::min(text_.find_first_of(ends), text_.size());
    std::string part(text_.substr(0, size));
    text_.remove_prefix(size);
    return part;
  }

  std::string Quoted() {
    std::string part = Until("'");
    MAYFLY_CHECK(Eat("'"), "a quote that does not end");
    return part;
  }

  AttributeValue Value() {
    if (Eat("'")) return Quoted();
    if (Eat("b'")) return Binary{Quoted()};
    if (Eat("true")) return true;
    if (Eat("false")) return false;
    if (Eat("null")) return Null();
    if (Eat("[")) return ReadList("]");
    if (Eat("<")) return ReadSet();
    if (Eat("{")) return ReadMap();
    const auto number = Number::Parse(Until(" ,]>}"));
    MAYFLY_CHECK(number.has_value(), "a value that is none");
    return *number;
  }

  AttributeValue::List ReadList(std::string_view end) {
    AttributeValue::List list;
    while (!Eat(end)) {
      list.push_back(Value());
      Eat(",");
    }
    return list;
  }

  AttributeValue ReadSet() {
    AttributeValue::StringSet strings;
    AttributeValue::NumberSet numbers;
    AttributeValue::BinarySet binaries;
    for (const AttributeValue& member : ReadList(">")) {
      if (member.string() != nullptr) strings.insert(*member.string());
      if (member.number() != nullptr) numbers.insert(*member.number());
      if (member.binary() != nullptr) binaries.insert(*member.binary());
    }
    if (!numbers.empty()) return numbers;
    if (!binaries.empty()) return binaries;
    return strings;
  }

  AttributeValue ReadMap() {
    Item map;
    while (!Eat("}")) {
      Skip();
      std::string name = Until(":");
      MAYFLY_CHECK(Eat(":"), "a name without a value");
      map.emplace(std::move(name), Value());
      Eat(",");
    }
    return map;
  }

  std::string_view text_;
};

template <typename Elements>
std::string Joined(const char* open, const Elements& elements, const char* close) {
  std::string text;
  for (const auto& element : elements) {
    if (!text.empty()) text += ", ";
    text += TextOf(AttributeValue(element));
  }
  return open + text + close;
}

}  // namespace

AttributeValue ValueOf(std::string_view text) { return Reader(text).Whole(); }

Item ItemOf(std::string_view text) {
  const AttributeValue value = ValueOf(text);
  MAYFLY_CHECK(value.map() != nullptr, "an item that is none");
  return *value.map();
}

std::string TextOf(const AttributeValue& value) {
  switch (value.type()) {
    case AttributeType::kString: return fmt::format("'{}'", *value.string());
    case AttributeType::kNumber: return value.number()->text();
    case AttributeType::kBinary: return fmt::format("b'{}'", value.binary()->bytes);
    case AttributeType::kBool: return *value.boolean() ? "true" : "false";
    case AttributeType::kNull: return "null";
    case AttributeType::kList: return Joined("[", *value.list(), "]");
    case AttributeType::kStringSet: return Joined("<", *value.string_set(), ">");
    case AttributeType::kNumberSet: return Joined("<", *value.number_set(), ">");
    case AttributeType::kBinarySet: return Joined("<", *value.binary_set(), ">");
    case AttributeType::kMap: break;
  }
  std::string text;
  for (const auto& [name, element] : *value.map()) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", name, TextOf(element));
  }
  return "{" + text + "}";
}

}  // namespace mayfly::expressions
