// dump_reader.cc - decodes the payload of RESTORE (dump_payload.h).
#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "rdb/footer.h"
#include "rdb/rdb_types.h"
#include "server/dump/dump_payload.h"
#include "server/dump/value_collector.h"
#include "types/string.h"

namespace mayfly::server {
namespace {

// Memory that a value may take: that of the largest string, and for each byte of the payload the
// overhead of short strings. Strings may be packed a hundredfold.
constexpr std::uint64_t kUnpackedBytesMax = types::kStringBytesMax + (std::uint64_t{1} << 20);
constexpr std::uint64_t kUnpackedPerByte = 4;
static_assert(types::kStringBytesMax == rdb::kStringBytesMax);

bool ReadWhole(rdb::Input& in, ValueCollector& collector) {
  std::uint8_t type = 0;
  if (!in.Byte(type)) return false;
  const auto kind = rdb::KindOf(type);
  const auto known = kind ? TypeOfKind(*kind) : std::nullopt;
  if (!known) return false;
  collector.Clear(*known);
  return rdb::ReadValue(in, type, collector) && in.AtEnd();
}

}  // namespace

std::optional<types::ValueType> TypeOfKind(rdb::ValueKind kind) {
  switch (kind) {
    case rdb::ValueKind::kString: return types::ValueType::kString;
    case rdb::ValueKind::kList: return types::ValueType::kList;
    case rdb::ValueKind::kSet: return types::ValueType::kSet;
    case rdb::ValueKind::kSortedSet: return types::ValueType::kSortedSet;
    case rdb::ValueKind::kHash: return types::ValueType::kHash;
    case rdb::ValueKind::kStream: return types::ValueType::kStream;
    case rdb::ValueKind::kModule: break;
  }
  return std::nullopt;
}

namespace {

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
  MAYFLY_TRY(const Bytes bytes, rdb::WithoutFooter(payload));
  ValueCollector collector;
  const std::uint64_t budget = kUnpackedBytesMax + kUnpackedPerByte * payload.size();
  rdb::Input in(bytes, budget);
  const bool read = ReadWhole(in, collector);
  if (in.passed_budget()) {
    return Status::Invalid(fmt::format(
        "the payload unpacks to more than {} bytes, which is too much at once", budget));
  }
  const DumpedValue& value = collector.value();
  const bool filled = value.type == types::ValueType::kString || !collector.empty();
  if (!read || !filled || !NoNameTwice(value)) return Status::Invalid("Bad data format");
  return std::move(collector.value());
}

}  // namespace mayfly::server
