#include "core/store/data_meter.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "core/layout/addresses.h"
#include "core/layout/keys.h"
#include "core/layout/limits.h"

namespace mayfly::core {
namespace {

constexpr std::size_t kRowRange = 0;
constexpr std::size_t kMemberRange = 1;
constexpr std::size_t kIndexRange = 2;
constexpr std::size_t kMemberIndexRange = 3;

// The range of a pair, and the keyspace it belongs to; nothing for pairs that are not counted.
struct Place {
  std::size_t range;
  KeyspaceId keyspace;
};

std::optional<Place> PlaceOf(engine::Role role, Bytes key) {
  const auto id = KeyspaceOf(key);
  if (!id) return std::nullopt;
  switch (role) {
    case engine::Role::kRows: return Place{kRowRange, *id};
    case engine::Role::kMembers: return Place{kMemberRange, *id};
    case engine::Role::kExpiry:
      return (*id & kMembersBit) != 0 ? Place{kMemberIndexRange, *id & ~kMembersBit}
                                      : Place{kIndexRange, *id};
    default: return std::nullopt;
  }
}

engine::Address AddressOf(std::size_t range) {
  if (range == kRowRange) return kRows;
  return range == kMemberRange ? kMembers : kExpiry;
}

KeyspaceId PrefixOf(std::size_t range, KeyspaceId keyspace) {
  return range == kMemberIndexRange ? MembersOf(keyspace) : keyspace;
}

std::int64_t BytesOf(Bytes key, Bytes value) {
  return static_cast<std::int64_t>(key.size() + value.size());
}

// The pairs that a batch has written so far, since it may write one twice: of few a list, of many
// a table.
class PairsOfBatch {
 public:
  const std::int64_t* Find(std::size_t range, Bytes key) const {
    if (!many_.empty()) {
      const auto& of_range = many_[range];
      const auto found = of_range.find(key);
      return found == of_range.end() ? nullptr : &found->second;
    }
    const auto found = std::find_if(few_.rbegin(), few_.rend(), [&](const Pair& pair) {
      return pair.range == range && pair.key == key;
    });
    return found == few_.rend() ? nullptr : &found->bytes;
  }
  void Set(std::size_t range, Bytes key, std::int64_t bytes) {
    constexpr std::size_t kFewMax = 16;
    if (many_.empty() && few_.size() < kFewMax) return few_.push_back({range, key, bytes});
    if (many_.empty()) {
      many_.resize(kMeasuredRanges);
      for (const Pair& pair : few_) many_[pair.range][pair.key] = pair.bytes;
    }
    many_[range][key] = bytes;
  }

