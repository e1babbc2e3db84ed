#include "engine/cluster/shard/shard_layout.h"

#include <fmt/format.h>

#include "base/coding.h"
#include "base/printable.h"
#include "engine/cluster/objects/limits.h"

namespace mayfly::engine::cluster {
namespace {

// Stored; append, never renumber.
constexpr char kOwner = 0x01;
constexpr char kSequence = 0x02;
constexpr char kAnnouncement = 0x03;
constexpr char kFirstRole = 0x10;

constexpr char kInline = 0;
constexpr char kLarge = 1;

Status Damaged(const char* what, Bytes bytes) {
  return Status::Corruption(fmt::format("{} of a shard is damaged: '{}'", what, Printable(bytes)));
}

Result<std::uint64_t> DecodeNumber(const char* what, Bytes bytes) {
  std::uint64_t number = 0;
  Bytes rest = bytes;
  if (!EatLittleEndian64(rest, number) || !rest.empty()) return Damaged(what, bytes);
  return number;
}

}  // namespace

std::string OwnerKey() { return {kOwner}; }
std::string SequenceKey() { return {kSequence}; }
std::string KeyBeforeRows() { return SequenceKey(); }

std::string AnnouncementKey(const LargeId& id) {
  std::string key(1, kAnnouncement);
  AppendBigEndian64(key, id.epoch);
  AppendBigEndian64(key, id.number);
  return key;
}

std::string RowKey(Address at, Bytes key) {
  std::string row;
  row.reserve(3 + key.size());
  row.push_back(static_cast<char>(kFirstRole + static_cast<char>(at.role)));
  AppendBigEndian16(row, at.slot);
  row.append(key);
  return row;
}

Result<MapKey> ParseMapKey(Bytes key) {
  MapKey parsed;
  Bytes rest = key;
  if (rest.empty()) return Damaged("a key", key);
  const char kind = rest.front();
  rest.remove_prefix(1);
  if (kind == kAnnouncement) {
    LargeId id;
    if (!EatBigEndian64(rest, id.epoch) || !EatBigEndian64(rest, id.number) || !rest.empty()) {
      return Damaged("an announcement", key);
    }
    parsed.announced = id;
    return parsed;
  }
  const int role = kind - kFirstRole;
  if (role < 0 || role >= static_cast<int>(kRoleCount) || !EatBigEndian16(rest, parsed.at.slot) ||
      parsed.at.slot >= kSlotCount || rest.empty()) {
    return Damaged("a key", key);
  }
  parsed.at.role = static_cast<Role>(role);
  parsed.key = rest;
  return parsed;
}

std::string EncodeSequence(std::uint64_t sequence) {
  std::string bytes;
  if (sequence != 0) AppendLittleEndian64(bytes, sequence);
  return bytes;
}

Result<std::uint64_t> DecodeSequence(Bytes bytes) {
  if (bytes.empty()) return std::uint64_t{0};
  return DecodeNumber("the sequence", bytes);
}

std::string EncodeAnnouncement(std::uint64_t parts) {
  std::string bytes;
  AppendLittleEndian64(bytes, parts);
  return bytes;
}

Result<std::uint64_t> DecodeAnnouncement(Bytes bytes) {
  return DecodeNumber("an announcement", bytes);
}

std::string EncodeInline(Bytes value) {
  std::string bytes;
  bytes.reserve(1 + value.size());
  bytes.push_back(kInline);
  bytes.append(value);
  return bytes;
}

std::string EncodeLarge(const LargeValue& large) {
  std::string bytes(1, kLarge);
  AppendLittleEndian64(bytes, large.id.epoch);
  AppendLittleEndian64(bytes, large.id.number);
  AppendLittleEndian64(bytes, large.size);
  return bytes;
}

Result<RowValue> DecodeRowValue(Bytes bytes) {
  RowValue value;
  Bytes rest = bytes;
  if (rest.empty()) return Damaged("a row", bytes);
  const char kind = rest.front();
  rest.remove_prefix(1);
  if (kind == kInline) {
    value.bytes = rest;
    return value;
  }
  LargeValue large;
  if (kind != kLarge || !EatLittleEndian64(rest, large.id.epoch) ||
      !EatLittleEndian64(rest, large.id.number) || !EatLittleEndian64(rest, large.size) ||
      !rest.empty()) {
    return Damaged("a row", bytes);
  }
  value.large = large;
  return value;
}

std::uint64_t PartsOf(std::uint64_t size) {
  return (size + kPlainObjectBytesMax - 1) / kPlainObjectBytesMax;
}

std::string LargeObjectName(const std::string& shard_object, const LargeId& id,
                            std::uint64_t part) {
  return fmt::format("{}.large.{}.{}.{}", shard_object, id.epoch, id.number, part);
}

}  // namespace mayfly::engine::cluster
