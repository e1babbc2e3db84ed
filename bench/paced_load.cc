#include "paced_load.h"

#include <sys/prctl.h>
#include <time.h>

#include <utility>

#include "comparison.h"

namespace mayfly::bench {
namespace {

constexpr std::size_t kTimedReserve = 1 << 20;

SteadyTime Steady() { return SystemClock::Process().Steady(); }

// Not the library's sleep, which is what is measured.
void SleepUntil(SteadyTime moment) {
  const auto length = moment - Steady();
  if (length.count() <= 0) return;
  const timespec time{.tv_sec = static_cast<time_t>(length.count() / 1'000'000'000),
                      .tv_nsec = static_cast<long>(length.count() % 1'000'000'000)};
  ::nanosleep(&time, nullptr);
}

}  // namespace

PacedLoad::PacedLoad(SteadyTime start, double per_second,
                     std::function<void(std::size_t)> operation)
    : start_(start), per_second_(per_second), operation_(std::move(operation)) {
  timed_.reserve(kTimedReserve);
  thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
}

void PacedLoad::Stop() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
}

void PacedLoad::Run(const std::stop_token& stop) {
  ::prctl(PR_SET_TIMERSLACK, 1000);  // ns; the default of 50 us is a quarter of a period.
  const std::chrono::duration<double, std::nano> period(1e9 / per_second_);
  for (std::size_t i = 0; !stop.stop_requested(); ++i) {
    const SteadyTime planned =
        start_ + std::chrono::duration_cast<std::chrono::nanoseconds>(period * i);
    SleepUntil(planned);
    const SteadyTime begin = Steady();
    operation_(i);
    const SteadyTime end = Steady();
    if (begin - planned > kLate) ++late_;
    timed_.push_back({std::chrono::duration<float>(begin - start_).count(),
                      std::chrono::duration<float, std::micro>(end - begin).count()});
  }
}

double PacedLoad::Percentile(double begin_seconds, double end_seconds, double part) const {
  std::vector<double> chosen;
  for (const Timed& one : timed_) {
    if (one.at_seconds >= begin_seconds && one.at_seconds < end_seconds) {
      chosen.push_back(one.microseconds);
    }
  }
  return chosen.empty() ? 0.0 : Quantile(std::move(chosen), part);
}

}  // namespace mayfly::bench
