#include "expiry_scenario.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>
#include <thread>

namespace mayfly::bench {

void Verdicts::AtMost(std::string_view what, double value, double bar) {
  const bool fine = value <= bar;
  missed_ = missed_ || !fine;
  fmt::print("  {:<58} {:7.3f}   bar {:5.2f}   {}\n", what, value, bar, fine ? "OK" : "MISSED");
}

void Verdicts::Holds(std::string_view what, bool holds) {
  missed_ = missed_ || !holds;
  fmt::print("  {:<58} {:>7}               {}\n", what, holds ? "yes" : "no",
             holds ? "OK" : "MISSED");
}

DiskUse DiskUseOf(const std::string& directory) {
  DiskUse use;
  std::error_code gone;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory, gone)) {
    struct stat file {};
    // Files come and go during the listing.
    if (::stat(entry.path().c_str(), &file) != 0 || !S_ISREG(file.st_mode)) continue;
    use.sizes += static_cast<std::uint64_t>(file.st_size);
    use.blocks += static_cast<std::uint64_t>(file.st_blocks) * 512;
    const bool is_log = entry.path().extension() == ".log" ||
                        entry.path().filename().string().starts_with("segment-");
    if (is_log) use.logs += static_cast<std::uint64_t>(file.st_size);
  }
  return use;
}

double Stopwatch::Seconds() const {
  return std::chrono::duration<double>(SystemClock::Process().Steady() - start_).count();
}

void SleepSeconds(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

void AwaitStillDisk(const std::string& directory) {
  constexpr int kLooksMax = 60;
  std::uint64_t last = 0;
  for (int look = 0; look < kLooksMax; ++look) {
    const std::uint64_t now = DiskUseOf(directory).sizes;
    if (now == last) return;
    last = now;
    SleepSeconds(1);
  }
}

void PrintReclaimed(const Statistics& statistics, std::uint64_t user_bytes) {
  fmt::print(
      "  reclaimed: {} files dropped, {} rewritten ({:.1f} MiB): {:.2f} bytes rewritten per byte "
      "written\n",
      statistics.files_dropped, statistics.files_rewritten, MiB(statistics.bytes_rewritten),
      static_cast<double>(statistics.bytes_rewritten) / static_cast<double>(user_bytes));
}

}  // namespace mayfly::bench
