// dump_reader.cc - decodes the payload of RESTORE (dump_payload.h).
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <unordered_set>

#include "base/coding.h"
#include "server/dump/dump_payload.h"
#include "server/dump/packed_lists.h"
#include "server/dump/rdb_reader.h"
#include "server/dump/rdb_types.h"
#include "types/string.h"
#include "wire/decimal.h"

namespace mayfly::server {
namespace {

constexpr std::uint16_t kVersionMax = 12;

// Memory that a value may take: that of the largest string, and for each byte of the payload the
// overhead of short strings. Strings may be packed a hundredfold.
constexpr std::uint64_t kUnpackedBytesMax = types::kStringBytesMax + (std::uint64_t{1} << 20);
constexpr std::uint64_t kUnpackedPerByte = 4;

bool ReadStrings(RdbReader& in, std::vector<std::string>& elements) {
  std::uint64_t count = 0;
  if (!in.Count(count)) return false;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (!in.String(elements.emplace_back())) return false;
  }
  return true;
}

bool ReadPacked(RdbReader& in, PackedValues (*read)(Bytes, std::uint64_t),
                std::vector<std::string>& elements) {
  std::string packed;
  if (!in.String(packed)) return false;
  PackedValues values = read(packed, in.budget() / kStringBytes + 1);
  if (!values) return false;
  for (const std::string& value : *values) {
    if (!in.Charge(kStringBytes + value.size())) return false;
  }
  in.Refund(packed.size());  // The packed bytes are freed.
  std::move(values->begin(), values->end(), std::back_inserter(elements));
  return true;
}

bool ReadListOfZiplists(RdbReader& in, std::vector<std::string>& elements) {
  std::uint64_t nodes = 0;
  if (!in.Count(nodes)) return false;
  for (std::uint64_t i = 0; i < nodes; ++i) {
    if (!ReadPacked(in, ReadZiplist, elements)) return false;
  }
  return true;
}

bool ReadListOfListpacks(RdbReader& in, std::vector<std::string>& elements) {
  constexpr std::uint64_t kPlain = 1;  // A single large element.
  constexpr std::uint64_t kPacked = 2;
  std::uint64_t nodes = 0;
  if (!in.Count(nodes)) return false;
  for (std::uint64_t i = 0; i < nodes; ++i) {
    std::uint64_t container = 0;
    if (!in.Length(container)) return false;
    if (container == kPlain) {
      if (!in.String(elements.emplace_back())) return false;
    } else if (container != kPacked || !ReadPacked(in, ReadListpack, elements)) {
      return false;
    }
  }
  return true;
}

bool ReadScores(RdbReader& in, bool decimal, std::vector<DumpedScore>& scores) {
  std::uint64_t count = 0;
  if (!in.Count(count)) return false;
  for (std::uint64_t i = 0; i < count; ++i) {
    DumpedScore& one = scores.emplace_back();
    if (!in.String(one.name)) return false;
    if (decimal ? !in.DecimalDouble(one.score) : !in.Double(one.score)) return false;
  }
  return true;
}

bool ReadPackedScores(RdbReader& in, PackedValues (*read)(Bytes, std::uint64_t),
                      std::vector<DumpedScore>& scores) {
  std::vector<std::string> values;
  if (!ReadPacked(in, read, values) || values.size() % 2 != 0) return false;
  for (std::size_t i = 0; i < values.size(); i += 2) {
    DumpedScore& one = scores.emplace_back();
    one.name = std::move(values[i]);
    if (!ReadDouble(values[i + 1], one.score) || one.score != one.score) return false;
  }
  return true;
}

bool ReadFields(RdbReader& in, bool with_deadlines, std::vector<DumpedField>& fields) {
  std::int64_t earliest = 0;
  std::uint64_t count = 0;
  if (with_deadlines && !in.Int64(earliest)) return false;
  if (!in.Count(count)) return false;
  for (std::uint64_t i = 0; i < count; ++i) {
    DumpedField& field = fields.emplace_back();
    std::uint64_t distance = 0;
    if (with_deadlines && !in.Length(distance)) return false;
    if (!in.String(field.name) || !in.String(field.value)) return false;
    if (distance == 0) continue;
    std::int64_t deadline = 0;
    if (distance > INT64_MAX ||
        __builtin_add_overflow(earliest, static_cast<std::int64_t>(distance - 1), &deadline)) {
      return false;
    }
    field.deadline = WallTimeFromMs(deadline);
  }
  return true;
}

bool ReadPackedFields(RdbReader& in, PackedValues (*read)(Bytes, std::uint64_t),
                      std::size_t columns, std::vector<DumpedField>& fields) {
  std::vector<std::string> values;
  if (!ReadPacked(in, read, values) || values.size() % columns != 0) return false;
  for (std::size_t i = 0; i < values.size(); i += columns) {
    DumpedField& field = fields.emplace_back();
    field.name = std::move(values[i]);
    field.value = std::move(values[i + 1]);
    if (columns < 3) continue;
    std::int64_t deadline = 0;
    if (!ReadInteger(values[i + 2], deadline)) return false;
    if (deadline != 0) field.deadline = WallTimeFromMs(deadline);
  }
  return true;
}

bool ReadValue(RdbReader& in, DumpedValue& value) {
  std::uint8_t type = 0;
  std::int64_t earliest = 0;
  if (!in.Byte(type)) return false;
  using types::ValueType;
  const auto is = [&](ValueType of) { return value.type = of, true; };
  switch (type) {
    case kRdbString: return is(ValueType::kString) && in.String(value.text);
    case kRdbList: return is(ValueType::kList) && ReadStrings(in, value.elements);
    case kRdbListZiplist:
      return is(ValueType::kList) && ReadPacked(in, ReadZiplist, value.elements);
    case kRdbListOfZiplists: return is(ValueType::kList) && ReadListOfZiplists(in, value.elements);
    case kRdbListOfListpacks:
      return is(ValueType::kList) && ReadListOfListpacks(in, value.elements);
    case kRdbSet: return is(ValueType::kSet) && ReadStrings(in, value.elements);
    case kRdbSetIntset: return is(ValueType::kSet) && ReadPacked(in, ReadIntset, value.elements);
    case kRdbSetListpack:
      return is(ValueType::kSet) && ReadPacked(in, ReadListpack, value.elements);
    case kRdbSortedSet:
    case kRdbSortedSetDecimal:
      return is(ValueType::kSortedSet) &&
             ReadScores(in, type == kRdbSortedSetDecimal, value.scores);
    case kRdbSortedSetZiplist:
      return is(ValueType::kSortedSet) && ReadPackedScores(in, ReadZiplist, value.scores);
    case kRdbSortedSetListpack:
      return is(ValueType::kSortedSet) && ReadPackedScores(in, ReadListpack, value.scores);
    case kRdbHash:
    case kRdbHashWithDeadlines:
      return is(ValueType::kHash) && ReadFields(in, type == kRdbHashWithDeadlines, value.fields);
    case kRdbHashZiplist:
      return is(ValueType::kHash) && ReadPackedFields(in, ReadZiplist, 2, value.fields);
    case kRdbHashListpack:
      return is(ValueType::kHash) && ReadPackedFields(in, ReadListpack, 2, value.fields);
    case kRdbHashListpackWithDeadlines:
      return is(ValueType::kHash) && in.Int64(earliest) &&
             ReadPackedFields(in, ReadListpack, 3, value.fields);
    default: return false;
  }
}

// Names of a set, sorted set or hash are unique.
bool NoNameTwice(const DumpedValue& value) {
  std::unordered_set<Bytes> seen;
  const auto fresh = [&](const std::string& name) { return seen.insert(name).second; };
  if (value.type == types::ValueType::kSet) {
    return std::all_of(value.elements.begin(), value.elements.end(), fresh);
  }
  return std::all_of(value.fields.begin(), value.fields.end(),
                     [&](const DumpedField& field) { return fresh(field.name); }) &&
         std::all_of(value.scores.begin(), value.scores.end(),
                     [&](const DumpedScore& one) { return fresh(one.name); });
}

}  // namespace

