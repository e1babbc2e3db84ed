#include "core/keyspace_state.h"

#include "base/coding.h"

namespace mayfly::core {

std::string EncodeCounters(const Counters& counters) {
  std::string out;
  AppendZigZag(out, counters.rows);
  AppendZigZag(out, counters.mortal);
  return out;
}

Status DecodeCounters(Bytes encoded, Counters& counters) {
  Counters read;
  if (!EatZigZag(encoded, read.rows) || !EatZigZag(encoded, read.mortal) || !encoded.empty()) {
    return Status::Corruption("a damaged counter of rows; run a check with repair");
  }
  counters = read;
  return {};
}

void KeyspaceState::SetCounters(Stripe stripe, const Counters& counters) {
  Counters& booked = counters_[stripe];
  total_rows_ += counters.rows - booked.rows;
  total_mortal_ += counters.mortal - booked.mortal;
  booked = counters;
}

void KeyspaceState::Raise(std::atomic<std::int64_t>& watermark_ms, WallTime to) {
  std::int64_t now = watermark_ms.load();
  while (now < ToMs(to) && !watermark_ms.compare_exchange_weak(now, ToMs(to))) {
  }
}

void KeyspaceState::LowerWatermarks(WallTime to) {
  if (watermark() > to) watermark_ms_.store(ToMs(to));
  if (members_watermark() > to) members_watermark_ms_.store(ToMs(to));
}

void KeyspaceState::Lower(std::atomic<std::int64_t>& since_ms, WallTime to) {
  std::int64_t first = since_ms.load();
  while (ToMs(to) < first && !since_ms.compare_exchange_weak(first, ToMs(to))) {
  }
}

void KeyspaceState::BeginRound() {
  // Copied before it is taken, so that no moment shows neither.
  Lower(round_since_ms_, removing_since());
  Lower(round_since_ms_, WallTimeFromMs(removing_since_ms_.exchange(kNeverMs)));
}

void KeyspaceState::EndRound(bool done) {
  if (!done) NoteRemoval(WallTimeFromMs(round_since_ms_.load()));
  round_since_ms_.store(kNeverMs);
}

}  // namespace mayfly::core