 private:
  struct Pair {
    std::size_t range;
    Bytes key;
    std::int64_t bytes;
  };
  std::vector<Pair> few_;
  std::vector<std::unordered_map<Bytes, std::int64_t>> many_;
};

}  // namespace

std::shared_ptr<MeasuredKeyspace> DataMeter::Find(KeyspaceId id) const {
  const auto all = list();
  const auto found = std::find_if(all->begin(), all->end(),
                                  [&](const auto& one) { return one->state->id() == id; });
  return found == all->end() ? nullptr : *found;
}

Result<std::int64_t> DataMeter::StoredBytes(engine::Address at, Bytes key) const {
  PinnedBytes value;
  const Status read = engine_.Get(at, key, value);
  if (read.IsNotFound()) return std::int64_t{0};
  MAYFLY_RETURN_IF_ERROR(read);
  return BytesOf(key, value.view());
}

Result<DataMeter::Changes> DataMeter::Weigh(const engine::Batch& batch) const {
  Changes changes;
  PairsOfBatch written;
  const auto change_of = [&](KeyspaceId id) -> Change* {
    const auto known = std::find_if(changes.begin(), changes.end(), [&](const Change& change) {
      return change.keyspace->state->id() == id;
    });
    if (known != changes.end()) return &*known;
    auto measured = Find(id);
    if (measured == nullptr) return nullptr;
    changes.push_back({std::move(measured)});
    return &changes.back();
  };
  for (std::size_t i = 0; i < batch.change_count(); ++i) {
    const engine::Batch::Change one = batch.change(i);
    const auto place = PlaceOf(one.at.role, one.key);
    if (!place) continue;
    Change* const change = change_of(place->keyspace);
    if (change == nullptr) continue;
    if (one.kind == engine::Batch::Kind::kDeleteRange) {  // Clears come before all other changes.
      change->cleared = true;
      continue;
    }
    if (!change->keyspace->Counts(place->range, one.key)) continue;
    const std::int64_t* const before = written.Find(place->range, one.key);
    if (before != nullptr) {
      change->bytes -= *before;
    } else if (!change->cleared) {
      MAYFLY_TRY(const std::int64_t stored, StoredBytes(one.at, one.key));
      change->bytes -= stored;
    }
    const bool puts = one.kind == engine::Batch::Kind::kPut;
    const std::int64_t after = puts ? BytesOf(one.key, one.value) : 0;
    change->bytes += after;
    written.Set(place->range, one.key, after);
  }
  return changes;
}

void DataMeter::Apply(const Changes& changes) {
  for (const Change& change : changes) {
    if (change.cleared) {
      change.keyspace->bytes = change.bytes;
    } else if (change.bytes != 0) {
      change.keyspace->bytes += change.bytes;
    }
  }
}

void DataMeter::Begin(const std::shared_ptr<KeyspaceState>& keyspace) {
  const std::lock_guard lock(mutex_);
  if (Find(keyspace->id()) != nullptr) return;
  auto longer = std::make_shared<List>();
  for (const auto& one : *list()) {
    if (!one->state->dropped()) longer->push_back(one);
  }
  longer->push_back(std::make_shared<MeasuredKeyspace>(keyspace));
  std::atomic_store(&list_, std::shared_ptr<const List>(std::move(longer)));
  active_ = true;
}

Result<bool> DataMeter::CountMore(KeyspaceState& keyspace) {
  const std::unique_lock gate(keyspace.gate());
  const auto measured = Find(keyspace.id());
  if (measured == nullptr || measured->is_whole() || keyspace.dropped()) return false;
  const std::size_t range = measured->range;
  const KeyspaceId prefix = PrefixOf(range, keyspace.id());
  const std::string begin = std::max(measured->frontier, KeyspaceBegin(prefix));
  const std::string end = KeyspaceEnd(prefix);
  MAYFLY_TRY(const auto cursor,
             engine_.NewCursor(AddressOf(range), {.range = {begin, end}, .fill_cache = false}));
  std::int64_t bytes = 0;
  std::string last;
  std::size_t pairs = 0;
  for (cursor->SeekToFirst(); cursor->Valid() && pairs < kMeasuredPairsMax; cursor->Next()) {
    bytes += BytesOf(cursor->key(), cursor->value());
    last = cursor->key();
    ++pairs;
  }
  MAYFLY_RETURN_IF_ERROR(cursor->status());
  const bool range_ends = !cursor->Valid();
  measured->bytes += bytes;
  measured->frontier = range_ends ? std::string() : last + '\0';
  if (range_ends) measured->range.store(range + 1, std::memory_order_release);
  return !measured->is_whole();
}

void DataMeter::Recount(KeyspaceState& keyspace) {
  if (!active()) return;
  const std::unique_lock gate(keyspace.gate());
  const auto measured = Find(keyspace.id());
  if (measured == nullptr) return;
  measured->bytes = 0;
  measured->frontier.clear();
  measured->range = 0;
}

void DataMeter::End() {
  const std::lock_guard lock(mutex_);
  active_ = false;
  std::atomic_store(&list_, std::make_shared<const List>());
}

std::int64_t DataMeter::bytes() const {
  std::int64_t sum = 0;
  for (const auto& one : *list()) {
    if (!one->state->dropped()) sum += one->bytes.load(std::memory_order_relaxed);
  }
  return sum;
}

std::int64_t DataMeter::orphans() const {
  std::int64_t sum = 0;
  for (const auto& one : *list()) {
    if (!one->state->dropped()) sum += one->state->orphans();
  }
  return sum;
}

std::size_t DataMeter::keyspaces() const {
  const auto all = list();
  return static_cast<std::size_t>(std::count_if(
      all->begin(), all->end(), [](const auto& one) { return !one->state->dropped(); }));
}

bool DataMeter::is_whole() const {
  const auto all = list();
  return std::all_of(all->begin(), all->end(),
                     [](const auto& one) { return one->is_whole() || one->state->dropped(); });
}

}  // namespace mayfly::core
