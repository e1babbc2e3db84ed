#include "server/eviction/access_table.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <limits>

#include "server/command/limits.h"

namespace mayfly::server {
namespace {

constexpr Millis kIdleStep(10);
constexpr std::uint8_t kFirstFrequency = 5;  // Of a key that is new, as in Redis.
constexpr std::uint32_t kMinutesMask = 0xFF'FFFF;
constexpr unsigned kCounterBits = 8;
constexpr std::uint64_t kCounterMax = std::numeric_limits<std::uint8_t>::max();

constexpr std::uint32_t TagOf(std::uint64_t hash) {
  return static_cast<std::uint32_t>(hash >> 32) | 1u;  // Never that of an empty entry.
}
constexpr std::uint64_t Entry(std::uint32_t tag, std::uint32_t data) {
  return (std::uint64_t{tag} << 32) | data;
}
constexpr std::uint32_t TagIn(std::uint64_t entry) {
  return static_cast<std::uint32_t>(entry >> 32);
}
constexpr std::uint32_t DataIn(std::uint64_t entry) { return static_cast<std::uint32_t>(entry); }

constexpr std::uint32_t Frequent(std::uint32_t minutes, std::uint8_t counter) {
  return ((minutes & kMinutesMask) << kCounterBits) | counter;
}
constexpr std::uint8_t CounterIn(std::uint32_t data) { return static_cast<std::uint8_t>(data); }

// The more often it was counted, the less likely the next use counts.
std::uint8_t Counted(std::uint8_t counter, std::int64_t log_factor, Random& random) {
  if (counter == std::numeric_limits<std::uint8_t>::max()) return counter;
  const auto above = static_cast<std::uint64_t>(std::max(counter - kFirstFrequency, 0));
  const auto factor = static_cast<std::uint64_t>(std::max<std::int64_t>(log_factor, 0));
  return random.Below(above * factor + 1) == 0 ? static_cast<std::uint8_t>(counter + 1) : counter;
}

std::uint64_t BucketsFor(std::uint64_t entries, std::size_t ways) {
  return std::bit_ceil(std::clamp(entries, kAccessEntriesMin, kAccessEntriesMax)) / ways;
}

}  // namespace

AccessTable::AccessTable(Kind kind, std::uint64_t entries, const Clock& clock)
    : kind_(kind),
      clock_(clock),
      begin_(clock.Steady()),
      mask_(BucketsFor(entries, kWays) - 1),
      buckets_(std::make_unique<Bucket[]>(mask_ + 1)) {}  // NOLINT(*-avoid-c-arrays)

std::uint32_t AccessTable::Steps() const {
  return static_cast<std::uint32_t>((clock_.Steady() - begin_) / kIdleStep);
}

// Another thread may have read a later time.
std::uint32_t AccessTable::StepsSince(std::uint32_t then) const {
  const auto passed = static_cast<std::int32_t>(Steps() - then);
  return static_cast<std::uint32_t>(std::max(passed, 0));
}

std::uint32_t AccessTable::Minutes() const {
  const auto minutes =
      std::chrono::duration_cast<std::chrono::minutes>(clock_.Steady() - begin_).count();
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(minutes, 0, kMinutesMask));
}

std::uint8_t AccessTable::Fallen(std::uint32_t data, const LfuPace& pace) const {
  const std::uint8_t counter = CounterIn(data);
  if (pace.decay_minutes <= 0) return counter;
  const std::uint32_t then = data >> kCounterBits;
  const std::int64_t passed = std::max<std::int64_t>(std::int64_t{Minutes()} - then, 0);
  return static_cast<std::uint8_t>(
      std::max<std::int64_t>(counter - passed / pace.decay_minutes, 0));
}

std::optional<std::uint32_t> AccessTable::Find(std::uint64_t hash) const {
  const std::uint32_t tag = TagOf(hash);
  for (const auto& slot : BucketOf(hash).entries) {
    const std::uint64_t entry = slot.load(std::memory_order_relaxed);
    if (TagIn(entry) == tag) return DataIn(entry);
  }
  return std::nullopt;
}

