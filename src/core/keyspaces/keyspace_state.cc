#include "core/keyspaces/keyspace_state.h"

#include "base/coding.h"

namespace mayfly::core {

std::string EncodeCounters(const Counters& counters) {
  std::string out;
  AppendZigZag(out, counters.rows);
  AppendZigZag(out, counters.mortal);
  if (counters.due == decltype(counters.due)() && counters.with_mortal_members == 0) return out;
  for (const std::int64_t due : counters.due) AppendZigZag(out, due);
  if (counters.with_mortal_members != 0) AppendZigZag(out, counters.with_mortal_members);
  return out;
}

Status DecodeCounters(Bytes encoded, Counters& counters) {
  Counters read;
  bool good = EatZigZag(encoded, read.rows) && EatZigZag(encoded, read.mortal);
  if (good && !encoded.empty()) {
    good = EatZigZag(encoded, read.due[0]) && EatZigZag(encoded, read.due[1]) &&
           (encoded.empty() ? read.due != decltype(read.due)()
                            : EatZigZag(encoded, read.with_mortal_members) && encoded.empty() &&
                                  read.with_mortal_members != 0);
  }
  if (!good) {
    return Status::Corruption("a damaged counter of rows; run a check with repair");
  }
  counters = read;
  return {};
}

std::string EncodeDueRecord(const DueRecord& record) {
  std::string out(1, static_cast<char>(record.field));
  AppendLittleEndian64(out, static_cast<std::uint64_t>(ToMs(record.through)));
  AppendZigZag(out, record.base);
  return out;
}

Status DecodeDueRecord(Bytes encoded, DueRecord& record) {
  std::uint64_t ms = 0;
  if (!encoded.empty()) {
    record.field = static_cast<std::uint8_t>(encoded.front());
    encoded.remove_prefix(1);
    if (record.field <= 1 && EatLittleEndian64(encoded, ms) && static_cast<std::int64_t>(ms) >= 0 &&
        EatZigZag(encoded, record.base) && encoded.empty()) {
      record.through = WallTimeFromMs(static_cast<std::int64_t>(ms));
      return {};
    }
  }
  return Status::Corruption("a damaged count of dead rows; run a check with repair");
}

void KeyspaceState::SetDueRecord(const DueRecord& record) {
  CountDueThrough(record.field, record.through);
  const std::lock_guard lock(short_mutex_);
  due_record_ = record;
}

void KeyspaceState::ForgetDue() {
  for (auto& through : due_through_ms_) through = kBeforeAllTimeMs;
  ++due_generation_;
  const std::lock_guard lock(short_mutex_);
  due_record_.reset();
}

void KeyspaceState::SetCounters(Counter counter, const Counters& counters) {
  Counters& booked = counters_[counter];
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
  // Entries that a purge passed over at a later instant may have to be visited again.
  SetPurgePass(/*members=*/false, {});
  SetPurgePass(/*members=*/true, {});
}

bool KeyspaceState::Lower(std::atomic<std::int64_t>& since_ms, WallTime to) {
  std::int64_t first = since_ms.load();
  while (ToMs(to) < first) {
    if (since_ms.compare_exchange_weak(first, ToMs(to))) return true;
  }
  return false;
}

WallTime KeyspaceState::RoundDue() const {
  const auto promise = policy().purge_within;
  const WallTime since = removing_since();
  if (!promise || since == WallTime::max()) return WallTime::max();
  if (hurry_) return since;
  return since > WallTime::max() - *promise ? WallTime::max() : since + *promise / 2;
}

void KeyspaceState::BeginRound() {
  hurry_ = false;
  // Copied before it is taken, so that no moment shows neither.
  Lower(round_since_ms_, removing_since());
  Lower(round_since_ms_, WallTimeFromMs(removing_since_ms_.exchange(kNeverMs)));
  if (overwrote_.exchange(false)) round_overwrote_ = true;
}

void KeyspaceState::EndRound(bool done) {
  if (!done) {
    if (round_overwrote_) overwrote_ = true;
    NoteRemoval(WallTimeFromMs(round_since_ms_.load()));
  }
  round_overwrote_ = false;
  round_since_ms_.store(kNeverMs);
}

}  // namespace mayfly::core
