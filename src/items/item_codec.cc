#include "items/item_codec.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/coding.h"
#include "items/item_grammar.h"
#include "items/item_size.h"
#include "items/limits.h"

namespace mayfly::items {
namespace {

// A maker of item_grammar.h, for everything: it writes what ReadStored() reads.
struct Encoder {
  std::string& out;

  bool String(Bytes text) { return Scalar(AttributeType::kString, text); }
  bool Number(Bytes text) { return Scalar(AttributeType::kNumber, text); }
  bool Binary(Bytes bytes) { return Scalar(AttributeType::kBinary, bytes); }
  void Bool(bool value) {
    Begin(AttributeType::kBool);
    out.push_back(value ? 1 : 0);
  }
  void Null() { Begin(AttributeType::kNull); }
  Encoder List(std::size_t count) { return Set(AttributeType::kList, count); }
  Encoder Map(std::size_t count) { return Set(AttributeType::kMap, count); }
  Encoder Set(AttributeType type, std::size_t count) {
    Begin(type);
    AppendVarint(out, count);
    return *this;
  }
  Encoder Element() { return *this; }
  Encoder Attribute(Bytes name) {
    AppendSized(out, name);
    return *this;
  }
  bool Member(Bytes bytes) {
    AppendSized(out, bytes);
    return true;
  }
  void Done() {}

  void Begin(AttributeType type) { out.push_back(static_cast<char>(type)); }
  bool Scalar(AttributeType type, Bytes bytes) {
    Begin(type);
    return Member(bytes);
  }
};

// Appends a member; members out of order are refused.
template <typename Set>
bool Append(Set& set, typename Set::value_type member) {
  if (!set.empty() && !(*set.rbegin() < member)) return false;
  set.insert(set.end(), std::move(member));
  return true;
}

// Refuses numbers that are not in normal form.
std::optional<Number> NumberOf(Bytes text) {
  auto parsed = Number::Parse(text);
  if (!parsed || parsed->text() != text) return std::nullopt;
  return *std::move(parsed);
}

// Makers of item_grammar.h that fill a value in place.
struct SetBuilder {
  AttributeValue& to;

  bool Member(Bytes text) {
    if (auto* const strings = to.string_set()) return Append(*strings, std::string(text));
    if (auto* const binaries = to.binary_set()) return Append(*binaries, Binary{std::string(text)});
    auto number = NumberOf(text);
    return number && Append(*to.number_set(), *std::move(number));
  }
  void Done() {}
};

struct ListBuilder;
struct MapBuilder;

struct ValueBuilder {
  AttributeValue& to;

  bool String(Bytes text) {
    to = std::string(text);
    return true;
  }
  bool Number(Bytes text) {
    auto number = NumberOf(text);
    if (!number) return false;
    to = *std::move(number);
    return true;
  }
  bool Binary(Bytes text) {
    to = mayfly::Binary{std::string(text)};
    return true;
  }
  void Bool(bool value) { to = value; }
  void Null() { to = mayfly::Null(); }
  ListBuilder List(std::size_t count);
  MapBuilder Map(std::size_t count);
  SetBuilder Set(AttributeType type, std::size_t /*count*/) {
    if (type == AttributeType::kStringSet) to = AttributeValue::StringSet();
    if (type == AttributeType::kNumberSet) to = AttributeValue::NumberSet();
    if (type == AttributeType::kBinarySet) to = AttributeValue::BinarySet();
    return {to};
  }
};

// The values that the next two fill are lists and maps: the creator of the builder made them so.
// NOLINTBEGIN(clang-analyzer-core.CallAndMessage)
struct ListBuilder {
  AttributeValue::List& to;

  ValueBuilder Element() { return {to.emplace_back()}; }
  void Done() {}
};

struct MapBuilder {
  Item& to;

  ValueBuilder Attribute(Bytes name) {
    return {to.try_emplace(to.end(), std::string(name))->second};
  }
  void Done() {}
};
// NOLINTEND(clang-analyzer-core.CallAndMessage)

ListBuilder ValueBuilder::List(std::size_t count) {
  to = AttributeValue::List();
  to.list()->reserve(std::min<std::size_t>(count, 1024));  // A damaged count costs no memory.
  return {*to.list()};
}

MapBuilder ValueBuilder::Map(std::size_t /*count*/) {
  to = Item();
  return {*to.map()};
}

}  // namespace

std::string EncodeItem(const Item& item, std::uint64_t version) {
  for (const auto& [name, value] : item) {
    MAYFLY_CHECK(DepthOf(value) <= kStoredDepthMax, "an item nested too deep to be read again");
  }
  std::string out(1, kItemFormat);
  AppendVarint(out, version);
  AppendVarint(out, item.size());
  Emit(item, Encoder{out});
  return out;
}

Result<StoredItem> DecodeItem(Bytes bytes) {
  StoredItem stored;
  MAYFLY_TRY(stored.version, ReadStored(bytes, MapBuilder{stored.item}));
  return stored;
}

}  // namespace mayfly::items
