// Implements deadlines and forecasts of c.h.
#include <fmt/format.h>

#include "capi/handles.h"
#include "capi/memory.h"
#include "capi/structs.h"

namespace mayfly::capi {
namespace {

Result<DeadlineWindow> ToWindow(const mayfly_deadline_window* given) {
  MAYFLY_TRY(const mayfly_deadline_window asked, TakeStruct(given, "the window"));
  DeadlineWindow window{.begin = WallTimeFromMs(asked.begin_ms)};
  if (asked.end_ms != 0) window.end = WallTimeFromMs(asked.end_ms);
  if (asked.rows_max != 0) window.rows_max = asked.rows_max;
  if (asked.after != nullptr) {
    Bytes key;
    MAYFLY_RETURN_IF_ERROR(TakeKey(asked.after->key, asked.after->key_size, key));
    if (asked.after->deadline_ms < 0) {
      return Status::Invalid("`after` has a deadline before 1970, which no row has");
    }
    window.after = DeadlineEntry{std::string(key), WallTimeFromMs(asked.after->deadline_ms)};
  }
  return window;
}

}  // namespace
}  // namespace mayfly::capi

using namespace mayfly;        // NOLINT(google-build-using-namespace): this file is their C side.
using namespace mayfly::capi;  // NOLINT(google-build-using-namespace)

int mayfly_scan_deadlines(const mayfly_view* view, const mayfly_deadline_window* window,
                          mayfly_deadline_entry** entries, size_t* count) noexcept {
  return Guard([&]() -> Status {
    MAYFLY_RETURN_IF_ERROR(Need(entries, "the place for the entries"));
    MAYFLY_RETURN_IF_ERROR(Need(count, "the place for the count"));
    *entries = nullptr;
    *count = 0;
    MAYFLY_RETURN_IF_ERROR(Need(view, "the view"));
    MAYFLY_TRY(const DeadlineWindow wanted, ToWindow(window));
    MAYFLY_TRY(const auto page, view->reader->ScanDeadlines(wanted));
    std::size_t bytes = 0;
    for (const DeadlineEntry& entry : page) bytes += entry.key.size();
    Block<mayfly_deadline_entry> block(page.size(), bytes, page.size());
    for (std::size_t i = 0; i < page.size(); ++i) {
      block[i] = {block.Add(page[i].key), page[i].key.size(), ToMs(page[i].deadline)};
    }
    *count = page.size();
    *entries = block.Release();
    return {};
  });
}

int mayfly_forecast(const mayfly_view* view, const mayfly_forecast_options* options,
                    mayfly_forecast_bucket** buckets, size_t* count) noexcept {
  return Guard([&]() -> Status {
    MAYFLY_RETURN_IF_ERROR(Need(buckets, "the place for the buckets"));
    MAYFLY_RETURN_IF_ERROR(Need(count, "the place for the count"));
    *buckets = nullptr;
    *count = 0;
    MAYFLY_RETURN_IF_ERROR(Need(view, "the view"));
    MAYFLY_TRY(const mayfly_forecast_options asked, TakeStruct(options, "the forecast's options"));
    ForecastOptions wanted{.with_bytes = !asked.without_bytes};
    if (asked.bucket_ms != 0) wanted.bucket = Millis(asked.bucket_ms);
    if (asked.buckets != 0) wanted.buckets = asked.buckets;
    MAYFLY_TRY(const auto forecast, view->reader->Forecast(wanted));
    Block<mayfly_forecast_bucket> block(forecast.size(), 0, 0);
    for (std::size_t i = 0; i < forecast.size(); ++i) {
      block[i] = {ToMs(forecast[i].begin), ToMs(forecast[i].end), forecast[i].rows,
                  forecast[i].bytes};
    }
    *count = forecast.size();
    *buckets = block.Release();
    return {};
  });
}
