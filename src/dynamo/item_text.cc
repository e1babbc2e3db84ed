#include "dynamo/item_text.h"

#include <algorithm>
#include <string_view>

#include "dynamo/base64.h"

namespace mayfly::dynamo {
namespace {

void AppendItem(const Item& item, std::string& to);
void AppendValue(const AttributeValue& value, std::string& to);

// What JSON wants escaped, and nothing else: texts are UTF-8 already.
bool NeedsEscape(char c) { return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20; }

void AppendEscaped(char c, std::string& to) {
  constexpr std::string_view kHex = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  if (byte >= 0x20) {
    to += '\\';
    to += c;
  } else {
    to += "\\u00";
    to += kHex[byte >> 4];
    to += kHex[byte & 15];
  }
}

void AppendQuoted(std::string_view text, std::string& to) {
  to += '"';
  while (!text.empty()) {
    const auto* const stop = std::find_if(text.begin(), text.end(), NeedsEscape);
    const auto plain = static_cast<std::size_t>(stop - text.begin());
    to.append(text.substr(0, plain));
    if (plain == text.size()) break;
    AppendEscaped(text[plain], to);
    text.remove_prefix(plain + 1);
  }
  to += '"';
}

template <typename Range, typename Append>
void AppendList(const Range& range, std::string& to, Append append) {
  to += '[';
  bool first = true;
  for (const auto& element : range) {
    if (!first) to += ',';
    first = false;
    append(element);
  }
  to += ']';
}

void AppendContent(const AttributeValue& value, std::string& to) {
  const auto quoted = [&](const std::string& text) { AppendQuoted(text, to); };
  const auto number = [&](const Number& one) { AppendQuoted(one.text(), to); };
  const auto binary = [&](const Binary& one) { AppendQuoted(ToBase64(one.bytes), to); };
  switch (value.type()) {
    case AttributeType::kString: return quoted(*value.string());
    case AttributeType::kNumber: return number(*value.number());
    case AttributeType::kBinary: return binary(*value.binary());
    case AttributeType::kBool: to += *value.boolean() ? "true" : "false"; return;
    case AttributeType::kNull: to += "true"; return;
    case AttributeType::kList:
      return AppendList(*value.list(), to, [&](const auto& one) { AppendValue(one, to); });
    case AttributeType::kMap: return AppendItem(*value.map(), to);
    case AttributeType::kStringSet: return AppendList(*value.string_set(), to, quoted);
    case AttributeType::kNumberSet: return AppendList(*value.number_set(), to, number);
    case AttributeType::kBinarySet: return AppendList(*value.binary_set(), to, binary);
  }
}

void AppendValue(const AttributeValue& value, std::string& to) {
  to += "{\"";
  to += AttributeTypeName(value.type());
  to += "\":";
  AppendContent(value, to);
  to += '}';
}

void AppendItem(const Item& item, std::string& to) {
  to += '{';
  bool first = true;
  for (const auto& [name, value] : item) {
    if (!first) to += ',';
    first = false;
    AppendQuoted(name, to);
    to += ':';
    AppendValue(value, to);
  }
  to += '}';
}

}  // namespace

std::string ItemText(const Item& item) {
  std::string text;
  AppendItem(item, text);
  return text;
}

std::string ItemsText(const std::vector<Item>& items) {
  std::string text;
  AppendList(items, text, [&](const Item& item) { AppendItem(item, text); });
  return text;
}

}  // namespace mayfly::dynamo
