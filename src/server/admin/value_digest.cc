#include "server/admin/value_digest.h"

#include <fmt/format.h>
#include <openssl/sha.h>

#include "base/coding.h"
#include "server/commands/support/collection_walk.h"
#include "types/member_key.h"
#include "types/sorted_set.h"
#include "types/streams/stream.h"
#include "types/string.h"
#include "types/value_type.h"

namespace mayfly::server::admin {
namespace {

// Redis' numbers.
std::uint32_t NumberOf(types::ValueType type) {
  switch (type) {
    case types::ValueType::kString: return 0;
    case types::ValueType::kList: return 1;
    case types::ValueType::kSet: return 2;
    case types::ValueType::kSortedSet: return 3;
    case types::ValueType::kHash: return 4;
    case types::ValueType::kStream: break;
  }
  return 6;
}

Status MixText(core::TransactionKeyspace& space, Bytes key, Digest& digest) {
  core::FoundRow whole;
  MAYFLY_RETURN_IF_ERROR(types::FindTyped(space, key, types::ValueType::kString, whole));
  digest.Mix(whole.value);
  return {};
}

Status MixScores(core::TransactionKeyspace& space, Bytes key, Digest& digest) {
  MAYFLY_TRY(const types::SortedSet set, types::SortedSet::Open(space, key));
  return set.Walk({.range = types::RankRange{0, -1}}, [&](Bytes name, double score) {
    Digest element;
    element.Mix(name);
    element.Mix(fmt::format("{:.17g}", score));
    digest.Xor(element);
  });
}

Status MixFields(core::TransactionKeyspace& space, Bytes key, Digest& digest) {
  MAYFLY_TRY(const auto cursor, space.NewMemberCursor(key, core::Part::kMembers));
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
    Digest field;
    field.Mix(types::NameOfMember(cursor->member()));
    field.Mix(cursor->value());
    if (cursor->deadline()) field.Xor("!!hexpire!!");
    digest.Xor(field);
  }
  return cursor->status();
}

Status MixEntries(core::TransactionKeyspace& space, Bytes key, Digest& digest) {
  MAYFLY_TRY(const auto cursor, space.NewMemberCursor(key, core::Part::kMembers));
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
    const auto id = types::Stream::EntryOf(cursor->member());
    if (!id) continue;  // The member that keeps the stream's row.
    digest.Mix(fmt::format("{}.{}", id->ms, id->sequence));
    types::EntryStrings strings(cursor->value());
    for (std::uint64_t i = 0; i < strings.count(); ++i) digest.Mix(strings.Next());
  }
  return cursor->status();
}

Status MixMembers(core::TransactionKeyspace& space, Bytes key, types::ValueType type,
                  Digest& digest) {
  switch (type) {
    case types::ValueType::kString: return MixText(space, key, digest);
    case types::ValueType::kList:
      return WalkElements(space, key, type, [&](Bytes element) { digest.Mix(element); });
    case types::ValueType::kSet:
      return WalkElements(space, key, type, [&](Bytes element) { digest.Xor(element); });
    case types::ValueType::kSortedSet: return MixScores(space, key, digest);
    case types::ValueType::kHash: return MixFields(space, key, digest);
    case types::ValueType::kStream: break;
  }
  return MixEntries(space, key, digest);
}

}  // namespace

void Digest::Xor(Bytes bytes) {
  std::array<unsigned char, kBytes> sha1;
  SHA1(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), sha1.data());
  for (std::size_t i = 0; i < kBytes; ++i) bytes_[i] ^= sha1[i];
}

void Digest::Mix(Bytes bytes) {
  Xor(bytes);
  const auto before = bytes_;
  SHA1(before.data(), before.size(), bytes_.data());
}

void Digest::Mix(std::uint32_t number) {
  std::string bytes;
  AppendBigEndian32(bytes, number);
  Mix(bytes);
}

Bytes Digest::bytes() const { return {reinterpret_cast<const char*>(bytes_.data()), kBytes}; }

std::string Digest::Hex() const {
  std::string text;
  for (const unsigned char one : bytes_) fmt::format_to(std::back_inserter(text), "{:02x}", one);
  return text;
}

Status MixValue(core::TransactionKeyspace& space, Bytes key, Digest& digest) {
  core::FoundRow row;
  MAYFLY_RETURN_IF_ERROR(space.Find(key, row));
  if (!row.exists) return {};
  MAYFLY_TRY(const types::ValueType type, types::TypeOf(row.is_collection, row.value));
  digest.Mix(NumberOf(type));
  MAYFLY_RETURN_IF_ERROR(MixMembers(space, key, type, digest));
  if (row.deadline) digest.Xor("!!expire!!");
  return {};
}

}  // namespace mayfly::server::admin
