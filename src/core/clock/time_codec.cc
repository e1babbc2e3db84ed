#include "core/clock/time_codec.h"

#include "base/coding.h"

namespace mayfly::core {
namespace {

// Stored; append, never renumber.
constexpr char kVersion = 2;
constexpr std::uint8_t kOrderlyStop = 1;
constexpr std::uint8_t kUnexplained = 2;
constexpr std::uint8_t kMayBeDowntime = 4;
constexpr std::uint8_t kFlags = kOrderlyStop | kUnexplained | kMayBeDowntime;

constexpr std::size_t kBytesOfVersion1 = 9;
constexpr std::size_t kBootIdBytesMax = 64;

Status Damaged() { return Status::Corruption("the stored time is damaged; restore a backup"); }

bool EatInstant(Bytes& bytes, WallTime& instant) {
  std::uint64_t ms = 0;
  if (!EatLittleEndian64(bytes, ms)) return false;
  instant = WallTimeFromMs(static_cast<std::int64_t>(ms));
  return true;
}

void AppendInstant(std::string& out, WallTime instant) {
  AppendLittleEndian64(out, static_cast<std::uint64_t>(ToMs(instant)));
}

// Version 1 did not store the time without an unconfirmed jump: the earliest instant stands in.
Result<StoredTime> DecodeVersion1(Bytes rest) {
  StoredTime time;
  if (!EatInstant(rest, time.trusted) || ToMs(time.trusted) < 0) return Damaged();
  if (rest.front() != 0) time.explained = WallTimeFromMs(0);
  return time;
}

}  // namespace

std::string EncodeTime(const StoredTime& time) {
  std::uint8_t flags = 0;
  if (time.orderly_stop) flags |= kOrderlyStop;
  if (time.explained) flags |= kUnexplained;
  if (time.may_be_downtime) flags |= kMayBeDowntime;
  std::string record;
  record.push_back(kVersion);
  record.push_back(static_cast<char>(flags));
  AppendInstant(record, time.trusted);
  AppendLittleEndian64(record, static_cast<std::uint64_t>(time.passed.time_since_epoch().count()));
  if (time.explained) AppendInstant(record, *time.explained);
  record.append(time.boot_id, 0, kBootIdBytesMax);
  return record;
}

Result<StoredTime> DecodeTime(Bytes encoded) {
  if (encoded.size() == kBytesOfVersion1) return DecodeVersion1(encoded);
  if (encoded.size() < 2 || encoded[0] != kVersion) return Damaged();
  const auto flags = static_cast<std::uint8_t>(encoded[1]);
  if ((flags & ~kFlags) != 0) return Damaged();
  Bytes rest = encoded.substr(2);
  StoredTime time{.orderly_stop = (flags & kOrderlyStop) != 0,
                  .may_be_downtime = (flags & kMayBeDowntime) != 0};
  std::uint64_t passed = 0;
  if (!EatInstant(rest, time.trusted) || !EatLittleEndian64(rest, passed)) return Damaged();
  time.passed = SteadyTime(std::chrono::nanoseconds(static_cast<std::int64_t>(passed)));
  if ((flags & kUnexplained) != 0) {
    WallTime explained;
    if (!EatInstant(rest, explained)) return Damaged();
    time.explained = explained;
  }
  if (rest.size() > kBootIdBytesMax) return Damaged();
  time.boot_id = std::string(rest);
  return time;
}

}  // namespace mayfly::core
