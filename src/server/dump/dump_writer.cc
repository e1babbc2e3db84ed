// dump_writer.cc - encodes the payload of DUMP (dump_payload.h).
#include <algorithm>
#include <bit>
#include <limits>

#include "base/coding.h"
#include "server/dump/dump_payload.h"
#include "server/dump/rdb_types.h"
#include "wire/decimal.h"

namespace mayfly::server {
namespace {

constexpr std::uint16_t kVersion = 10;
constexpr std::uint16_t kVersionWithFieldDeadlines = 12;

void AppendLength(std::string& out, std::uint64_t length) {
  if (length < 1u << 6) {
    out.push_back(static_cast<char>(length));
  } else if (length < 1u << 14) {
    AppendBigEndian16(out, static_cast<std::uint16_t>(0x4000u | length));
  } else if (length <= std::numeric_limits<std::uint32_t>::max()) {
    out.push_back('\x80');
    AppendBigEndian32(out, static_cast<std::uint32_t>(length));
  } else {
    out.push_back('\x81');
    AppendBigEndian64(out, length);
  }
}

void AppendLowBytes(std::string& out, std::int64_t number, int bytes) {
  for (int i = 0; i < bytes; ++i) out.push_back(static_cast<char>(number >> (8 * i)));
}

// Numbers of up to 32 bits are written as such: then Redis' own dump has the same bytes.
void AppendString(std::string& out, Bytes text) {
  std::int64_t number = 0;
  const bool is_number = ReadInteger(text, number);
  if (is_number && number == static_cast<std::int8_t>(number)) {
    out.push_back('\xc0');
    AppendLowBytes(out, number, 1);
  } else if (is_number && number == static_cast<std::int16_t>(number)) {
    out.push_back('\xc1');
    AppendLowBytes(out, number, 2);
  } else if (is_number && number == static_cast<std::int32_t>(number)) {
    out.push_back('\xc2');
    AppendLowBytes(out, number, 4);
  } else {
    AppendLength(out, text.size());
    out.append(text);
  }
}

void AppendElements(std::string& out, RdbType type, const std::vector<std::string>& elements) {
  out.push_back(static_cast<char>(type));
  AppendLength(out, elements.size());
  for (const std::string& element : elements) AppendString(out, element);
}

void AppendScores(std::string& out, const std::vector<DumpedScore>& scores) {
  out.push_back(kRdbSortedSet);
  AppendLength(out, scores.size());
  for (const DumpedScore& one : scores) {
    AppendString(out, one.name);
    AppendLittleEndian64(out, std::bit_cast<std::uint64_t>(one.score));
  }
}

std::optional<WallTime> EarliestOf(const std::vector<DumpedField>& fields) {
  std::optional<WallTime> earliest;
  for (const DumpedField& field : fields) {
    if (field.deadline) earliest = std::min(earliest.value_or(*field.deadline), *field.deadline);
  }
  return earliest;
}

// Deadlines are stored as distances from the earliest, plus one; 0 is none.
void AppendFields(std::string& out, const std::vector<DumpedField>& fields) {
  const auto earliest = EarliestOf(fields);
  out.push_back(earliest ? kRdbHashWithDeadlines : kRdbHash);
  if (earliest) AppendLittleEndian64(out, static_cast<std::uint64_t>(ToMs(*earliest)));
  AppendLength(out, fields.size());
  for (const DumpedField& field : fields) {
    if (earliest) {
      const std::int64_t distance = field.deadline ? (*field.deadline - *earliest).count() + 1 : 0;
      AppendLength(out, static_cast<std::uint64_t>(distance));
    }
    AppendString(out, field.name);
    AppendString(out, field.value);
  }
}

}  // namespace

std::string EncodeDump(const DumpedValue& value) {
  std::string out;
  switch (value.type) {
    case types::ValueType::kString:
      out.push_back(kRdbString);
      AppendString(out, value.text);
      break;
    case types::ValueType::kList: AppendElements(out, kRdbList, value.elements); break;
    case types::ValueType::kSet: AppendElements(out, kRdbSet, value.elements); break;
    case types::ValueType::kSortedSet: AppendScores(out, value.scores); break;
    case types::ValueType::kHash: AppendFields(out, value.fields); break;
  }
  const bool newer = EarliestOf(value.fields).has_value();
  AppendLowBytes(out, newer ? kVersionWithFieldDeadlines : kVersion, 2);
  AppendLittleEndian64(out, Crc64(out));
  return out;
}

}  // namespace mayfly::server
