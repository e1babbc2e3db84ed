// dump_writer.cc - encodes the payload of DUMP (dump_payload.h).
#include <algorithm>
#include <bit>

#include "base/coding.h"
#include "rdb/footer.h"
#include "rdb/rdb_writer.h"
#include "rdb/stream_writer.h"
#include "server/dump/dump_payload.h"

namespace mayfly::server {
namespace {

using rdb::AppendLength;
using rdb::AppendString;

void AppendElements(std::string& out, rdb::RdbType type, const std::vector<std::string>& elements) {
  out.push_back(static_cast<char>(type));
  AppendLength(out, elements.size());
  for (const std::string& element : elements) AppendString(out, element);
}

void AppendScores(std::string& out, const std::vector<DumpedScore>& scores) {
  out.push_back(rdb::kRdbSortedSet);
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
  out.push_back(earliest ? rdb::kRdbHashWithDeadlines : rdb::kRdbHash);
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

// A part of a stream that has no state is a stream of its own.
void AppendStream(std::string& out, const DumpedValue& value) {
  out.push_back(rdb::kRdbStream2);
  rdb::StreamState own;
  if (!value.entries.empty()) own.last = value.entries.back().id;
  rdb::AppendStream(out, value.entries, value.stream ? *value.stream : own);
}

}  // namespace

std::string EncodeValue(const DumpedValue& value) {
  std::string out;
  switch (value.type) {
    case types::ValueType::kString:
      out.push_back(rdb::kRdbString);
      AppendString(out, value.text);
      break;
    case types::ValueType::kList: AppendElements(out, rdb::kRdbList, value.elements); break;
    case types::ValueType::kSet: AppendElements(out, rdb::kRdbSet, value.elements); break;
    case types::ValueType::kSortedSet: AppendScores(out, value.scores); break;
    case types::ValueType::kHash: AppendFields(out, value.fields); break;
    case types::ValueType::kStream: AppendStream(out, value); break;
  }
  return out;
}

bool HasFieldDeadlines(const DumpedValue& value) { return EarliestOf(value.fields).has_value(); }

std::string EncodeDump(const DumpedValue& value) {
  std::string out = EncodeValue(value);
  const int version =
      HasFieldDeadlines(value) ? rdb::kRdbVersionWithFieldDeadlines : rdb::kRdbVersion;
  rdb::AppendFooter(out, version);
  return out;
}

}  // namespace mayfly::server
