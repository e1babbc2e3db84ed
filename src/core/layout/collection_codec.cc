#include "core/layout/collection_codec.h"

#include <algorithm>

#include "base/coding.h"

namespace mayfly::core {
namespace {

// Stored; append, never renumber.
constexpr unsigned char kHasOwnDeadline = 0x01;
constexpr unsigned char kNamed = 0x02;
constexpr unsigned char kHasDead = 0x04;
constexpr unsigned char kPacked = 0x08;
constexpr unsigned char kKnownFlags = kHasOwnDeadline | kNamed | kHasDead | kPacked;

constexpr std::size_t kBeforePart = sizeof kPartsOfCollections + sizeof(std::uint64_t);

bool EatInstant(Bytes& in, std::optional<WallTime>& instant) {
  std::uint64_t ms = 0;
  if (!EatLittleEndian64(in, ms) || static_cast<std::int64_t>(ms) < 0) return false;
  instant = WallTimeFromMs(static_cast<std::int64_t>(ms));
  return true;
}

void AppendInstant(std::string& out, WallTime instant) {
  AppendLittleEndian64(out, static_cast<std::uint64_t>(ToMs(instant)));
}

}  // namespace

void AppendCollection(std::string& out, const Collection& collection) {
  out.push_back(static_cast<char>(
      (collection.own_deadline ? kHasOwnDeadline : 0) | (collection.named ? kNamed : 0) |
      (collection.dead > 0 ? kHasDead : 0) | (collection.packed ? kPacked : 0)));
  AppendVarint(out, collection.members);
  AppendVarint(out, collection.mortal);
  if (collection.own_deadline) AppendInstant(out, *collection.own_deadline);
  if (collection.mortal > 0) {
    AppendInstant(out, collection.first_deadline.value_or(WallTimeFromMs(0)));
  }
  if (collection.dead > 0) AppendVarint(out, collection.dead);
  if (collection.packed) AppendVarint(out, collection.head.size());
  out.append(collection.head);
  if (collection.packed) out.append(*collection.packed);
}

Result<Collection> DecodeCollection(Bytes in) {
  const auto damaged = [] {
    return Status::Corruption("the row of a collection is damaged; run a check of the database");
  };
  if (in.empty()) return damaged();
  const auto flags = static_cast<unsigned char>(in.front());
  in.remove_prefix(1);
  if ((flags & ~kKnownFlags) != 0) {
    return Status::Unsupported(
        "a collection with flags that this build does not know; use a newer mayfly");
  }
  Collection collection;
  collection.named = (flags & kNamed) != 0;
  if (!EatVarint(in, collection.members) || !EatVarint(in, collection.mortal) ||
      collection.mortal > collection.members) {
    return damaged();
  }
  if ((flags & kHasOwnDeadline) != 0 && !EatInstant(in, collection.own_deadline)) return damaged();
  if (collection.mortal > 0 && !EatInstant(in, collection.first_deadline)) return damaged();
  if ((flags & kHasDead) != 0 && (!EatVarint(in, collection.dead) || collection.dead == 0 ||
                                  collection.dead > collection.mortal)) {
    return damaged();
  }
  collection.head = in;
  if ((flags & kPacked) != 0) {
    // No part has a deadline, so none is in the order, and there is no name.
    if (collection.mortal > 0 || collection.named || !EatSized(in, collection.head)) {
      return damaged();
    }
    collection.packed = in;
  }
  return collection;
}

bool HasMortalMembers(const RowView& row) {
  if (!row.collection_id || row.payload.empty()) return false;
  Bytes counts = row.payload.substr(1);
  std::uint64_t members = 0;
  std::uint64_t mortal = 0;
  return EatVarint(counts, members) && EatVarint(counts, mortal) && mortal > 0;
}

bool IsPacked(const RowView& row) {
  return row.collection_id && !row.payload.empty() &&
         (static_cast<unsigned char>(row.payload.front()) & kPacked) != 0;
}

std::optional<WallTime> DeadlineOf(const Collection& collection, std::optional<WallTime> last) {
  if (!collection.all_mortal() || !last) return collection.own_deadline;
  return std::min(collection.own_deadline.value_or(*last), *last);
}

PartKeys::PartKeys(KeyspaceId keyspace, std::uint64_t collection_id) {
  prefix_.reserve(sizeof keyspace + kBeforePart);
  AppendBigEndian32(prefix_, keyspace);
  prefix_ += kPartsOfCollections;
  AppendBigEndian64(prefix_, collection_id);
}

std::string PartKeys::OfOrder(WallTime deadline, Bytes member) const {
  std::string key = Begin(PartKind::kOrder);
  AppendBigEndian64(key, static_cast<std::uint64_t>(ToMs(deadline)));
  return key.append(member);
}

std::optional<OrderName> DecodeOrderName(Bytes name) {
  std::uint64_t ms = 0;
  if (!EatBigEndian64(name, ms) || static_cast<std::int64_t>(ms) < 0) return std::nullopt;
  return OrderName{WallTimeFromMs(static_cast<std::int64_t>(ms)), name};
}

std::optional<PartKeyView> DecodePartKey(Bytes member_key) {
  if (!IsPartKey(member_key)) return std::nullopt;
  Bytes rest = member_key.substr(sizeof kPartsOfCollections);
  std::uint64_t collection_id = 0;
  if (!EatBigEndian64(rest, collection_id) || rest.empty()) return std::nullopt;
  const auto part = static_cast<PartKind>(rest.front());
  if (part < PartKind::kMember || part > PartKind::kName) return std::nullopt;
  return PartKeyView{collection_id, part, rest.substr(1)};
}

bool IsPartKey(Bytes member_key) {
  return !member_key.empty() && member_key.front() == kPartsOfCollections;
}

std::optional<WallTime> DeadlineOfPart(Bytes member_key, Bytes value) {
  if (!IsPartKey(member_key) || member_key.size() <= kBeforePart) return std::nullopt;
  if (static_cast<PartKind>(member_key[kBeforePart]) == PartKind::kOrder) {
    const auto order = DecodeOrderName(member_key.substr(kBeforePart + 1));
    return order ? std::optional(order->deadline) : std::nullopt;
  }
  const auto row = DecodeRow(value);
  return row ? row->deadline : std::nullopt;
}

std::string OrphanKey(KeyspaceId keyspace, std::uint64_t collection_id) {
  std::string out = MetaKey(kMetaOrphan, keyspace);
  AppendBigEndian64(out, collection_id);
  return out;
}

std::string EncodeOrphan(WallTime ended) {
  std::string out;
  AppendInstant(out, ended);
  return out;
}

Result<Orphan> DecodeOrphan(Bytes meta_key, Bytes value) {
  meta_key.remove_prefix(1);
  Orphan orphan{};
  std::optional<WallTime> ended;
  if (!EatBigEndian32(meta_key, orphan.keyspace) ||
      !EatBigEndian64(meta_key, orphan.collection_id) || !meta_key.empty() ||
      !EatInstant(value, ended) || !value.empty()) {
    return Status::Corruption("the record of an orphan is damaged; run a check with repair");
  }
  orphan.ended = *ended;
  return orphan;
}

}  // namespace mayfly::core
