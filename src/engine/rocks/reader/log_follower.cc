#include "engine/rocks/reader/log_follower.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <system_error>
#include <thread>
#include <utility>

#include "base/coding.h"
#include "engine/memory/memory_engine.h"
#include "engine/rocks/files/rocks_directory.h"
#include "engine/rocks/files/rocks_status.h"
#include "engine/rocks/rocks_profile.h"

namespace mayfly::engine {
namespace {

// How often one refresh opens tables, while the writer removes files that were just listed.
constexpr int kOpeningsMax = 100;
// A part of the kernel's tick, which is 1 to 10 ms.
constexpr std::chrono::milliseconds kTickPause{1};
// The tail is dropped, and tables opened anew, when it is larger than this and this many times as
// large as after opening.
constexpr std::uint64_t kTailBytesMax = std::uint64_t{32} << 20;
constexpr std::uint64_t kTailGrowthMax = 2;

constexpr std::int64_t kNsPerSecond = 1'000'000'000;
std::int64_t ToNs(const timespec& time) { return time.tv_sec * kNsPerSecond + time.tv_nsec; }

rocksdb::Env& EnvOf(const RocksOptions& options) {
  return options.env != nullptr ? *options.env : *rocksdb::Env::Default();
}

// The header of RocksDB's batches: | sequence u64 | count u32 |.
constexpr std::size_t kHeaderBytes = 12;
struct Span {
  std::uint64_t first = 0;
  std::uint64_t end = 0;
};
Result<Span> SpanOf(const std::string& record) {
  Bytes header(record);
  Span span;
  std::uint32_t count = 0;
  if (record.size() < kHeaderBytes || !EatLittleEndian64(header, span.first) ||
      !EatLittleEndian32(header, count)) {
    return Status::Corruption("a record of the log has no header");
  }
  span.end = span.first + count;
  return span;
}

// Keeps of each log the records that count, and returns where the last one ends: `tables_end` if
// there are none after it. A gap after a log means that the next one was removed, and so that
// everything up to there is in the tables; unless the log stops within a record, which may be the
// one missing. Where a log begins before the end of the one before it, a write had failed, and the
// records from there on were never committed.
Result<std::uint64_t> KeepWhatCounts(std::vector<std::vector<std::string>>& logs,
                                     const std::deque<std::unique_ptr<LogTail>>& tails,
                                     std::uint64_t tables_end) {
  std::uint64_t next_first = 0;  // Of the following log; 0: no following log has a record.
  std::uint64_t end = tables_end;
  bool gone = false;
  for (auto log = logs.rbegin(); log != logs.rend(); ++log) {
    if (gone) log->clear();
    while (next_first != 0 && !log->empty()) {
      MAYFLY_TRY(const Span last, SpanOf(log->back()));
      if (last.first < next_first) break;
      log->pop_back();
    }
    if (log->empty()) continue;
    MAYFLY_TRY(const Span first, SpanOf(log->front()));
    MAYFLY_TRY(const Span last, SpanOf(log->back()));
    const std::uint64_t expected = next_first != 0 ? next_first : tables_end;
    if (last.end < expected) {
      const LogTail& tail = *tails[static_cast<std::size_t>(logs.rend() - log) - 1];
      if (next_first != 0 && tail.stops_within_record()) {
        return Status::Corruption(
            fmt::format("{} is damaged: it stops within a record, and others follow", tail.path()));
      }
      gone = true;
      log->clear();
      continue;
    }
    if (next_first == 0) end = last.end;
    next_first = first.first;
  }
  return end;
}

}  // namespace

LogFollower::LogFollower(const ReaderOptions& options)
    : options_(options), clock_(ClockOf(options.rocks)), tables_options_(options.rocks) {
  tables_options_.read_only = true;
  tables_options_.tables_only = true;
  tables_options_.block_cache = NewBlockCache(options.rocks);
}

Result<std::uint64_t> LogFollower::Refresh() {
  const std::lock_guard one_at_a_time(follow_mutex_);
  for (int opening = 0; opening < kOpeningsMax; ++opening) {
    if (state_ != nullptr || draft_ != nullptr) {
      MAYFLY_TRY(const Outcome outcome, Advance());
      if (outcome == Outcome::kLevel && !ShouldOpenAnew()) return Show();
    }
    draft_.reset();
    MAYFLY_TRY(const Stamp before, ReadStamp());
    const Status opened = OpenAnew();
    if (opened.ok()) continue;
    draft_.reset();
    logs_.clear();  // They are not the logs that the state was read from.
    // Files that were listed may be gone, and missing ones may exist by now.
    MAYFLY_TRY(const Stamp after, ReadStamp());
    if (after.changed_ns != before.changed_ns) continue;
    if (before.tick_is_over) return opened;
    std::this_thread::sleep_for(kTickPause);  // Until a change would be visible.
  }
  return Status::Busy(
      fmt::format("the writer of {} changes files faster than they can be opened here; retry later",
                  options_.rocks.directory));
}

Result<LogFollower::Stamp> LogFollower::ReadStamp() const {
  // The clock that the kernel takes file times from, read before the time is.
  timespec tick{};
  ::clock_gettime(CLOCK_REALTIME_COARSE, &tick);
  struct stat status {};
  if (::stat(options_.rocks.directory.c_str(), &status) != 0) {
    return Status::IoError(fmt::format("cannot look at {}: {}", options_.rocks.directory,
                                       std::generic_category().message(errno)));
  }
  const std::int64_t changed = ToNs(status.st_mtim);
  return Stamp{.changed_ns = changed, .tick_is_over = changed < ToNs(tick)};
}

Result<LogFollower::Listing> LogFollower::List() const {
  std::vector<std::string> names;
  const rocksdb::Status status =
      EnvOf(options_.rocks).GetChildren(options_.rocks.directory, &names);
  if (!status.ok()) return FromRocks(status, "listing " + options_.rocks.directory);
  Listing listing;
  for (std::string& name : names) {
    if (name == kHotLogFolder) listing.has_hot_log = true;
    const DirectoryFile file = FileNamed(std::move(name));
    if (file.kind == FileKind::kLog) listing.logs.push_back(file.number);
    if (file.kind == FileKind::kTable) listing.tables.insert(file.name);
  }
  std::sort(listing.logs.begin(), listing.logs.end());
  return listing;
}

Result<std::unique_ptr<LogTail>> LogFollower::OpenLog(std::uint64_t number) const {
  return LogTail::Open(EnvOf(options_.rocks),
                       fmt::format("{}/{:06}.log", options_.rocks.directory, number), number);
}

// Reads the known log after listing the directory: if a newer log exists, the known one is
// complete.
Result<LogFollower::Outcome> LogFollower::Advance() {
  MAYFLY_TRY(const Outcome looked, LookForLogs());
  if (looked == Outcome::kLost || logs_.empty()) return Outcome::kLost;
  std::vector<std::string> records;
  MAYFLY_RETURN_IF_ERROR(logs_.front()->ReadNew(records));
  MAYFLY_RETURN_IF_ERROR(Apply(records));
  while (logs_.size() > 1) {
    logs_.pop_front();
    records.clear();
    MAYFLY_RETURN_IF_ERROR(logs_.front()->ReadNew(records));
    if (records.empty()) return Outcome::kLost;
    MAYFLY_TRY(const Span first, SpanOf(records.front()));
    if (first.first != next_sequence_) return Outcome::kLost;
    MAYFLY_RETURN_IF_ERROR(Apply(records));
  }
  return Outcome::kLevel;
}

Result<LogFollower::Outcome> LogFollower::LookForLogs() {
  MAYFLY_TRY(const Stamp now, ReadStamp());
  if (stamp_.tick_is_over && now.changed_ns == stamp_.changed_ns) return Outcome::kLevel;
  MAYFLY_TRY(const Listing listing, List());
  if (listing.has_hot_log && !options_.rocks.beneath_log) {
    return Status::Invalid(fmt::format(
        "the memory-first engine has taken {} over, whose log is not read here; open it again",
        options_.rocks.directory));
  }
  stamp_ = now;
  for (const std::uint64_t number : listing.logs) {
    if (logs_.empty() || number <= logs_.back()->number()) continue;
    auto log = OpenLog(number);
    if (!log && log.error().IsNotFound()) return Outcome::kLost;
    if (!log) return log.error();
    logs_.push_back(*std::move(log));
  }
  const bool all_there = std::includes(listing.tables.begin(), listing.tables.end(),
                                       held_tables_.begin(), held_tables_.end());
  if (!all_there && !deleted_at_) deleted_at_ = clock_.Steady();
  return Outcome::kLevel;
}

bool LogFollower::ShouldOpenAnew() const {
  if (draft_ != nullptr) return false;
  if (tail_bytes_ > tail_bytes_max_) return true;
  return deleted_at_ && clock_.Steady() - *deleted_at_ >= options_.let_go_after;
}

Status LogFollower::OpenAnew() {
  ++openings_;
  logs_.clear();
  // In this order: (3) in the header.
  MAYFLY_TRY(stamp_, ReadStamp());
  MAYFLY_TRY(Listing listing, List());
  for (const std::uint64_t number : listing.logs) {
    MAYFLY_TRY(auto log, OpenLog(number));
    logs_.push_back(std::move(log));
  }
  auto fresh = std::make_shared<LayeredState>();
  MAYFLY_TRY(fresh->tables, OpenRocksEngine(tables_options_));
  fresh->tail = NewMemoryEngine();
  fresh->hidden.fill(std::make_shared<const HiddenRanges>());
  std::vector<std::vector<std::string>> records(logs_.size());
  for (std::size_t i = 0; i < logs_.size(); ++i) {
    MAYFLY_RETURN_IF_ERROR(logs_[i]->ReadNew(records[i]));
  }
  MAYFLY_TRY(const EngineStats stats, fresh->tables->Stats());
  MAYFLY_TRY(const std::uint64_t end, KeepWhatCounts(records, logs_, stats.last_commit + 1));
  draft_ = std::move(fresh);
  tail_bytes_ = 0;
  for (const auto& log : records) MAYFLY_RETURN_IF_ERROR(Apply(log));
  next_sequence_ = end;
  while (logs_.size() > 1) logs_.pop_front();
  held_tables_ = std::move(listing.tables);
  deleted_at_.reset();
  tail_bytes_max_ = std::max(kTailBytesMax, kTailGrowthMax * tail_bytes_);
  return {};
}

Status LogFollower::Apply(const std::vector<std::string>& records) {
  if (records.empty()) return {};
  std::unique_lock lock(mutex_, std::defer_lock);
  if (draft_ == nullptr) lock.lock();  // No reader sees the draft.
  LayeredState& state = draft_ != nullptr ? *draft_ : *state_;
  const auto touched = [this](Role role, Bytes begin, Bytes end) {
    auto& bytes = touched_[static_cast<std::size_t>(role)];
    const auto last = static_cast<unsigned char>(end.front());
    for (unsigned byte = static_cast<unsigned char>(begin.front()); byte <= last; ++byte) {
      bytes.set(byte);
    }
  };
  for (const std::string& record : records) {
    MAYFLY_TRY(const Span span, SpanOf(record));
    MAYFLY_RETURN_IF_ERROR(state.Apply(record, touched));
    next_sequence_ = span.end;
    tail_bytes_ += record.size();
  }
  applied_ = true;
  return {};
}

std::uint64_t LogFollower::Show() {
  if (draft_ == nullptr && !applied_) return changes_;
  const std::uint64_t change = changes_ + 1;
  std::shared_ptr<LayeredState> old;  // Destroyed without the lock, with its tables.
  {
    const std::unique_lock lock(mutex_);
    if (draft_ != nullptr) {
      old = std::exchange(state_, std::move(draft_));
      draft_ = nullptr;
      for (auto& bytes : touched_) bytes.set();
    }
    for (std::size_t role = 0; role < kRoleCount; ++role) {
      for (std::size_t byte = 0; touched_[role].any() && byte < touched_[role].size(); ++byte) {
        if (touched_[role].test(byte)) changed_at_[role][byte] = change;
      }
      touched_[role].reset();
    }
    changes_ = change;
  }
  applied_ = false;
  return change;
}

void LogFollower::Close() {
  const std::lock_guard one_at_a_time(follow_mutex_);
  const std::unique_lock lock(mutex_);
  logs_.clear();
  draft_.reset();
  state_.reset();
}

}  // namespace mayfly::engine
