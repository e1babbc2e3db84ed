#include "core/keyspaces/stored_cache.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <string>
#include <utility>

#include "base/checksum.h"

namespace mayfly::core {
namespace {

constexpr std::size_t kBucketsMin = 16;

// The largest pair may take 1 / this of a shard, if that is more than kCachedPairBytesMax: a large
// cache has room for larger pairs.
constexpr std::size_t kLargePairsPerShard = 64;

std::size_t PairBytesMax(std::size_t shard_bytes_max) {
  return std::max(kCachedPairBytesMax, shard_bytes_max / kLargePairsPerShard);
}

std::uint64_t HashOf(engine::Role role, Bytes key) {
  return Hash64(key, static_cast<std::uint64_t>(role));
}

bool IsKept(engine::Role role) {
  return role == engine::Role::kRows || role == engine::Role::kMembers;
}

}  // namespace

// One block of memory: this, the key, the value. A hit touches its bucket and its line.
struct StoredCache::Line {
  LinePointer next;
  std::uint64_t hash;
  std::uint32_t key_size;
  std::uint32_t value_size;
  std::uint32_t room;  // For key and value.
  engine::Role role;
  bool present;
  bool asked = false;  // Hit since the hand passed it.

  char* bytes() { return reinterpret_cast<char*>(this + 1); }
  Bytes key() { return {bytes(), key_size}; }
  Bytes value() { return {bytes() + key_size, value_size}; }
  std::size_t cost() const { return sizeof(Line) + room + sizeof(LinePointer); }
  void SetValue(Bytes value, bool there) {
    if (!value.empty()) std::memcpy(bytes() + key_size, value.data(), value.size());
    value_size = static_cast<std::uint32_t>(value.size());
    present = there;
  }
};

void StoredCache::FreeLine::operator()(Line* line) const {
  line->~Line();
  ::operator delete(line);
}

StoredCache::StoredCache(std::size_t bytes_max)
    : shard_bytes_max_(bytes_max >> kCacheShardBits), shards_() {}

StoredCache::~StoredCache() = default;

StoredCache::LinePointer StoredCache::NewLine(engine::Role role, Bytes key, Bytes value,
                                              bool present, std::uint64_t hash) {
  const std::size_t room = key.size() + value.size();
  void* const memory = ::operator new(sizeof(Line) + room);
  LinePointer line(::new (memory) Line{.next = nullptr,
                                       .hash = hash,
                                       .key_size = static_cast<std::uint32_t>(key.size()),
                                       .value_size = 0,
                                       .room = static_cast<std::uint32_t>(room),
                                       .role = role,
                                       .present = present});
  if (!key.empty()) std::memcpy(line->bytes(), key.data(), key.size());
  line->SetValue(value, present);
  return line;
}

// The pointer that owns the line, or null.
StoredCache::LinePointer* StoredCache::Seek(Shard& shard, engine::Role role, Bytes key,
                                            std::uint64_t hash) {
  if (shard.buckets.empty()) return nullptr;
  LinePointer* at = &shard.buckets[hash & (shard.buckets.size() - 1)];
  for (; *at != nullptr; at = &(*at)->next) {
    Line& line = **at;
    if (line.hash == hash && line.role == role && line.key() == key) return at;
  }
  return nullptr;
}

void StoredCache::Insert(Shard& shard, LinePointer line) {
  if (shard.lines >= shard.buckets.size()) {
    std::vector<LinePointer> old(std::max(kBucketsMin, 2 * shard.buckets.size()));
    old.swap(shard.buckets);
    shard.hand = 0;
    for (LinePointer& chain : old) {
      while (chain != nullptr) {
        LinePointer moved = std::exchange(chain, std::move(chain->next));
        LinePointer& bucket = shard.buckets[moved->hash & (shard.buckets.size() - 1)];
        moved->next = std::move(bucket);
        bucket = std::move(moved);
      }
    }
  }
  ++shard.lines;
  shard.bytes += line->cost();
  LinePointer& bucket = shard.buckets[line->hash & (shard.buckets.size() - 1)];
  line->next = std::move(bucket);
  bucket = std::move(line);
}

void StoredCache::Remove(Shard& shard, LinePointer& line) {
  --shard.lines;
  shard.bytes -= line->cost();
  line = std::move(line->next);
}

// CLOCK: a line that was hit since the hand passed it stays for another round.
void StoredCache::MakeRoom(Shard& shard, std::size_t bytes) const {
  while (shard.lines > 0 && shard.bytes + bytes > shard_bytes_max_) {
    LinePointer* at = &shard.buckets[shard.hand];
    shard.hand = (shard.hand + 1) & (shard.buckets.size() - 1);
    while (*at != nullptr) {
      if (std::exchange((*at)->asked, false)) {
        at = &(*at)->next;
      } else {
        Remove(shard, *at);
      }
    }
  }
}

StoredCache::Answer StoredCache::Find(engine::Role role, Bytes key, PinnedBytes& value) {
  const std::uint64_t hash = HashOf(role, key);
  Shard& shard = ShardOf(hash);
  const std::lock_guard lock(shard.mutex);
  LinePointer* const at = Seek(shard, role, key, hash);
  if (at == nullptr) return Answer::kUnknown;
  Line& line = **at;
  line.asked = true;
  if (!line.present) return Answer::kAbsent;
  auto& copy = value.Hold<std::string>();
  copy.assign(line.value());
  value.Show(copy);
  return Answer::kPresent;
}

void StoredCache::Keep(engine::Role role, Bytes key, Bytes value, bool present) {
  if (!on() || key.size() + value.size() > PairBytesMax(shard_bytes_max_)) return;
  used_.store(true, std::memory_order_relaxed);
  const std::uint64_t hash = HashOf(role, key);
  LinePointer line = NewLine(role, key, value, present, hash);
  Shard& shard = ShardOf(hash);
  const std::lock_guard lock(shard.mutex);
  if (LinePointer* const at = Seek(shard, role, key, hash)) Remove(shard, *at);
  MakeRoom(shard, line->cost());
  if (shard.bytes + line->cost() <= shard_bytes_max_) Insert(shard, std::move(line));
}

void StoredCache::FollowEach(const engine::Batch& batch, bool happened) {
  if (!used_.load(std::memory_order_relaxed)) return;
  for (std::size_t i = 0; i < batch.change_count(); ++i) {
    const engine::Batch::Change change = batch.change(i);
    if (IsKept(change.at.role)) Follow(change, happened);
  }
}

void StoredCache::Follow(const engine::Batch::Change& change, bool happened) {
  const engine::Role role = change.at.role;
  if (change.kind == engine::Batch::Kind::kDeleteRange) {
    if (const auto keyspace = KeyspaceOf(change.key)) Forget(*keyspace);
    return;
  }
  const std::uint64_t hash = HashOf(role, change.key);
  Shard& shard = ShardOf(hash);
  const std::lock_guard lock(shard.mutex);
  LinePointer* const at = Seek(shard, role, change.key, hash);
  if (at == nullptr) return;
  Line& line = **at;
  const std::size_t size = change.key.size() + change.value.size();
  if (!happened || size > PairBytesMax(shard_bytes_max_)) return Remove(shard, *at);
  const bool present = change.kind == engine::Batch::Kind::kPut;
  // A line that would be less than half full is allocated anew, too.
  if (size <= line.room && line.room <= 2 * size) return line.SetValue(change.value, present);
  LinePointer larger = NewLine(role, change.key, change.value, present, hash);
  Remove(shard, *at);
  MakeRoom(shard, larger->cost());
  if (shard.bytes + larger->cost() <= shard_bytes_max_) Insert(shard, std::move(larger));
}

void StoredCache::Forget(KeyspaceId keyspace) {
  if (!used_.load(std::memory_order_relaxed)) return;
  for (Shard& shard : shards_) {
    const std::lock_guard lock(shard.mutex);
    for (LinePointer& bucket : shard.buckets) {
      LinePointer* at = &bucket;
      while (*at != nullptr) {
        if (KeyspaceOf((*at)->key()) == keyspace) {
          Remove(shard, *at);
        } else {
          at = &(*at)->next;
        }
      }
    }
  }
}

std::size_t StoredCache::bytes() const {
  std::size_t bytes = 0;
  for (const Shard& shard : shards_) {
    const std::lock_guard lock(shard.mutex);
    bytes += shard.bytes;
  }
  return bytes;
}

}  // namespace mayfly::core
