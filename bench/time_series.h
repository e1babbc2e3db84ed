// time_series.h - a CSV file, one line per sample. plot.py draws it.
#pragma once

#include <fmt/format.h>
#include <fmt/os.h>

#include <string>
#include <string_view>

namespace mayfly::bench {

class TimeSeries {
 public:
  // The first line names the columns, with their units.
  TimeSeries(const std::string& directory, std::string_view name, std::string_view columns)
      : file_(fmt::output_file(fmt::format("{}/{}.csv", directory, name))) {
    file_.print("{}\n", columns);
  }

  template <typename First, typename... Rest>
  void Add(const First& first, const Rest&... rest) {
    file_.print("{}", first);
    (file_.print(",{}", rest), ...);
    file_.print("\n");
    file_.flush();
  }

 private:
  fmt::ostream file_;
};

}  // namespace mayfly::bench
