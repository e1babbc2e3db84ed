// Reads of the expiry index: counts of living rows, and keys by deadline.
#include <algorithm>
#include <limits>
#include <tuple>

#include "core/layout/addresses.h"
#include "core/layout/keys.h"
#include "core/layout/limits.h"
#include "core/layout/liveness.h"
#include "core/reads/due_count.h"
#include "core/reads/reads.h"

namespace mayfly::core {
namespace {

Status DamagedEntry() {
  return Status::Corruption("an entry of the expiry index is damaged; run a check with repair");
}

// Scans the entries with deadlines in [begin, end), until `take` returns false.
template <typename Take>
Status ForEachEntry(const View& view, const std::string& begin, WallTime end, Take take) {
  const std::string last = end == WallTime::max() ? KeyspaceEnd(view.keyspace.id())
                                                  : EntryBegin(view.keyspace.id(), end);
  if (last <= begin) return {};
  MAYFLY_TRY(const auto cursor, view.store.engine().NewCursor(kExpiry, {.range = {begin, last},
                                                                        .snapshot = view.snapshot,
                                                                        .fill_cache = false}));
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
    const auto entry = DecodeEntry(cursor->key());
    if (!entry) return DamagedEntry();
    if (!take(*entry)) return {};
  }
  return cursor->status();
}

// The transaction's own mortal rows, as the index would have them.
std::vector<DeadlineEntry> OwnEntries(const View& view, const DeadlineWindow& window) {
  std::vector<DeadlineEntry> own;
  if (view.drafts == nullptr) return own;
  for (const auto& [key, row] : *view.drafts) {
    const auto deadline = row.DiesAt();
    if (!row.dirty() || !row.Shows(view.now) || !deadline) continue;
    if (*deadline >= window.begin && *deadline < window.end) own.push_back({key, *deadline});
  }
  return own;
}

bool Before(const DeadlineEntry& a, const DeadlineEntry& b) {
  return std::tie(a.deadline, a.key) < std::tie(b.deadline, b.key);
}

// The first possible key of the index after an entry.
std::string BehindEntry(const View& view, const DeadlineEntry& entry) {
  return EntryBegin(view.keyspace.id(), entry.deadline) + entry.key + '\0';
}

Result<std::vector<ForecastBucket>> EmptyForecast(WallTime begin, const ForecastOptions& options) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  if (options.bucket.count() <= 0 || options.buckets == 0 ||
      options.buckets > kForecastBucketsMax || begin < WallTime() ||
      options.bucket.count() > (kMax - ToMs(begin)) / static_cast<std::int64_t>(options.buckets)) {
    return Status::Invalid(
        "a forecast has 1 to 10,000 buckets of a positive length within all time");
  }
  std::vector<ForecastBucket> forecast(options.buckets);
  for (std::size_t i = 0; i < forecast.size(); ++i) {
    forecast[i].begin = begin + options.bucket * static_cast<std::int64_t>(i);
    forecast[i].end = forecast[i].begin + options.bucket;
  }
  return forecast;
}

}  // namespace

Result<std::uint64_t> CountRows(const View& view) {
  // Read before the state is taken: entries that a purge removes later are in the state, at or
  // after this watermark. A state taken earlier may hold entries from before it.
  const WallTime first = view.snapshot == nullptr ? view.keyspace.watermark() : WallTimeFromMs(0);
  MAYFLY_TRY(const View frozen, Freeze(view));
  // The counters in memory would not do: they are read one by one, and a transaction changes
  // several.
  const bool has_drafts =
      view.drafts != nullptr &&
      std::any_of(view.drafts->begin(), view.drafts->end(),
                  [](const BufferedRows::value_type& row) { return row.second.dirty(); });
  if (!has_drafts) {
    MAYFLY_TRY(const RowCounts counts, CountStored(frozen, first));
    return static_cast<std::uint64_t>(counts.living());
  }
  std::uint64_t rows = 0;
  MAYFLY_TRY(const auto cursor, OpenCursor(view, {}));
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) ++rows;
  MAYFLY_RETURN_IF_ERROR(cursor->status());
  return rows;
}

