#include "forecasts.h"

#include "values.h"

namespace mayfly::python {

namespace py = pybind11;

py::list Forecast(const Reader& self, const py::object& bucket, std::size_t buckets,
                  bool with_bytes) {
  const ForecastOptions options = {
      .bucket = ToMillis(bucket, "bucket"), .buckets = buckets, .with_bytes = with_bytes};
  const auto found =
      Take(Read(self, [&](const KeyspaceReader& rows) { return rows.Forecast(options); }));
  py::list result;
  for (const ForecastBucket& each : found) {
    result.append(
        py::make_tuple(ToDatetime(each.begin), ToDatetime(each.end), each.rows, each.bytes));
  }
  return result;
}

py::list Deadlines(const Reader& self, const py::object& begin, const py::object& end,
                   const py::object& after, std::size_t rows_max) {
  DeadlineWindow window;
  window.rows_max = rows_max;
  if (!begin.is_none()) window.begin = ToInstant(begin, "begin");
  if (!end.is_none()) window.end = ToInstant(end, "end");
  if (!after.is_none()) {
    const py::tuple pair = after;
    const py::object key = pair[0];
    const py::object deadline = pair[1];
    window.after =
        DeadlineEntry{std::string(BytesArgument(key).view()), ToInstant(deadline, "after")};
  }
  const auto found =
      Take(Read(self, [&](const KeyspaceReader& rows) { return rows.ScanDeadlines(window); }));
  py::list result;
  for (const DeadlineEntry& entry : found) {
    result.append(py::make_tuple(ToBytes(entry.key), ToDatetime(entry.deadline)));
  }
  return result;
}

}  // namespace mayfly::python
