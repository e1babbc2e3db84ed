#include "core/keyspace_state.h"

#include "base/coding.h"

namespace mayfly::core {
namespace {

// Small numbers of either sign in few bytes: 0, -1, 1, -2, ...
std::uint64_t Zigzag(std::int64_t n) {
  return (static_cast<std::uint64_t>(n) << 1) ^ static_cast<std::uint64_t>(n >> 63);
}
std::int64_t Unzigzag(std::uint64_t n) {
  return static_cast<std::int64_t>((n >> 1) ^ (~(n & 1) + 1));
}

}  // namespace

std::string EncodeCounters(const Counters& counters) {
  std::string out;
  AppendVarint(out, Zigzag(counters.rows));
  AppendVarint(out, Zigzag(counters.mortal));
  return out;
}

Status DecodeCounters(Bytes encoded, Counters& counters) {
  std::uint64_t rows = 0;
  std::uint64_t mortal = 0;
  if (!EatVarint(encoded, rows) || !EatVarint(encoded, mortal) || !encoded.empty()) {
    return Status::Corruption("a damaged counter of rows; run a check with repair");
  }
  counters = {Unzigzag(rows), Unzigzag(mortal)};
  return {};
}

void KeyspaceState::SetCounters(Stripe stripe, const Counters& counters) {
  Counters& booked = counters_[stripe];
  total_rows_ += counters.rows - booked.rows;
  total_mortal_ += counters.mortal - booked.mortal;
  booked = counters;
}

void KeyspaceState::RaiseWatermark(WallTime to) {
  std::int64_t current = watermark_ms_.load();
  while (current < ToMs(to) && !watermark_ms_.compare_exchange_weak(current, ToMs(to))) {
  }
}

void KeyspaceState::LowerWatermark(WallTime to) {
  std::int64_t current = watermark_ms_.load();
  while (current > ToMs(to) && !watermark_ms_.compare_exchange_weak(current, ToMs(to))) {
  }
}

}  // namespace mayfly::core
