#include "core/layout/version_codec.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "base/coding.h"

namespace mayfly::core {
namespace {

// Stored; append, never renumber.
constexpr char kMarker = 0x01;
constexpr char kVersion = 0x02;
constexpr unsigned char kHasKeptUntil = 0x01;
constexpr unsigned char kDeleted = 0x02;
constexpr unsigned char kKnownVersionBits = kHasKeptUntil | kDeleted;

constexpr char kEscape = 0x00;
constexpr char kZero = static_cast<char>(0xff);
constexpr char kEndOfKey = 0x01;

// kVersionsOfKeys and the escaped key with its end: the prefix of all member keys of the user's
// key.
std::string Escaped(Bytes key) {
  std::string out;
  out.reserve(1 + key.size() + 2 + 1 + sizeof(std::uint64_t));
  out.push_back(kVersionsOfKeys);
  for (const char byte : key) {
    out.push_back(byte);
    if (byte == kEscape) out.push_back(kZero);
  }
  out.push_back(kEscape);
  out.push_back(kEndOfKey);
  return out;
}

// Larger timestamps first; an offset puts those before 1970 in their place.
std::uint64_t Descending(WallTime timestamp) {
  return ~(static_cast<std::uint64_t>(ToMs(timestamp)) ^ (std::uint64_t{1} << 63));
}

}  // namespace

std::optional<WallTime> LeavesAt(const VersionView& version) {
  if (!version.row.deadline) return version.kept_until;
  if (!version.kept_until) return version.row.deadline;
  return std::min(*version.row.deadline, *version.kept_until);
}

void AppendVersion(std::string& out, const VersionView& version) {
  assert(version.row.timestamp);
  assert(!version.deleted || (version.row.payload.empty() && !version.row.deadline));
  out.push_back(static_cast<char>((version.kept_until ? kHasKeptUntil : 0) |
                                  (version.deleted ? kDeleted : 0)));
  if (version.kept_until) {
    AppendLittleEndian64(out, static_cast<std::uint64_t>(ToMs(*version.kept_until)));
  }
  AppendRow(out, version.row);
}

Result<VersionView> DecodeVersion(Bytes encoded) {
  if (encoded.empty()) {
    return Status::Corruption("a version without a tag; run a check of the database");
  }
  const auto tag = static_cast<unsigned char>(encoded.front());
  encoded.remove_prefix(1);
  if ((tag & ~kKnownVersionBits) != 0) {
    return Status::Unsupported(fmt::format(
        "a version with tag {:#04x}, which this build does not know; use a newer mayfly", tag));
  }
  VersionView version;
  version.deleted = (tag & kDeleted) != 0;
  if ((tag & kHasKeptUntil) != 0) {
    std::uint64_t ms = 0;
    if (!EatLittleEndian64(encoded, ms) || static_cast<std::int64_t>(ms) < 0) {
      return Status::Corruption("a version with a damaged end; run a check of the database");
    }
    version.kept_until = WallTimeFromMs(static_cast<std::int64_t>(ms));
  }
  MAYFLY_TRY(version.row, DecodeRow(encoded));
  const bool bare = version.row.payload.empty() && !version.row.deadline;
  if (!version.row.timestamp || (version.deleted && !bare)) {
    return Status::Corruption("a version that contradicts itself; run a check of the database");
  }
  return version;
}

std::string MarkerKey(Bytes key) { return Escaped(key) + kMarker; }

std::string VersionKey(Bytes key, WallTime timestamp) {
  std::string out = Escaped(key) + kVersion;
  AppendBigEndian64(out, Descending(timestamp));
  return out;
}

std::string VersionKeysBegin(Bytes key) { return Escaped(key); }

std::string VersionKeysEnd(Bytes key) {
  std::string end = Escaped(key);
  end.back() = kEndOfKey + 1;
  return end;
}

std::optional<std::string> UserKeyOfMember(Bytes member_key) {
  if (member_key.empty() || member_key.front() != kVersionsOfKeys) return std::nullopt;
  std::string key;
  for (std::size_t i = 1; i + 1 < member_key.size(); ++i) {
    if (member_key[i] != kEscape) {
      key.push_back(member_key[i]);
      continue;
    }
    ++i;
    if (member_key[i] == kEndOfKey) return key;
    if (member_key[i] != kZero) return std::nullopt;
    key.push_back(kEscape);
  }
  return std::nullopt;
}

}  // namespace mayfly::core
