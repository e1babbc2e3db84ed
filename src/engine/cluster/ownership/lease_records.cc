#include "engine/cluster/ownership/lease_records.h"

#include <fmt/format.h>

#include "base/coding.h"
#include "engine/cluster/ownership/limits.h"

namespace mayfly::engine::cluster {

namespace {

constexpr unsigned char kVersion = 1;

Status Damaged(std::string_view what) {
  return Status(StatusCode::kCorruption, fmt::format("damaged {} record", what));
}

// Takes the byte of the version off `in`.
Status EatVersion(Bytes& in, std::string_view what) {
  if (in.empty()) return Damaged(what);
  const auto version = static_cast<unsigned char>(in.front());
  if (version != kVersion) {
    return Status::Unsupported(
        fmt::format("{} record of version {}; this build knows {}", what, version, kVersion));
  }
  in.remove_prefix(1);
  return Status::Ok();
}

bool EatGroups(Bytes& in, std::vector<GroupId>& groups) {
  std::uint64_t count = 0;
  if (!EatVarint(in, count) || count > kShardsMax) return false;
  groups.reserve(count);
  std::uint64_t next = 0;  // The smallest group that may follow.
  for (std::uint64_t i = 0; i < count; ++i) {
    std::uint64_t distance = 0;
    if (!EatVarint(in, distance) || distance >= kShardsMax || next + distance >= kShardsMax) {
      return false;
    }
    groups.push_back(static_cast<GroupId>(next + distance));
    next += distance + 1;
  }
  return true;
}

}  // namespace

std::string Encode(const OwnerRecord& record) {
  std::string out(1, static_cast<char>(kVersion));
  AppendLittleEndian64(out, record.server);
  AppendLittleEndian64(out, record.incarnation);
  AppendLittleEndian64(out, record.epoch);
  return out;
}

std::string Encode(const ServerRecord& record) {
  std::string out(1, static_cast<char>(kVersion));
  out.push_back(static_cast<char>(record.state));
  AppendLittleEndian64(out, record.server);
  AppendLittleEndian64(out, record.incarnation);
  AppendLittleEndian64(out, record.nonce);
  AppendVarint(out, record.beat);
  AppendVarint(out, record.revision);
  AppendLittleEndian64(out, static_cast<std::uint64_t>(record.steady_ns));
  AppendSized(out, record.address);
  AppendVarint(out, record.groups.size());
  std::uint64_t next = 0;
  for (const GroupId group : record.groups) {
    AppendVarint(out, group - next);
    next = std::uint64_t{group} + 1;
  }
  return out;
}

Result<OwnerRecord> DecodeOwnerRecord(Bytes bytes) {
  MAYFLY_RETURN_IF_ERROR(EatVersion(bytes, "owner"));
  OwnerRecord record;
  if (!EatLittleEndian64(bytes, record.server) || !EatLittleEndian64(bytes, record.incarnation) ||
      !EatLittleEndian64(bytes, record.epoch) || !bytes.empty()) {
    return Damaged("owner");
  }
  return record;
}

Result<ServerRecord> DecodeServerRecord(Bytes bytes) {
  MAYFLY_RETURN_IF_ERROR(EatVersion(bytes, "server"));
  if (bytes.empty()) return Damaged("server");
  ServerRecord record;
  const auto state = static_cast<unsigned char>(bytes.front());
  if (state < static_cast<unsigned char>(ServerState::kServing) ||
      state > static_cast<unsigned char>(ServerState::kFenced)) {
    return Damaged("server");
  }
  record.state = static_cast<ServerState>(state);
  bytes.remove_prefix(1);
  std::uint64_t steady = 0;
  Bytes address;
  if (!EatLittleEndian64(bytes, record.server) || !EatLittleEndian64(bytes, record.incarnation) ||
      !EatLittleEndian64(bytes, record.nonce) || !EatVarint(bytes, record.beat) ||
      !EatVarint(bytes, record.revision) || !EatLittleEndian64(bytes, steady) ||
      !EatSized(bytes, address) || address.size() > kAddressBytesMax ||
      !EatGroups(bytes, record.groups) || !bytes.empty()) {
    return Damaged("server");
  }
  record.steady_ns = static_cast<std::int64_t>(steady);
  record.address = std::string(address);
  return record;
}

}  // namespace mayfly::engine::cluster
