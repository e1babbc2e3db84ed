#include "engine/hot/log/change_codec.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/coding.h"
#include "engine/validate.h"

namespace mayfly::engine::hot {
namespace {

constexpr unsigned kRoleShift = 4;

// Kind and role, and the lengths of key and value, which take 32 bits each.
constexpr std::size_t kChangeHeaderBytesMax = 1 + 5 + 5;

Status BadPayload() { return Status::Corruption("a record of the log is not a list of changes"); }

// Takes `size` bytes off the front.
bool EatRaw(Bytes& in, std::uint64_t size, Bytes& out) {
  if (size > in.size()) return false;
  out = in.substr(0, size);
  in.remove_prefix(size);
  return true;
}

bool EatChange(Bytes& in, Batch::Change& change) {
  const auto first = static_cast<unsigned char>(in.front());
  in.remove_prefix(1);
  change.kind = static_cast<Batch::Kind>(first & 0xF);
  change.at = {.role = static_cast<Role>(first >> kRoleShift)};
  std::uint64_t key = 0;
  std::uint64_t value = 0;
  if (change.kind > Batch::Kind::kDeleteRange || !IsGoodAddress(change.at)) return false;
  if (!EatVarint(in, key)) return false;
  if (change.kind != Batch::Kind::kDelete && !EatVarint(in, value)) return false;
  return EatRaw(in, key, change.key) && EatRaw(in, value, change.value);
}

}  // namespace

Bytes EncodeBatch(const Batch& batch, std::string& room) {
  const std::size_t bytes_max = 1 + batch.bytes() + batch.change_count() * kChangeHeaderBytesMax;
  if (room.size() < bytes_max) room.resize(bytes_max);
  char* at = room.data();
  *at++ = static_cast<char>(PayloadKind::kChanges);
  for (std::size_t i = 0; i < batch.change_count(); ++i) {
    const Batch::Change change = batch.change(i);
    *at++ = static_cast<char>(static_cast<unsigned>(change.kind) |
                              static_cast<unsigned>(change.at.role) << kRoleShift);
    at = WriteVarint(at, change.key.size());
    if (change.kind != Batch::Kind::kDelete) at = WriteVarint(at, change.value.size());
    at = std::copy(change.key.begin(), change.key.end(), at);
    at = std::copy(change.value.begin(), change.value.end(), at);
  }
  return {room.data(), static_cast<std::size_t>(at - room.data())};
}

void EncodeNote(Bytes note, std::string& out) {
  out += static_cast<char>(PayloadKind::kNote);
  out += note;
}

Status DecodePayload(Bytes payload, FunctionRef<Status(const Batch::Change&)> change,
                     FunctionRef<Status(Bytes)> note) {
  if (payload.empty()) return {};
  const auto kind = static_cast<PayloadKind>(payload.front());
  payload.remove_prefix(1);
  if (kind == PayloadKind::kNote) return note(payload);
  if (kind != PayloadKind::kChanges) {
    return Status::Unsupported(
        fmt::format("the log has a record of kind {}, which this mayfly does not know",
                    static_cast<unsigned>(kind)));
  }
  while (!payload.empty()) {
    Batch::Change decoded = {};
    if (!EatChange(payload, decoded)) return BadPayload();
    MAYFLY_RETURN_IF_ERROR(change(decoded));
  }
  return {};
}

}  // namespace mayfly::engine::hot
