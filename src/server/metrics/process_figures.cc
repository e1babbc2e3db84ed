#include "server/metrics/process_figures.h"

#include <sys/resource.h>

#include <cstdint>
#include <filesystem>
#include <iterator>
#include <system_error>

#include "server/admin/memory_figures.h"
#include "server/metrics/metrics_writer.h"

namespace mayfly::server {
namespace {

double CpuSeconds() {
  rusage usage{};
  if (::getrusage(RUSAGE_SELF, &usage) != 0) return 0;
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / kMicrosPerSecond;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

std::int64_t OpenDescriptors() {
  std::error_code error;
  const std::filesystem::directory_iterator all("/proc/self/fd", error);
  // Without the one that lists them.
  return error ? 0 : std::distance(begin(all), end(all)) - 1;
}

}  // namespace

void WriteProcess(MetricsWriter& out, double start_seconds) {
  rlimit descriptors{};
  static_cast<void>(::getrlimit(RLIMIT_NOFILE, &descriptors));
  out.One("process_start_time_seconds", "gauge", "When the server began, since the epoch.",
          start_seconds);
  out.One("process_cpu_seconds_total", "counter", "Processor time, user and system.", CpuSeconds());
  out.One("process_resident_memory_bytes", "gauge", "Memory of the process.",
          admin::ReadMemoryFigures().resident_bytes);
  out.One("process_open_fds", "gauge", "Open file descriptors.", OpenDescriptors());
  out.One("process_max_fds", "gauge", "How many descriptors it may open.", descriptors.rlim_cur);
}

}  // namespace mayfly::server
