#include "server/eviction/data_limit.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "core/upkeep/measured_data.h"
#include "server/command/limits.h"

namespace mayfly::server {
namespace {

// Of the data an entry stands for: a short key with a short value.
constexpr std::uint64_t kBytesPerKey = 128;
constexpr std::uint64_t kEntriesWithoutLimit = std::uint64_t{1} << 20;

}  // namespace

DataLimit::DataLimit(Config& config, Database& database, const Clock& real_clock,
                     std::uint64_t seed)
    : config_(config),
      database_(database),
      real_clock_(real_clock),
      meter_(core::FindMeter(database)),
      max_(config.Watched(Setting::kMaxMemory)),
      policy_(config.Watched(Setting::kMaxMemoryPolicy)),
      samples_(config.Watched(Setting::kMaxMemorySamples)),
      log_factor_(config.Watched(Setting::kLfuLogFactor)),
      decay_time_(config.Watched(Setting::kLfuDecayTime)),
      tenacity_(config.Watched(Setting::kMaxMemoryEvictionTenacity)),
      finder_(seed) {}

void DataLimit::Follow() {
  static_cast<void>(FollowPolicy());
  config_.OnChange(Setting::kMaxMemoryPolicy, [this](const SettingValue&) {
    waker_.Wake();
    return FollowPolicy();
  });
  config_.OnChange(Setting::kMaxMemory, [this](const SettingValue&) {
    SetRefuses(false);  // The next command sees how it is now.
    waker_.Wake();
    return Status();
  });
}

Status DataLimit::FollowPolicy() {
  const std::lock_guard lock(tables_mutex_);
  if (!IsLru(policy()) && !IsLfu(policy())) {
    accesses_.store(nullptr, std::memory_order_release);
    return {};
  }
  const auto kind = IsLfu(policy()) ? AccessTable::Kind::kLfu : AccessTable::Kind::kLru;
  const auto found = std::find_if(tables_.begin(), tables_.end(),
                                  [&](const auto& table) { return table->kind() == kind; });
  if (found == tables_.end()) {
    const std::uint64_t entries =
        on() ? static_cast<std::uint64_t>(max()) / kBytesPerKey : kEntriesWithoutLimit;
    tables_.push_back(std::make_unique<AccessTable>(kind, entries, real_clock_));
    accesses_.store(tables_.back().get(), std::memory_order_release);
  } else {
    accesses_.store(found->get(), std::memory_order_release);
  }
  return {};
}

std::int64_t DataLimit::bytes() const {
  if (!on() || meter_ == nullptr) return 0;
  return meter_->bytes() + static_cast<std::int64_t>(meter_->keyspaces()) * kDatabaseBytes;
}

std::int64_t DataLimit::over() const {
  const std::int64_t limit = max();
  if (limit <= 0) return 0;
  return std::max<std::int64_t>(bytes() - limit, 0);
}

// As in Redis: 50 us for each step up to 10, then 15 percent more with each, and no end at 100.
std::optional<std::chrono::nanoseconds> DataLimit::time_max() const {
  constexpr std::int64_t kLinear = 10;
  constexpr std::int64_t kEndless = 100;
  constexpr std::chrono::nanoseconds kStep = std::chrono::microseconds(50);
  constexpr double kGrowth = 1.15;
  const std::int64_t tenacity = tenacity_.load(std::memory_order_relaxed);
  if (tenacity >= kEndless) return std::nullopt;
  if (tenacity <= kLinear) return kStep * tenacity;
  const double nanos = static_cast<double>((kStep * kLinear).count()) *
                       std::pow(kGrowth, static_cast<double>(tenacity - kLinear));
  return std::chrono::nanoseconds(static_cast<std::int64_t>(nanos));
}

Result<std::vector<Victim>> DataLimit::FindVictims(const Databases::Mapping& databases,
                                                   std::int64_t bytes) {
  const AccessTable* const table = accesses();
  return finder_.Find(databases,
                      {.policy = policy(),
                       .bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(bytes, 1)),
                       .samples = static_cast<std::uint64_t>(
                           std::max<std::int64_t>(samples_.load(std::memory_order_relaxed), 1)),
                       .accesses = table,
                       .pace = pace()});
}

Result<bool> DataLimit::CountMore(const Databases::Mapping& databases) {
  if (meter_ == nullptr) return false;
  for (const auto& keyspace : databases) {
    if (keyspace == nullptr) continue;
    core::BeginMeasuring(database_, *keyspace);
    MAYFLY_TRY(const bool more, core::MeasureMore(database_, *keyspace));
    if (more) return true;
  }
  counts_ = true;
  return false;
}

void DataLimit::FollowDatabases(Databases& databases) {
  const std::uint64_t generation = databases.generation();
  if (generation_.load(std::memory_order_relaxed) == generation || !is_counted()) return;
  constexpr int kPagesMax = 4;  // The thread goes on.
  const auto mapping = databases.mapping();
  for (int page = 0; page < kPagesMax; ++page) {
    const Result<bool> more = CountMore(*mapping);
    if (!more || !*more) break;
  }
  generation_ = generation;
}

void DataLimit::StopCounting() {
  counts_ = false;
  if (meter_ != nullptr && meter_->active()) meter_->End();
}

void DataLimit::NoteCounted() {
  const std::lock_guard lock(counted_mutex_);
  counted_.notify_all();
}

void DataLimit::AwaitCount(std::chrono::nanoseconds time_max) {
  std::unique_lock lock(counted_mutex_);
  counted_.wait_for(lock, time_max, [this] { return !has_thread_ || !on() || is_counted(); });
}

}  // namespace mayfly::server
