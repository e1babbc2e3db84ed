#include "core/row_codec.h"

#include <fmt/format.h>

#include <cassert>

#include "base/coding.h"

namespace mayfly::core {
namespace {

// Stored; append, never renumber. Timestamp and version have their bits reserved.
constexpr unsigned char kHasDeadline = 0x01;
constexpr unsigned char kKnownBits = kHasDeadline;

}  // namespace

void AppendRow(std::string& out, std::optional<WallTime> deadline, Bytes payload) {
  out.push_back(static_cast<char>(deadline ? kHasDeadline : 0));
  if (deadline) {
    assert(ToMs(*deadline) >= 0);
    AppendLittleEndian64(out, static_cast<std::uint64_t>(ToMs(*deadline)));
  }
  out.append(payload);
}

Result<RowView> DecodeRow(Bytes encoded) {
  if (encoded.empty())
    return Status::Corruption("a row without a tag; run a check of the database");
  const auto tag = static_cast<unsigned char>(encoded.front());
  encoded.remove_prefix(1);
  if ((tag & ~kKnownBits) != 0) {
    return Status::Unsupported(fmt::format(
        "a row with tag {:#04x}, which this build does not know; use a newer mayfly", tag));
  }
  RowView row;
  if ((tag & kHasDeadline) != 0) {
    std::uint64_t ms = 0;
    if (!EatLittleEndian64(encoded, ms) || static_cast<std::int64_t>(ms) < 0) {
      return Status::Corruption("a row with a damaged deadline; run a check of the database");
    }
    row.deadline = WallTimeFromMs(static_cast<std::int64_t>(ms));
  }
  row.payload = encoded;
  return row;
}

}  // namespace mayfly::core
