#include "items/item_codec.h"

#include <algorithm>
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

// EatSized, for lengths of one byte in place: nearly all are.
bool EatText(Bytes& in, Bytes& text) {
  const std::size_t size = in.empty() ? 0 : static_cast<unsigned char>(in.front());
  if (size >= 0x80 || size >= in.size()) return EatSized(in, text);
  text = in.substr(1, size);
  in.remove_prefix(1 + size);
  return true;
}

bool Eat(Bytes& in, std::string& text) {
  Bytes bytes;
  if (!EatText(in, bytes)) return false;
  text = bytes;
  return true;
}

bool Eat(Bytes& in, Number& number) {
  Bytes bytes;
  if (!EatText(in, bytes)) return false;
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

// The Eat functions below fill `to` where it stands, in its node or list.
template <typename Set>
bool EatSet(Bytes& in, AttributeValue& to) {
  std::size_t count = 0;
  if (!EatCount(in, count)) return false;
  Set set;
  for (; count > 0; --count) {
    typename Set::value_type member;
    if (!Eat(in, member)) return false;
    if (!set.empty() && !(*set.rbegin() < member)) return false;
    set.insert(set.end(), std::move(member));
  }
  to = std::move(set);
  return true;
}

template <typename Scalar>
bool EatScalar(Bytes& in, AttributeValue& to) {
  Scalar scalar;
  if (!Eat(in, scalar)) return false;
  to = std::move(scalar);
  return true;
}

bool EatValue(Bytes& in, std::size_t levels_left, AttributeValue& to);

bool EatMap(Bytes& in, std::size_t levels_left, Item& map) {
  std::size_t count = 0;
  if (!EatCount(in, count)) return false;
  for (; count > 0; --count) {
    Bytes name;
    if (!EatText(in, name)) return false;
    if (!map.empty() && map.rbegin()->first >= name) return false;
    const auto added = map.try_emplace(map.end(), std::string(name));
    if (!EatValue(in, levels_left, added->second)) return false;
  }
  return true;
}

bool EatList(Bytes& in, std::size_t levels_left, AttributeValue& to) {
  std::size_t count = 0;
  if (!EatCount(in, count)) return false;
  AttributeValue::List list;
  list.reserve(std::min<std::size_t>(count, 1024));  // A damaged count costs no memory.
  for (; count > 0; --count) {
    if (!EatValue(in, levels_left, list.emplace_back())) return false;
  }
  to = std::move(list);
  return true;
}

bool EatBool(Bytes& in, AttributeValue& to) {
  if (in.empty() || static_cast<unsigned char>(in.front()) > 1) return false;
  to = in.front() != 0;
  in.remove_prefix(1);
  return true;
}

bool EatValue(Bytes& in, std::size_t levels_left, AttributeValue& to) {
  if (in.empty()) return false;
  const auto type = static_cast<AttributeType>(in.front());
  in.remove_prefix(1);
  switch (type) {
    case AttributeType::kString: return EatScalar<std::string>(in, to);
    case AttributeType::kNumber: return EatScalar<Number>(in, to);
    case AttributeType::kBinary: return EatScalar<Binary>(in, to);
    case AttributeType::kBool: return EatBool(in, to);
    case AttributeType::kNull: to = Null(); return true;
    case AttributeType::kList: return levels_left > 0 && EatList(in, levels_left - 1, to);
    case AttributeType::kMap: {
      to = Item();
      return levels_left > 0 && EatMap(in, levels_left - 1, *to.map());
    }
    case AttributeType::kStringSet: return EatSet<AttributeValue::StringSet>(in, to);
    case AttributeType::kNumberSet: return EatSet<AttributeValue::NumberSet>(in, to);
    case AttributeType::kBinarySet: return EatSet<AttributeValue::BinarySet>(in, to);
  }
  return false;
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
  if (!EatMap(bytes, kStoredDepthMax, stored.item) || !bytes.empty()) {
    return Status::Corruption("an item with damaged attributes; check the database");
  }
  return stored;
}

}  // namespace mayfly::items
