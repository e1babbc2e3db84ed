#include "types/hyperloglog/sparse_registers.h"

#include "base/check.h"

namespace mayfly::types {
namespace {

constexpr unsigned char kValueBit = 0x80;
constexpr unsigned char kLongBit = 0x40;
constexpr std::size_t kShortZerosMax = 64;
constexpr std::size_t kValueLengthMax = 4;

// How many runs a change looks at for neighbours to join.
constexpr int kJoinedLookups = 5;

unsigned char ByteAt(Bytes bytes, std::size_t at) { return static_cast<unsigned char>(bytes[at]); }

// Nothing at a run that is cut off.
std::optional<SparseRun> RunAt(Bytes runs, std::size_t at) {
  const unsigned char first = ByteAt(runs, at);
  if ((first & kValueBit) != 0) {
    return SparseRun{.length = (first & 0x3U) + 1,
                     .value = static_cast<std::uint8_t>((first >> 2 & 0x1f) + 1),
                     .bytes = 1};
  }
  if ((first & kLongBit) == 0) return SparseRun{.length = first + 1U, .value = 0, .bytes = 1};
  if (at + 1 == runs.size()) return std::nullopt;
  const std::uint32_t length = ((first & 0x3fU) << 8 | ByteAt(runs, at + 1)) + 1;
  return SparseRun{.length = length, .value = 0, .bytes = 2};
}

void AppendRun(std::string& runs, std::uint8_t value, std::size_t length) {
  if (length == 0) return;
  const std::size_t stored = length - 1;
  if (value > 0) {
    MAYFLY_CHECK(value <= kSparseRankMax && length <= kValueLengthMax, "no run has this value");
    runs += static_cast<char>(kValueBit | (value - 1U) << 2 | stored);
  } else if (length <= kShortZerosMax) {
    runs += static_cast<char>(stored);
  } else {
    runs += static_cast<char>(kLongBit | stored >> 8);
    runs += static_cast<char>(stored & 0xff);
  }
}

// The run of a register.
struct RunPlace {
  std::size_t at = 0;
  std::size_t before = 0;  // Where the run before it is, or its own place.
  std::size_t first = 0;   // Its first register.
  SparseRun run = {};
};

RunPlace PlaceOf(Bytes runs, std::size_t index) {
  RunPlace place;
  while (true) {
    MAYFLY_CHECK(place.at < runs.size(), "a register without a run");
    place.run = *RunAt(runs, place.at);
    if (index < place.first + place.run.length) return place;
    place.before = place.at;
    place.at += place.run.bytes;
    place.first += place.run.length;
  }
}

// Joins neighbours of one value, as far as a run reaches.
void JoinRuns(std::string& value, std::size_t at) {
  for (int left = kJoinedLookups; left > 0 && at < value.size(); --left) {
    const SparseRun run = *RunAt(value, at);
    const std::size_t next = at + run.bytes;
    if (run.value > 0 && next < value.size()) {
      const SparseRun other = *RunAt(value, next);
      if (other.value == run.value && run.length + other.length <= kValueLengthMax) {
        std::string joined;
        AppendRun(joined, run.value, run.length + other.length);
        value.replace(at, 2, joined);
        continue;  // The joined one may meet another.
      }
    }
    at = next;
  }
}

}  // namespace

std::optional<SparseRun> SparseRuns::Next() {
  if (!valid_ || at_ == bytes_.size()) return std::nullopt;
  const auto run = RunAt(bytes_, at_);
  valid_ = run && run->length <= kRegisters - covered_;
  if (!valid_) return std::nullopt;
  at_ += run->bytes;
  covered_ += run->length;
  return run;
}

bool IsValidSparse(Bytes runs) {
  SparseRuns all(runs);
  while (all.Next()) {
  }
  return all.valid();
}

std::string EmptyRuns() {
  std::string runs;
  AppendRun(runs, 0, kRegisters);
  return runs;
}

std::uint8_t SparseRegister(Bytes runs, std::size_t index) {
  return PlaceOf(runs, index).run.value;
}

bool RaiseSparseRegister(std::string& value, std::size_t begin, const Observation& observed,
                         std::size_t bytes_max) {
  if (observed.rank > kSparseRankMax) return false;
  const RunPlace place = PlaceOf(Bytes(value).substr(begin), observed.index);
  const std::size_t in_front = observed.index - place.first;
  std::string fresh;
  AppendRun(fresh, place.run.value, in_front);
  AppendRun(fresh, observed.rank, 1);
  AppendRun(fresh, place.run.value, place.run.length - in_front - 1);
  const std::size_t old = place.run.bytes;
  if (fresh.size() > old && value.size() + fresh.size() - old > bytes_max) return false;
  value.replace(begin + place.at, old, fresh);
  JoinRuns(value, begin + place.before);
  return true;
}

}  // namespace mayfly::types
