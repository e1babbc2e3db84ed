// item_grammar.h - visits an item, or the bytes of item_codec.h, in order, for any kind of output.
// A maker is called with each part and builds an item, a size, a text. It is a small class passed
// by value; a call that returns bool may refuse its argument.
//   maker of a value   String(b) Number(b) Binary(b) -> bool, Bool(v), Null(),
//                      List(count) -> maker of a list, Map(count) -> maker of a map,
//                      Set(type, count) -> maker of a set
//   of a list          Element() -> maker of a value; Done()
//   of a map           Attribute(name) -> maker of a value; Done()
//   of a set           Member(b) -> bool; Done()
// The bytes belong to the input. False, or Corruption: the input is malformed, and the output so
// far is invalid.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/coding.h"
#include "items/limits.h"
#include "mayfly/bytes.h"
#include "mayfly/item.h"
#include "mayfly/result.h"

namespace mayfly::items {

// Stored; append, never renumber.
inline constexpr char kItemFormat = 1;

namespace grammar {

// EatSized, with lengths of one byte inlined: nearly all are.
inline bool EatText(Bytes& in, Bytes& text) {
  const std::size_t size = in.empty() ? 0 : static_cast<unsigned char>(in.front());
  if (size >= 0x80 || size >= in.size()) return EatSized(in, text);
  text = in.substr(1, size);
  in.remove_prefix(1 + size);
  return true;
}

// Every element takes at least a byte, so a count above the remaining bytes is malformed.
inline bool EatCount(Bytes& in, std::size_t& count) {
  std::uint64_t number = 0;
  if (!EatVarint(in, number) || number > in.size()) return false;
  count = static_cast<std::size_t>(number);
  return true;
}

template <typename Maker>
bool EatValue(Bytes& in, std::size_t levels_left, Maker make);

template <typename Maker>
bool EatMap(Bytes& in, std::size_t levels_left, Maker make, std::size_t count) {
  Bytes last;
  for (bool first = true; count > 0; --count, first = false) {
    Bytes name;
    if (!EatText(in, name) || (!first && last >= name)) return false;
    last = name;
    if (!EatValue(in, levels_left, make.Attribute(name))) return false;
  }
  make.Done();
  return true;
}

template <typename Maker>
bool EatList(Bytes& in, std::size_t levels_left, Maker make, std::size_t count) {
  for (; count > 0; --count) {
    if (!EatValue(in, levels_left, make.Element())) return false;
  }
  make.Done();
  return true;
}

template <typename Maker>
bool EatSet(Bytes& in, Maker make, std::size_t count) {
  for (; count > 0; --count) {
    Bytes member;
    if (!EatText(in, member) || !make.Member(member)) return false;
  }
  make.Done();
  return true;
}

template <typename Maker>
bool EatBool(Bytes& in, Maker make) {
  if (in.empty() || static_cast<unsigned char>(in.front()) > 1) return false;
  make.Bool(in.front() != 0);
  in.remove_prefix(1);
  return true;
}

template <typename Maker>
bool EatValue(Bytes& in, std::size_t levels_left, Maker make) {
  if (in.empty()) return false;
  const auto type = static_cast<AttributeType>(in.front());
  in.remove_prefix(1);
  Bytes text;
  std::size_t count = 0;
  switch (type) {
    case AttributeType::kString: return EatText(in, text) && make.String(text);
    case AttributeType::kNumber: return EatText(in, text) && make.Number(text);
    case AttributeType::kBinary: return EatText(in, text) && make.Binary(text);
    case AttributeType::kBool: return EatBool(in, make);
    case AttributeType::kNull: make.Null(); return true;
    case AttributeType::kList:
      return levels_left > 0 && EatCount(in, count) &&
             EatList(in, levels_left - 1, make.List(count), count);
    case AttributeType::kMap:
      return levels_left > 0 && EatCount(in, count) &&
             EatMap(in, levels_left - 1, make.Map(count), count);
    case AttributeType::kStringSet:
    case AttributeType::kNumberSet:
    case AttributeType::kBinarySet:
      return EatCount(in, count) && EatSet(in, make.Set(type, count), count);
  }
  return false;
}

inline Bytes TextOf(const std::string& member) { return member; }
inline Bytes TextOf(const Number& member) { return member.text(); }
inline Bytes TextOf(const Binary& member) { return member.bytes; }

template <typename Set, typename Maker>
void EmitSet(const Set& set, Maker make) {
  for (const auto& member : set) (void)make.Member(TextOf(member));
  make.Done();
}

template <typename Maker>
void EmitMap(const Item& map, Maker make);

template <typename Maker>
void EmitValue(const AttributeValue& value, Maker make);

template <typename Maker>
void EmitList(const AttributeValue::List& list, Maker make) {
  for (const AttributeValue& element : list) EmitValue(element, make.Element());
  make.Done();
}

template <typename Maker>
void EmitValue(const AttributeValue& value, Maker make) {
  const AttributeType type = value.type();
  switch (type) {
    case AttributeType::kString: (void)make.String(*value.string()); return;
    case AttributeType::kNumber: (void)make.Number(value.number()->text()); return;
    case AttributeType::kBinary: (void)make.Binary(value.binary()->bytes); return;
    case AttributeType::kBool: return make.Bool(*value.boolean());
    case AttributeType::kNull: return make.Null();
    case AttributeType::kList: return EmitList(*value.list(), make.List(value.list()->size()));
    case AttributeType::kMap: return EmitMap(*value.map(), make.Map(value.map()->size()));
    case AttributeType::kStringSet:
      return EmitSet(*value.string_set(), make.Set(type, value.string_set()->size()));
    case AttributeType::kNumberSet:
      return EmitSet(*value.number_set(), make.Set(type, value.number_set()->size()));
    case AttributeType::kBinarySet:
      return EmitSet(*value.binary_set(), make.Set(type, value.binary_set()->size()));
  }
}

template <typename Maker>
void EmitMap(const Item& map, Maker make) {
  for (const auto& [name, value] : map) EmitValue(value, make.Attribute(name));
  make.Done();
}

}  // namespace grammar

// Visits an item with a maker of a map; a value, with a maker of a value.
template <typename Maker>
void Emit(const Item& item, Maker make) {
  grammar::EmitMap(item, make);
}
template <typename Maker>
void Emit(const AttributeValue& value, Maker make) {
  grammar::EmitValue(value, make);
}

// The same for a stored item. Returns its version. Unsupported when a newer build wrote it.
template <typename Maker>
Result<std::uint64_t> ReadStored(Bytes bytes, Maker make) {
  if (bytes.empty()) return Status::Corruption("an item without bytes; check the database");
  if (bytes.front() != kItemFormat) {
    return Status::Unsupported("an item in a format this build does not know; use a newer mayfly");
  }
  bytes.remove_prefix(1);
  std::uint64_t version = 0;
  if (!EatVarint(bytes, version)) {
    return Status::Corruption("an item with a damaged version; check the database");
  }
  std::size_t count = 0;
  if (!grammar::EatCount(bytes, count) || !grammar::EatMap(bytes, kStoredDepthMax, make, count) ||
      !bytes.empty()) {
    return Status::Corruption("an item with damaged attributes; check the database");
  }
  return version;
}

}  // namespace mayfly::items
