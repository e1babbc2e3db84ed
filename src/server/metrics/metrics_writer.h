// metrics_writer.h - Prometheus' text format: a name with its help and type, then its values.
//   out.Begin("mayfly_rows", "gauge", "Rows stored."); out.Value(3, Label("keyspace", "db0"));
// Names have base units (seconds, bytes), counters end with _total: `promtool check metrics` is a
// test.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/duration_counts.h"
#include "base/printable.h"
#include "server/stats/command_statistics.h"

namespace mayfly::server {

inline constexpr double kMicrosPerSecond = 1e6;

// name="value", escaped. Prometheus wants UTF-8, and a keyspace may have any name, so bytes beyond
// ASCII are shown as \xNN.
inline std::string Label(std::string_view name, std::string_view value) {
  constexpr std::size_t kValueBytesMax = 1024;
  std::string escaped;
  for (const char byte : Printable(value, kValueBytesMax)) {
    if (byte == '\\' || byte == '"') escaped += '\\';
    escaped += byte;
  }
  return fmt::format("{}=\"{}\"", name, escaped);
}

class MetricsWriter {
 public:
  void Begin(std::string_view name, std::string_view type, std::string_view help) {
    name_ = name;
    text_ += fmt::format("# HELP {0} {2}\n# TYPE {0} {1}\n", name, type, help);
  }
  template <typename Number>
  void Value(Number value, const std::string& labels = "") {
    text_ += labels.empty() ? fmt::format("{} {}\n", name_, value)
                            : fmt::format("{}{{{}}} {}\n", name_, labels, value);
  }
  template <typename Number>
  void One(std::string_view name, std::string_view type, std::string_view help, Number value) {
    Begin(name, type, help);
    Value(value);
  }

  // The buckets end at powers of four microseconds, where those of the counts end, too: so they are
  // exact. Commands that ran with latency-tracking off are in the last bucket alone.
  void Histogram(const CommandCounts& counts, const std::string& label) {
    constexpr int kFirstPower = 2;
    constexpr int kLastPower = 24;
    std::uint64_t seen = 0;
    std::size_t bucket = 0;
    for (int power = kFirstPower; power <= kLastPower; power += 2) {
      const std::uint64_t end_micros = std::uint64_t{1} << power;
      while (LatencyHistogram::LastOf(bucket) < end_micros) seen += counts.latencies[bucket++];
      text_ += fmt::format("{}_bucket{{{},le=\"{:.6f}\"}} {}\n", name_, label,
                           static_cast<double>(end_micros) / kMicrosPerSecond, seen);
    }
    const std::uint64_t all = std::max(counts.calls, CountOf(counts.latencies));
    text_ +=
        fmt::format("{0}_bucket{{{1},le=\"+Inf\"}} {2}\n{0}_sum{{{1}}} {3}\n{0}_count{{{1}}} {2}\n",
                    name_, label, all, static_cast<double>(counts.micros) / kMicrosPerSecond);
  }

  // Of everything that was counted, with the same ends.
  void Histogram(const DurationCounts::Counts& counts) {
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i + 1 < DurationCounts::kBuckets; ++i) {
      seen += counts.buckets[i];
      text_ += fmt::format("{}_bucket{{le=\"{:.6f}\"}} {}\n", name_,
                           static_cast<double>(DurationCounts::EndOf(i)) / kMicrosPerSecond, seen);
    }
    seen += counts.buckets.back();
    text_ += fmt::format("{0}_bucket{{le=\"+Inf\"}} {1}\n{0}_sum {2}\n{0}_count {1}\n", name_, seen,
                         static_cast<double>(counts.micros) / kMicrosPerSecond);
  }

  std::string Take() { return std::move(text_); }

 private:
  std::string name_;
  std::string text_;
};

}  // namespace mayfly::server
