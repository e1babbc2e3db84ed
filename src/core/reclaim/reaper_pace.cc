#include "core/reclaim/reaper_pace.h"

#include <algorithm>
#include <utility>

namespace mayfly::core {
namespace {

// A hundred units make any share as large as can be.
template <typename Amount>
std::int64_t UnitsOf(std::int64_t percent, Amount amount, Amount unit) {
  return percent * static_cast<std::int64_t>(std::min(amount, 100 * unit)) /
         static_cast<std::int64_t>(unit);
}

}  // namespace

void ReaperPace::NoteHead(WallTime head, SteadyTime now) {
  const auto watched = now - head_noted_at_;
  if (watched < kReaperHeadPause) return;
  head_moves_ = head - head_ >= std::chrono::duration_cast<Millis>(watched) / 5;
  head_ = head;
  head_noted_at_ = now;
}

std::uint32_t ReaperPace::Percent(const Lag& lag) const {
  Millis unit = kReaperLagUnit;
  if (is_slow()) unit = head_moves_ ? kReaperSlowStreamUnit : kReaperSlowUnit;
  std::int64_t more = UnitsOf(work_percent_, std::max(lag.age, Millis(0)).count(), unit.count());
  if (!is_slow()) more = std::max(more, UnitsOf(work_percent_, lag.rows, kReaperLagRows));
  const std::int64_t least = lag.quiet ? kReaperQuietPercent : 1;
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(work_percent_ + more, least, 100));
}

std::chrono::nanoseconds ReaperPace::RestAfter(const Step& step, const Lag& lag) {
  if (step.rows >= kReaperStepRowsMax / 2) FollowStep(step);
  const std::uint32_t percent = Percent(lag);
  owed_rest_ += (step.finding + step.removing + step.telling) * (100 - percent) / percent;
  if (percent == 100) owed_rest_ = {};  // Owed for a smaller lag.
  if (owed_rest_ < kReaperRestMin) return {};
  return std::exchange(owed_rest_, {});
}

// The few rows of a small step would tell more about the commit than about a row.
void ReaperPace::FollowStep(const Step& step) {
  const auto row_time = std::max<std::chrono::nanoseconds>(
      step.removing / static_cast<std::int64_t>(step.rows), std::chrono::nanoseconds(1));
  least_row_time_ = steps_ == 0 ? row_time : std::min(least_row_time_, row_time);
  row_time_ = std::min(row_time_, row_time);
  if (++steps_ < kReaperStepsWatched) return;
  row_time_ = least_row_time_;
  steps_ = 0;
}

}  // namespace mayfly::core