// Its own place, an empty one, or that of the entry that matters least.
std::atomic<std::uint64_t>& AccessTable::PlaceFor(std::uint64_t hash, const LfuPace& pace) const {
  Bucket& bucket = BucketOf(hash);
  const std::uint32_t tag = TagOf(hash);
  std::atomic<std::uint64_t>* least = &bucket.entries.front();
  std::uint64_t least_loss = 0;
  for (auto& slot : bucket.entries) {
    const std::uint64_t entry = slot.load(std::memory_order_relaxed);
    if (TagIn(entry) == tag) return slot;
    // How little is lost with it.
    std::uint64_t loss = std::numeric_limits<std::uint64_t>::max();
    if (entry != 0 && kind_ == Kind::kLru) loss = StepsSince(DataIn(entry));
    if (entry != 0 && kind_ == Kind::kLfu) loss = kCounterMax - Fallen(DataIn(entry), pace);
    if (loss < least_loss) continue;
    least = &slot;
    least_loss = loss;
  }
  return *least;
}

void AccessTable::Touch(std::uint64_t hash, const LfuPace& pace, Random& random) {
  const std::uint32_t tag = TagOf(hash);
  auto& slot = PlaceFor(hash, pace);
  if (kind_ == Kind::kLru) return slot.store(Entry(tag, Steps()), std::memory_order_relaxed);
  const std::uint64_t before = slot.load(std::memory_order_relaxed);
  const std::uint8_t counter = TagIn(before) == tag
                                   ? Counted(Fallen(DataIn(before), pace), pace.log_factor, random)
                                   : kFirstFrequency;
  slot.store(Entry(tag, Frequent(Minutes(), counter)), std::memory_order_relaxed);
}

Millis AccessTable::age() const {
  return std::chrono::duration_cast<Millis>(clock_.Steady() - begin_);
}

std::optional<Millis> AccessTable::Idle(std::uint64_t hash) const {
  const auto data = Find(hash);
  if (!data || kind_ != Kind::kLru) return std::nullopt;
  return kIdleStep * std::int64_t{StepsSince(*data)};
}

std::uint8_t AccessTable::Frequency(std::uint64_t hash, const LfuPace& pace) const {
  const auto data = Find(hash);
  return data && kind_ == Kind::kLfu ? Fallen(*data, pace) : std::uint8_t{0};
}

std::uint8_t AccessTable::Worth(std::uint64_t hash, const LfuPace& pace) const {
  constexpr std::uint8_t kBest = std::numeric_limits<std::uint8_t>::max();
  const auto data = Find(hash);
  if (!data) return kBest;
  if (kind_ == Kind::kLfu) return static_cast<std::uint8_t>(kBest - Fallen(*data, pace));
  // Eight grades for each doubling: what is idle for an hour need not be ordered by seconds.
  const std::uint64_t idle = StepsSince(*data);
  const unsigned bits = static_cast<unsigned>(std::bit_width(idle));
  if (bits <= 3) return static_cast<std::uint8_t>(idle);
  const auto below = static_cast<unsigned>((idle >> (bits - 4)) & 7u);
  return static_cast<std::uint8_t>(std::min(8 * (bits - 3) + below, unsigned{kBest} - 1));
}

void AccessTable::Set(std::uint64_t hash, std::optional<Millis> idle,
                      std::optional<std::uint8_t> frequency) {
  auto& slot = PlaceFor(hash, {});
  if (kind_ == Kind::kLru && idle) {
    const auto ago = static_cast<std::uint32_t>(
        std::clamp<std::int64_t>(*idle / kIdleStep, 0, std::numeric_limits<std::int32_t>::max()));
    slot.store(Entry(TagOf(hash), Steps() - ago), std::memory_order_relaxed);
  } else if (kind_ == Kind::kLfu && frequency) {
    slot.store(Entry(TagOf(hash), Frequent(Minutes(), *frequency)), std::memory_order_relaxed);
  }
}

}  // namespace mayfly::server
