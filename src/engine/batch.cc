#include "engine/batch.h"

#include <fmt/format.h>

#include <cassert>
#include <limits>

#include "engine/limits.h"
#include "engine/validate.h"

namespace mayfly::engine {

static_assert(kBatchBytesMax <= std::numeric_limits<std::uint32_t>::max(), "offsets are 32 bits");

void Batch::Put(Address at, Bytes key, Bytes value) { Add(Tag::kPut, at, key, value); }

void Batch::Delete(Address at, Bytes key) { Add(Tag::kDelete, at, key, {}); }

void Batch::DeleteRange(Address at, Bytes begin, Bytes end) {
  if (status_.ok()) status_ = CheckKey(end);
  if (status_.ok()) status_ = CheckOrder(begin, end);
  Add(Tag::kDeleteRange, at, begin, end);
}

void Batch::Require(Address at, Bytes key, Bytes expected) {
  Add(Tag::kRequire, at, key, expected);
}

void Batch::RequireAbsent(Address at, Bytes key) { Add(Tag::kRequireAbsent, at, key, {}); }

void Batch::Clear() {
  arena_.clear();
  changes_.clear();
  conditions_.clear();
  status_ = Status();
  slot_.reset();
  spans_slots_ = false;
}

Batch::Condition Batch::condition(std::size_t i) const {
  assert(i < conditions_.size());
  const Record& record = conditions_[i];
  Condition condition{.at = {.role = record.role, .slot = record.slot},
                      .key = KeyOf(record),
                      .expected = std::nullopt};
  if (record.tag == Tag::kRequire) condition.expected = ValueOf(record);
  return condition;
}

void Batch::Add(Tag tag, Address at, Bytes key, Bytes value) {
  if (!status_.ok() || !IsGoodAddress(at) || !IsGoodKey(key) || !IsGoodValue(value) ||
      !HasRoomFor(key, value)) [[unlikely]] {
    return Refuse(at, key, value);
  }
  const Record record{.offset = static_cast<std::uint32_t>(arena_.size()),
                      .key_size = static_cast<std::uint32_t>(key.size()),
                      .value_size = static_cast<std::uint32_t>(value.size()),
                      .slot = at.slot,
                      .role = at.role,
                      .tag = tag};
  arena_.append(key).append(value);
  (tag >= Tag::kRequire ? conditions_ : changes_).push_back(record);

  if (!slot_) slot_ = at.slot;
  if (*slot_ != at.slot) spans_slots_ = true;
}

bool Batch::HasRoomFor(Bytes key, Bytes value) const {
  return arena_.size() + key.size() + value.size() <= kBatchBytesMax &&
         changes_.size() + conditions_.size() < kBatchOperationsMax;
}

void Batch::Refuse(Address at, Bytes key, Bytes value) {
  if (status_.ok()) status_ = CheckAddress(at);
  if (status_.ok()) status_ = CheckKey(key);
  if (status_.ok()) status_ = CheckValue(value);
  if (status_.ok() && arena_.size() + key.size() + value.size() > kBatchBytesMax) {
    status_ = Status::Invalid(fmt::format(
        "batch exceeds {} bytes of keys and values; commit it in parts", kBatchBytesMax));
  }
  if (status_.ok()) {
    status_ = Status::Invalid(
        fmt::format("batch exceeds {} operations; commit it in parts", kBatchOperationsMax));
  }
}

}  // namespace mayfly::engine
