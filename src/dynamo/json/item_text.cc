#include "dynamo/json/item_text.h"

#include <algorithm>
#include <string_view>

#include "dynamo/json/base64.h"
#include "items/item_grammar.h"

namespace mayfly::dynamo {
namespace {

// Characters that JSON requires to be escaped, and no others: texts are UTF-8 already.
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

// Builders for item_grammar.h that write text.
class SetWriter {
 public:
  SetWriter(std::string& to, bool binary) : to_(to), binary_(binary) {}

  bool Member(Bytes text) {
    if (!first_) to_ += ',';
    first_ = false;
    binary_ ? AppendQuoted(ToBase64(text), to_) : AppendQuoted(text, to_);
    return true;
  }
  void Done() { to_ += "]}"; }

 private:
  std::string& to_;
  const bool binary_;
  bool first_ = true;
};

class ListWriter;
class MapWriter;

class ValueWriter {
 public:
  explicit ValueWriter(std::string& to) : to_(to) {}

  bool String(Bytes text) { return Quoted("{\"S\":", text); }
  bool Number(Bytes text) { return Quoted("{\"N\":", text); }
  bool Binary(Bytes bytes) { return Quoted("{\"B\":", ToBase64(bytes)); }
  void Bool(bool value) { to_ += value ? "{\"BOOL\":true}" : "{\"BOOL\":false}"; }
  void Null() { to_ += "{\"NULL\":true}"; }
  ListWriter List(std::size_t count);
  MapWriter Map(std::size_t count);
  SetWriter Set(AttributeType type, std::size_t /*count*/) {
    to_ += "{\"";
    to_ += AttributeTypeName(type);
    to_ += "\":[";
    return {to_, type == AttributeType::kBinarySet};
  }

 private:
  bool Quoted(std::string_view begin, std::string_view text) {
    to_ += begin;
    AppendQuoted(text, to_);
    to_ += '}';
    return true;
  }

  std::string& to_;
};

class ListWriter {
 public:
  explicit ListWriter(std::string& to) : to_(to) { to_ += "{\"L\":["; }

  ValueWriter Element() {
    if (!first_) to_ += ',';
    first_ = false;
    return ValueWriter(to_);
  }
  void Done() { to_ += "]}"; }

 private:
  std::string& to_;
  bool first_ = true;
};

class MapWriter {
 public:
  MapWriter(std::string& to, std::string_view begin, std::string_view end) : to_(to), end_(end) {
    to_ += begin;
  }

  ValueWriter Attribute(Bytes name) {
    if (!first_) to_ += ',';
    first_ = false;
    AppendQuoted(name, to_);
    to_ += ':';
    return ValueWriter(to_);
  }
  void Done() { to_ += end_; }

 private:
  std::string& to_;
  const std::string_view end_;
  bool first_ = true;
};

ListWriter ValueWriter::List(std::size_t /*count*/) { return ListWriter(to_); }
MapWriter ValueWriter::Map(std::size_t /*count*/) { return {to_, "{\"M\":{", "}}"}; }

}  // namespace

void AppendItem(const Item& item, std::string& to) { items::Emit(item, MapWriter(to, "{", "}")); }

Status AppendStoredItem(Bytes stored, std::string& to) {
  return items::ReadStored(stored, MapWriter(to, "{", "}")).status();
}

std::string ItemText(const Item& item) {
  std::string text;
  AppendItem(item, text);
  return text;
}

}  // namespace mayfly::dynamo