Result<std::vector<DeadlineEntry>> ReadDeadlines(const View& asked, const DeadlineWindow& window) {
  MAYFLY_TRY(const View view, Freeze(asked));
  if (window.rows_max == 0 || window.rows_max > kScanRowsMax) {
    return Status::Invalid("rows_max of a deadline scan must be 1 to 1,000,000");
  }
  if (window.end < window.begin) {
    return Status::Invalid("the window is reversed: its end lies before its begin; swap them");
  }
  std::vector<DeadlineEntry> own = OwnEntries(view, window);
  std::vector<DeadlineEntry> page;
  // After the last entry of the page before; else at the window's begin, which is past all the
  // dead.
  std::string begin = EntryBegin(view.keyspace.id(), window.begin);
  if (window.after) {
    begin = std::max(begin, BehindEntry(view, *window.after));
    std::erase_if(own, [&](const DeadlineEntry& entry) { return !Before(*window.after, entry); });
  }
  begin = std::max(begin, EntryBegin(view.keyspace.id(), view.now));
  MAYFLY_RETURN_IF_ERROR(ForEachEntry(view, begin, window.end, [&](const EntryView& entry) {
    if (!IsDead(entry.deadline, view.now) && view.Draft(entry.key) == nullptr) {
      page.push_back({std::string(entry.key), entry.deadline});
    }
    return page.size() < window.rows_max;
  }));
  page.insert(page.end(), own.begin(), own.end());
  std::sort(page.begin(), page.end(), Before);
  if (page.size() > window.rows_max) page.resize(window.rows_max);
  return page;
}

Result<std::vector<ForecastBucket>> ReadForecast(const View& asked,
                                                 const ForecastOptions& options) {
  MAYFLY_TRY(const View view, Freeze(asked));
  ForecastPart all{.rows_max = std::numeric_limits<std::size_t>::max()};
  ForecastPart& part = options.part == nullptr ? all : *options.part;
  if (!part.begin) part.begin = view.now;
  MAYFLY_TRY(std::vector<ForecastBucket> forecast, EmptyForecast(*part.begin, options));
  if (part.rows_max == 0) return Status::Invalid("a part of a forecast has at least one row");
  const auto add = [&](Bytes key, WallTime deadline, std::uint64_t bytes) {
    const auto i = static_cast<std::size_t>((deadline - *part.begin) / options.bucket);
    ++forecast[i].rows;
    forecast[i].bytes += options.with_bytes ? key.size() + bytes : 0;
  };
  Status failed;
  PinnedBytes pin;
  std::size_t read = 0;
  std::optional<DeadlineEntry> last;
  std::string begin = EntryBegin(view.keyspace.id(), std::max(view.now, *part.begin));
  if (part.after) begin = std::max(begin, BehindEntry(view, *part.after));
  MAYFLY_RETURN_IF_ERROR(
      ForEachEntry(view, begin, forecast.back().end, [&](const EntryView& entry) {
        if (IsDead(entry.deadline, view.now) || view.Draft(entry.key) != nullptr) return true;
        std::optional<RowView> row;
        if (options.with_bytes) {
          failed = view.store.ReadStored(view.keyspace, entry.key, view.snapshot, pin, row);
        }
        add(entry.key, entry.deadline, row ? row->payload.size() : 0);
        if (++read == part.rows_max) last = {std::string(entry.key), entry.deadline};
        return failed.ok() && !last;
      }));
  MAYFLY_RETURN_IF_ERROR(failed);
  part.after = std::move(last);
  if (part.after) return forecast;
  for (const DeadlineEntry& own :
       OwnEntries(view, {.begin = *part.begin, .end = forecast.back().end})) {
    add(own.key, own.deadline, view.Draft(own.key)->value().size());
  }
  return forecast;
}

}  // namespace mayfly::core
