#include "items/item_codec.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/coding.h"
#include "items/item_size.h"
#include "items/limits.h"

namespace mayfly::items {
namespace {

// Stored; append, never renumber.
constexpr char kFormat = 1;

Bytes TextOf(const std::string& member) { return member; }
Bytes TextOf(const Number& member) { return member.text(); }
Bytes TextOf(const Binary& member) { return member.bytes; }

template <typename Set>
void AppendSet(std::string& out, const Set& set) {
  AppendVarint(out, set.size());
  for (const auto& member : set) AppendSized(out, TextOf(member));
}

void AppendValue(std::string& out, const AttributeValue& value);

void AppendMap(std::string& out, const Item& map) {
  AppendVarint(out, map.size());
  for (const auto& [name, value] : map) {
    AppendSized(out, name);
    AppendValue(out, value);
  }
}

void AppendValue(std::string& out, const AttributeValue& value) {
  out.push_back(static_cast<char>(value.type()));
  switch (value.type()) {
    case AttributeType::kString: return AppendSized(out, *value.string());
    case AttributeType::kNumber: return AppendSized(out, value.number()->text());
    case AttributeType::kBinary: return AppendSized(out, value.binary()->bytes);
    case AttributeType::kBool: return out.push_back(*value.boolean() ? 1 : 0);
    case AttributeType::kNull: return;
    case AttributeType::kList:
      AppendVarint(out, value.list()->size());
      for (const AttributeValue& element : *value.list()) AppendValue(out, element);
      return;
    case AttributeType::kMap: return AppendMap(out, *value.map());
    case AttributeType::kStringSet: return AppendSet(out, *value.string_set());
    case AttributeType::kNumberSet: return AppendSet(out, *value.number_set());
    case AttributeType::kBinarySet: return AppendSet(out, *value.binary_set());
  }
}

bool Eat(Bytes& in, std::string& text) {
  Bytes bytes;
  if (!EatSized(in, bytes)) return false;
  text = bytes;
  return true;
}

bool Eat(Bytes& in, Number& number) {
  Bytes bytes;
  if (!EatSized(in, bytes)) return false;
  auto parsed = Number::Parse(bytes);
  if (!parsed || parsed->text() != bytes) return false;
  number = *std::move(parsed);
  return true;
}

bool Eat(Bytes& in, Binary& binary) { return Eat(in, binary.bytes); }

// Everything takes a byte at least, so a count past the bytes there are is damage.
bool EatCount(Bytes& in, std::size_t& count) {
  std::uint64_t number = 0;
  if (!EatVarint(in, number) || number > in.size()) return false;
  count = static_cast<std::size_t>(number);
  return true;
}

template <typename Set>
std::optional<AttributeValue> TakeSet(Bytes& in) {
  std::size_t count = 0;
  if (!EatCount(in, count)) return std::nullopt;
  Set set;
  for (; count > 0; --count) {
    typename Set::value_type member;
    if (!Eat(in, member)) return std::nullopt;
    if (!set.empty() && !(*set.rbegin() < member)) return std::nullopt;
    set.insert(set.end(), std::move(member));
  }
  return AttributeValue(std::move(set));
}

template <typename Scalar>
std::optional<AttributeValue> TakeScalar(Bytes& in) {
  Scalar scalar;
  if (!Eat(in, scalar)) return std::nullopt;
  return AttributeValue(std::move(scalar));
}

std::optional<AttributeValue> TakeValue(Bytes& in, std::size_t levels_left);

std::optional<Item> TakeMap(Bytes& in, std::size_t levels_left) {
  std::size_t count = 0;
  if (!EatCount(in, count)) return std::nullopt;
  Item map;
  for (; count > 0; --count) {
    std::string name;
    if (!Eat(in, name)) return std::nullopt;
    if (!map.empty() && map.rbegin()->first >= name) return std::nullopt;
    auto value = TakeValue(in, levels_left);
    if (!value) return std::nullopt;
    map.emplace_hint(map.end(), std::move(name), *std::move(value));
  }
  return map;
}

std::optional<AttributeValue> TakeList(Bytes& in, std::size_t levels_left) {
  std::size_t count = 0;
  if (!EatCount(in, count)) return std::nullopt;
  AttributeValue::List list;
  list.reserve(std::min<std::size_t>(count, 1024));  // A damaged count costs no memory.
  for (; count > 0; --count) {
    auto element = TakeValue(in, levels_left);
    if (!element) return std::nullopt;
    list.push_back(*std::move(element));
  }
  return AttributeValue(std::move(list));
}

std::optional<AttributeValue> TakeBool(Bytes& in) {
  if (in.empty() || static_cast<unsigned char>(in.front()) > 1) return std::nullopt;
  const bool value = in.front() != 0;
  in.remove_prefix(1);
  return AttributeValue(value);
}

std::optional<AttributeValue> TakeValue(Bytes& in, std::size_t levels_left) {
  if (in.empty()) return std::nullopt;
  const auto type = static_cast<AttributeType>(in.front());
  in.remove_prefix(1);
  switch (type) {
    case AttributeType::kString: return TakeScalar<std::string>(in);
    case AttributeType::kNumber: return TakeScalar<Number>(in);
    case AttributeType::kBinary: return TakeScalar<Binary>(in);
    case AttributeType::kBool: return TakeBool(in);
    case AttributeType::kNull: return AttributeValue(Null());
    case AttributeType::kList:
      return levels_left == 0 ? std::nullopt : TakeList(in, levels_left - 1);
    case AttributeType::kMap: {
      if (levels_left == 0) return std::nullopt;
      auto map = TakeMap(in, levels_left - 1);
      if (!map) return std::nullopt;
      return AttributeValue(*std::move(map));
    }
    case AttributeType::kStringSet: return TakeSet<AttributeValue::StringSet>(in);
    case AttributeType::kNumberSet: return TakeSet<AttributeValue::NumberSet>(in);
    case AttributeType::kBinarySet: return TakeSet<AttributeValue::BinarySet>(in);
  }
  return std::nullopt;
}

}  // namespace

std::string EncodeItem(const Item& item, std::uint64_t version) {
  for (const auto& [name, value] : item) {
    MAYFLY_CHECK(DepthOf(value) <= kStoredDepthMax, "an item nested too deep to be read again");
  }
  std::string out(1, kFormat);
  AppendVarint(out, version);
  AppendMap(out, item);
  return out;
}

Result<StoredItem> DecodeItem(Bytes bytes) {
  if (bytes.empty()) return Status::Corruption("an item without bytes; check the database");
  if (bytes.front() != kFormat) {
    return Status::Unsupported("an item in a format this build does not know; use a newer mayfly");
  }
  bytes.remove_prefix(1);
  StoredItem stored;
  if (!EatVarint(bytes, stored.version)) {
    return Status::Corruption("an item with a damaged version; check the database");
  }
  auto item = TakeMap(bytes, kStoredDepthMax);
  if (!item || !bytes.empty()) {
    return Status::Corruption("an item with damaged attributes; check the database");
  }
  stored.item = *std::move(item);
  return stored;
}

}  // namespace mayfly::items
