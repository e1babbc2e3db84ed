#include "core/layout/row_codec.h"

#include <fmt/format.h>

#include <cassert>

#include "base/coding.h"

namespace mayfly::core {
namespace {

// Stored; append, never renumber.
constexpr unsigned char kHasDeadline = 0x01;
constexpr unsigned char kHasTimestamp = 0x02;
constexpr unsigned char kHasCollectionId = 0x04;
constexpr unsigned char kKnownBits = kHasDeadline | kHasTimestamp | kHasCollectionId;

}  // namespace

void AppendRow(std::string& out, const RowView& row) {
  out.push_back(static_cast<char>((row.deadline ? kHasDeadline : 0) |
                                  (row.timestamp ? kHasTimestamp : 0) |
                                  (row.collection_id ? kHasCollectionId : 0)));
  if (row.deadline) {
    assert(ToMs(*row.deadline) >= 0);
    AppendLittleEndian64(out, static_cast<std::uint64_t>(ToMs(*row.deadline)));
  }
  if (row.timestamp) AppendLittleEndian64(out, static_cast<std::uint64_t>(ToMs(*row.timestamp)));
  if (row.collection_id) AppendLittleEndian64(out, *row.collection_id);
  out.append(row.payload);
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
  if ((tag & kHasTimestamp) != 0) {
    std::uint64_t ms = 0;
    if (!EatLittleEndian64(encoded, ms)) {
      return Status::Corruption("a row with a damaged timestamp; run a check of the database");
    }
    row.timestamp = WallTimeFromMs(static_cast<std::int64_t>(ms));
  }
  if ((tag & kHasCollectionId) != 0) {
    std::uint64_t collection_id = 0;
    if (!EatLittleEndian64(encoded, collection_id)) {
      return Status::Corruption("a row with a damaged collection id; run a check of the database");
    }
    row.collection_id = collection_id;
  }
  row.payload = encoded;
  return row;
}

}  // namespace mayfly::core
