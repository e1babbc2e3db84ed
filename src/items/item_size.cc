#include "items/item_size.h"

#include <algorithm>

#include "items/item_grammar.h"
#include "items/number_parts.h"

namespace mayfly::items {
namespace {

constexpr std::size_t kContainerBytes = 3;  // Of a list or a map, whatever is in it.
constexpr std::size_t kElementBytes = 1;    // Of each element of one.
constexpr std::size_t kNumberBytesMax = 21;

// Two digits share a byte when they stand on the same side of an even power of ten; one more byte
// is for the power, and one for a sign.
std::size_t SizeOfDigits(std::size_t digits, int power, bool negative) {
  if (digits == 0) return 1;
  const std::size_t alone = power % 2 == 0 ? 1 : 0;  // The first digit has no neighbour.
  const std::size_t pairs = (digits + alone + 1) / 2;
  return std::min(pairs + 1 + (negative ? 1 : 0), kNumberBytesMax);
}

// In normal form.
std::size_t SizeOfNumber(std::string_view text) {
  if (text.find_first_of("-.") == std::string_view::npos) {  // The common case, without copies.
    return SizeOfDigits(text.find_last_not_of('0') + 1, static_cast<int>(text.size()) - 1, false);
  }
  const NumberParts parts = PartsOf(FromNormalText(std::string(text)));
  return SizeOfDigits(parts.digits.size(), parts.power, parts.negative);
}

// A maker of item_grammar.h, for everything: it adds up sizes.
struct Adder {
  std::size_t& size;

  bool String(Bytes text) { return Member(text); }
  bool Number(Bytes text) {
    size += SizeOfNumber(text);
    return true;
  }
  bool Binary(Bytes text) { return Member(text); }
  void Bool(bool /*value*/) { ++size; }
  void Null() { ++size; }
  Adder List(std::size_t count) { return Container(count); }
  Adder Map(std::size_t count) { return Container(count); }
  struct SetAdder {
    std::size_t& size;
    const bool numbers;

    bool Member(Bytes text) {
      size += numbers ? SizeOfNumber(text) : text.size();
      return true;
    }
    void Done() {}
  };
  SetAdder Set(AttributeType type, std::size_t /*count*/) {
    return {size, type == AttributeType::kNumberSet};
  }
  Adder Element() { return *this; }
  Adder Attribute(Bytes name) {
    size += name.size();
    return *this;
  }
  bool Member(Bytes text) {
    size += text.size();
    return true;
  }
  Adder Container(std::size_t count) {
    size += kContainerBytes + count * kElementBytes;
    return *this;
  }
  void Done() {}
};

}  // namespace

std::size_t SizeOf(const AttributeValue& value) {
  std::size_t size = 0;
  Emit(value, Adder{size});
  return size;
}

std::size_t SizeOf(const Item& item) {
  std::size_t size = 0;
  Emit(item, Adder{size});
  return size;
}

Result<StoredSize> MeasureStored(Bytes stored) {
  StoredSize measured;
  MAYFLY_TRY(measured.version, ReadStored(stored, Adder{measured.size}));
  return measured;
}

std::size_t DepthOf(const AttributeValue& value) {
  std::size_t below = 0;
  if (const auto* list = value.list()) {
    for (const AttributeValue& element : *list) below = std::max(below, DepthOf(element));
    return below + 1;
  }
  if (const auto* map = value.map()) {
    for (const auto& [name, element] : *map) below = std::max(below, DepthOf(element));
    return below + 1;
  }
  return 0;
}

}  // namespace mayfly::items