Result<DumpedValue> DecodeDump(Bytes payload) {
  const auto wrong = [] { return Status::Invalid("DUMP payload version or checksum are wrong"); };
  if (payload.size() < kDumpFooterBytes) return wrong();
  Bytes footer = payload.substr(payload.size() - kDumpFooterBytes);
  const auto low = static_cast<unsigned char>(footer[0]);
  const auto high = static_cast<unsigned char>(footer[1]);
  if ((high << 8 | low) > kVersionMax) return wrong();
  footer.remove_prefix(2);
  std::uint64_t crc = 0;
  if (!EatLittleEndian64(footer, crc)) return wrong();
  if (crc != Crc64(payload.substr(0, payload.size() - sizeof(crc)))) return wrong();

  DumpedValue value;
  const std::uint64_t budget = kUnpackedBytesMax + kUnpackedPerByte * payload.size();
  RdbReader in(payload.substr(0, payload.size() - kDumpFooterBytes), budget);
  const bool read = ReadValue(in, value) && in.AtEnd();
  const bool filled = value.type == types::ValueType::kString || !value.elements.empty() ||
                      !value.fields.empty() || !value.scores.empty();
  if (in.passed_budget()) {
    return Status::Invalid(fmt::format(
        "the payload unpacks to more than {} bytes, which is too much at once", budget));
  }
  if (!read || !filled || !NoNameTwice(value)) return Status::Invalid("Bad data format");
  return value;
}

}  // namespace mayfly::server
