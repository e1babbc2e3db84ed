#include "apps/mayfly/cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "apps/mayfly/terminal/interrupt.h"
#include "apps/mayfly/terminal/units.h"

namespace mayfly::app {
namespace {

constexpr auto kBetweenDrawings = std::chrono::milliseconds(100);
constexpr int kProgressWidth = 24;

}  // namespace

ProgressBar::ProgressBar(std::string title, Unit unit)
    : title_(std::move(title)),
      unit_(unit),
      shown_(::isatty(STDERR_FILENO) != 0),
      began_(SystemClock::Process().Steady()) {}

ProgressBar::~ProgressBar() {
  if (has_line_) std::fputs("\r\x1b[K", stderr);
}

bool ProgressBar::Report(std::uint64_t done, std::uint64_t all) {
  if (Interrupted()) return false;
  const SteadyTime now = SystemClock::Process().Steady();
  if (!shown_ || (has_line_ && now - drawn_ < kBetweenDrawings)) return true;
  drawn_ = now;
  has_line_ = true;
  const double seconds = std::chrono::duration<double>(now - began_).count();
  fmt::print(stderr, "\r{}\x1b[K", Line(done, all, seconds));
  return true;
}

std::string ProgressBar::Line(std::uint64_t done, std::uint64_t all, double seconds) const {
  const double rate = seconds > 0 ? static_cast<double>(done) / seconds : 0;
  const std::string speed =
      fmt::format("{}, {}/s", Amount(static_cast<double>(done)), Amount(rate));
  if (all == 0) return fmt::format("{}  {}", title_, speed);
  const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(all));
  const int filled = static_cast<int>(share * kProgressWidth);
  std::string left;
  if (rate > 0 && done < all) {
    const double rest = static_cast<double>(all - done) / rate;
    left = fmt::format(", {} left", ToText(Millis(static_cast<std::int64_t>(rest) * 1000), 2));
  }
  return fmt::format("{}  [{:#<{}}{:.<{}}] {:3.0f}%  {}{}", title_, "", filled, "",
                     kProgressWidth - filled, 100 * share, speed, left);
}

std::string ProgressBar::Amount(double amount) const {
  const auto whole = static_cast<std::uint64_t>(amount);
  return unit_ == Unit::kBytes ? SizeToText(whole) : fmt::format("{} rows", whole);
}

}  // namespace mayfly::app
