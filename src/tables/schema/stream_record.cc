#include "tables/schema/stream_record.h"

#include "base/check.h"
#include "base/coding.h"
#include "items/item_codec.h"
#include "items/item_size.h"

namespace mayfly::tables {
namespace {

constexpr char kStreamRecordFormat = 1;
constexpr unsigned char kKindBits = 0x03;
constexpr unsigned char kByTtl = 0x04;
constexpr unsigned char kHasOld = 0x08;
constexpr unsigned char kHasNew = 0x10;
constexpr unsigned char kAllBits = kKindBits | kByTtl | kHasOld | kHasNew;

Status Damaged() { return Status::Corruption("a record of a stream is damaged"); }

Result<Item> EatItem(Bytes& in) {
  Bytes bytes;
  if (!EatSized(in, bytes)) return Damaged();
  MAYFLY_TRY(items::StoredItem stored, items::DecodeItem(bytes));
  if (stored.version != 0) return Damaged();
  return std::move(stored.item);
}

std::uint64_t SizeOfRecord(const StreamRecord& record) {
  std::uint64_t bytes = items::SizeOf(record.keys);
  if (record.old_image) bytes += items::SizeOf(*record.old_image);
  if (record.new_image) bytes += items::SizeOf(*record.new_image);
  return bytes;
}

}  // namespace

Item StreamKeysOf(const TableSpec& table, const Item& item) {
  Item keys;
  const auto add = [&](const std::string& name) {
    if (const auto found = item.find(name); found != item.end()) keys.insert(*found);
  };
  add(table.partition.name);
  if (table.sort) add(table.sort->name);
  return keys;
}

StreamRecord MakeRecord(const TableSpec& table, StreamView view, const Item* before,
                        const Item* after, bool by_ttl, WallTime at) {
  MAYFLY_CHECK(before != nullptr || after != nullptr, "a record of no item");
  StreamRecord record;
  record.kind = before == nullptr  ? StreamRecord::Kind::kInsert
                : after == nullptr ? StreamRecord::Kind::kRemove
                                   : StreamRecord::Kind::kModify;
  record.by_ttl = by_ttl;
  record.at = at;
  record.keys = StreamKeysOf(table, after != nullptr ? *after : *before);
  const bool both = view == StreamView::kNewAndOldImages;
  if (before != nullptr && (both || view == StreamView::kOldImage)) record.old_image = *before;
  if (after != nullptr && (both || view == StreamView::kNewImage)) record.new_image = *after;
  record.bytes = SizeOfRecord(record);
  return record;
}

std::string EncodeSequence(std::uint64_t sequence) {
  std::string key;
  AppendBigEndian64(key, sequence);
  return key;
}

std::string EncodeRecord(const StreamRecord& record) {
  std::string out(1, kStreamRecordFormat);
  auto bits = static_cast<unsigned char>(record.kind);
  if (record.by_ttl) bits |= kByTtl;
  if (record.old_image) bits |= kHasOld;
  if (record.new_image) bits |= kHasNew;
  out.push_back(static_cast<char>(bits));
  AppendZigZag(out, ToMs(record.at));
  AppendSized(out, items::EncodeItem(record.keys, 0));
  if (record.old_image) AppendSized(out, items::EncodeItem(*record.old_image, 0));
  if (record.new_image) AppendSized(out, items::EncodeItem(*record.new_image, 0));
  return out;
}

Result<std::uint64_t> DecodeSequence(Bytes key) {
  std::uint64_t sequence = 0;
  if (!EatBigEndian64(key, sequence) || !key.empty()) return Damaged();
  return sequence;
}

Result<StreamRecord> DecodeRecord(Bytes key, Bytes value) {
  StreamRecord record;
  MAYFLY_TRY(record.sequence, DecodeSequence(key));
  if (value.size() < 2) return Damaged();
  if (value.front() != kStreamRecordFormat) {
    return Status::Unsupported("a record of a stream was written by a newer mayfly");
  }
  const auto bits = static_cast<unsigned char>(value[1]);
  value.remove_prefix(2);
  std::int64_t at_ms = 0;
  if ((bits & ~kAllBits) != 0 || (bits & kKindBits) > 2 || !EatZigZag(value, at_ms)) {
    return Damaged();
  }
  record.kind = static_cast<StreamRecord::Kind>(bits & kKindBits);
  record.by_ttl = (bits & kByTtl) != 0;
  record.at = WallTimeFromMs(at_ms);
  MAYFLY_TRY(record.keys, EatItem(value));
  if ((bits & kHasOld) != 0) {
    MAYFLY_TRY(record.old_image, EatItem(value));
  }
  if ((bits & kHasNew) != 0) {
    MAYFLY_TRY(record.new_image, EatItem(value));
  }
  if (!value.empty()) return Damaged();
  record.bytes = SizeOfRecord(record);
  return record;
}

}  // namespace mayfly::tables
