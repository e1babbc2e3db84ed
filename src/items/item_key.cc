#include "items/item_key.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/checksum.h"
#include "base/coding.h"
#include "items/limits.h"
#include "items/number_parts.h"

namespace mayfly::items {
namespace {

// Stored; append, never renumber.
constexpr char kZero = '\x00';
constexpr char kZeroInside = '\xff';  // Behind a zero byte that is content.
constexpr char kEnd = '\x01';         // Behind a zero byte that ends the content; sorts first.
constexpr unsigned char kNegative = 1;
constexpr unsigned char kNought = 2;
constexpr unsigned char kPositive = 3;
static_assert(kNumberPowerMin == -130, "the offset of stored powers");

constexpr std::uint64_t kHashes = 65536;

void AppendEscaped(Bytes bytes, std::string& to) {
  for (const char byte : bytes) {
    to.push_back(byte);
    if (byte == kZero) to.push_back(kZeroInside);
  }
}

void AppendNumber(const Number& number, std::string& to) {
  const NumberParts parts = PartsOf(number);
  if (parts.digits.empty()) return to.push_back(static_cast<char>(kNought));
  to.push_back(static_cast<char>(parts.negative ? kNegative : kPositive));
  const unsigned flip = parts.negative ? 0xffU : 0;
  const auto append = [&](unsigned byte) { to.push_back(static_cast<char>(byte ^ flip)); };
  append(static_cast<unsigned>(parts.power - kNumberPowerMin));
  const std::string& digits = parts.digits;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    const unsigned tens = static_cast<unsigned char>(digits[i]) - '0';
    const unsigned ones =
        i + 1 < digits.size() ? static_cast<unsigned char>(digits[i + 1]) - '0' : 0U;
    append(tens * 10 + ones + 1);
  }
  append(0);
}

std::optional<std::string> TakeEscaped(Bytes& from) {
  std::string bytes;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i] != kZero) {
      bytes.push_back(from[i]);
      continue;
    }
    if (++i == from.size()) return std::nullopt;
    if (from[i] == kEnd) {
      from.remove_prefix(i + 1);
      return bytes;
    }
    if (from[i] != kZeroInside) return std::nullopt;
    bytes.push_back(kZero);
  }
  return std::nullopt;
}

std::optional<Number> TakeNumber(Bytes& from) {
  if (from.empty()) return std::nullopt;
  const auto sign = static_cast<unsigned char>(from.front());
  from.remove_prefix(1);
  if (sign == kNought) return Number();
  if (sign != kNegative && sign != kPositive) return std::nullopt;
  const unsigned flip = sign == kNegative ? 0xffU : 0;
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(from[i]) ^ flip; };
  if (from.empty()) return std::nullopt;
  const int power = static_cast<int>(at(0)) + kNumberPowerMin;
  std::string digits;
  std::size_t i = 1;
  for (; i < from.size() && at(i) != 0; ++i) {
    if (at(i) > 100 || digits.size() >= kNumberDigitsMax) return std::nullopt;
    digits.push_back(static_cast<char>('0' + (at(i) - 1) / 10));
    digits.push_back(static_cast<char>('0' + (at(i) - 1) % 10));
  }
  // Only what AppendNumber() writes: no leading zero, no trailing pair of zeros.
  if (i == from.size() || digits.empty() || digits.front() == '0' || digits.ends_with("00")) {
    return std::nullopt;
  }
  from.remove_prefix(i + 1);
  auto number = MakeNumber(sign == kNegative, digits, power);
  if (!number) return std::nullopt;
  return *std::move(number);
}

std::optional<AttributeValue> TakeAny(Bytes& from) {
  if (from.empty()) return std::nullopt;
  const auto type = static_cast<AttributeType>(from.front());
  from.remove_prefix(1);
  if (type == AttributeType::kNumber) {
    auto number = TakeNumber(from);
    if (!number) return std::nullopt;
    return AttributeValue(*std::move(number));
  }
  if (type != AttributeType::kString && type != AttributeType::kBinary) return std::nullopt;
  auto bytes = TakeEscaped(from);
  if (!bytes) return std::nullopt;
  if (type == AttributeType::kString) return AttributeValue(*std::move(bytes));
  return AttributeValue(Binary{*std::move(bytes)});
}

std::string Hash(Bytes encoded_partition) {
  std::string hash;
  AppendBigEndian16(hash, static_cast<std::uint16_t>(Hash64(encoded_partition) >> 48));
  return hash;
}

}  // namespace

void AppendKeyValue(const AttributeValue& value, std::string& to) {
  if (const auto* number = value.number()) {
    to.push_back(static_cast<char>(AttributeType::kNumber));
    return AppendNumber(*number, to);
  }
  AppendKeyPrefix(value, to);
  to.push_back(kZero);
  to.push_back(kEnd);
}

void AppendKeyPrefix(const AttributeValue& beginning, std::string& to) {
  MAYFLY_CHECK(beginning.string() != nullptr || beginning.binary() != nullptr,
               "a value that is no key");
  to.push_back(static_cast<char>(beginning.type()));
  AppendEscaped(beginning.string() != nullptr ? *beginning.string() : beginning.binary()->bytes,
                to);
}

Result<AttributeValue> TakeKeyValue(Bytes& from) {
  Bytes rest = from;
  std::optional<AttributeValue> value = TakeAny(rest);
  if (!value) return Status::Corruption("a damaged key of an item; check the database");
  from = rest;
  return *std::move(value);
}

std::string PartitionPrefix(const AttributeValue& partition) {
  std::string encoded;
  AppendKeyValue(partition, encoded);
  return Hash(encoded) + encoded;
}

std::string ItemKey(const AttributeValue& partition, const AttributeValue* sort) {
  std::string key = PartitionPrefix(partition);
  if (sort != nullptr) AppendKeyValue(*sort, key);
  return key;
}

std::string SegmentBegin(std::uint32_t segment, std::uint32_t segments) {
  MAYFLY_CHECK(segment <= segments && segments > 0, "a segment past the last one");
  // Rounded down: with more segments than hashes some are empty, but none begins past the last
  // hash.
  const std::uint64_t hash = segment * kHashes / segments;
  std::string begin;
  if (hash < kHashes) AppendBigEndian16(begin, static_cast<std::uint16_t>(hash));
  return begin;
}

std::string PrefixEnd(Bytes prefix) {
  std::string end(prefix);
  while (!end.empty() && end.back() == '\xff') end.pop_back();
  if (!end.empty()) end.back() = static_cast<char>(static_cast<unsigned char>(end.back()) + 1);
  return end;
}

}  // namespace mayfly::items
