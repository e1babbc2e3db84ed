#include "server/commands/keys/random_key.h"

#include <algorithm>

namespace mayfly::server {
namespace {

// Each costs about ten seeks; of names with a longer common prefix the first is drawn.
constexpr std::size_t kDescentBytesMax = 128;

// Dead rows that one seek of a draw skips, while a purge has yet to remove them.
constexpr std::uint64_t kDeadRowsPassedMax = 100;

// How often a draw that met only dead rows tries elsewhere, and how many rows it reads there.
constexpr int kJumpsMax = 256;
constexpr std::uint64_t kDeadRowsAtAJumpMax = 16;

// How long a draw tries to be even. Tombstones of purged rows stay until compaction, and a seek
// that meets them takes milliseconds.
constexpr Millis kDrawTime(5);

class Patience {
 public:
  explicit Patience(const Clock& clock) : clock_(clock), end_(clock.Steady() + kDrawTime) {}

  bool is_over() const { return clock_.Steady() >= end_; }

 private:
  const Clock& clock_;
  const SteadyTime end_;
};

// A seek that stops among dead rows counts as empty.
class Descent {
 public:
  Descent(core::TransactionCursor& walk, Random& random, const Clock& clock)
      : walk_(walk), random_(random), patience_(clock) {}

  // Afterwards the cursor stands on the key drawn, unless it failed or the first keys of all are
  // dead.
  void Run() {
    std::string prefix;
    while (prefix.size() < kDescentBytesMax && (prefix.empty() || !patience_.is_over())) {
      walk_.SeekAtOrAfter(prefix);
      if (!walk_.Valid() || walk_.key() == prefix) return;
      const unsigned smallest = NextByte(prefix);
      const auto drawn =
          static_cast<unsigned>(random_.Between(smallest, Largest(prefix, smallest)));
      if (!ReachesTo(prefix, drawn)) walk_.SeekAtOrAfter(With(prefix, smallest));
      if (!walk_.Valid()) return;
      prefix.push_back(walk_.key()[prefix.size()]);
    }
  }

 private:
  static std::string With(const std::string& prefix, unsigned byte) {
    return prefix + static_cast<char>(byte);
  }
  unsigned NextByte(const std::string& prefix) const {
    return static_cast<unsigned char>(walk_.key()[prefix.size()]);
  }
  bool ReachesTo(const std::string& prefix, unsigned byte) {
    walk_.SeekAtOrAfter(With(prefix, byte));
    return walk_.Valid() && walk_.key().starts_with(prefix);
  }
  unsigned Largest(const std::string& prefix, unsigned smallest) {
    unsigned reached = smallest;
    unsigned missed = 256;
    while (missed - reached > 1 && !patience_.is_over()) {
      const unsigned middle = (reached + missed) / 2;
      (ReachesTo(prefix, middle) ? reached : missed) = middle;
    }
    return reached;
  }

  core::TransactionCursor& walk_;
  Random& random_;
  const Patience patience_;
};

// A name behind `key`, near or far: at some place of it a byte that is 1, 2, 4, ... larger.
std::string Behind(const std::string& key, Random& random) {
  std::string name = key.substr(0, random.Below(key.size() + 1));
  const unsigned byte = name.size() < key.size() ? static_cast<unsigned char>(key[name.size()]) : 0;
  name.push_back(static_cast<char>(std::min(byte + (1u << random.Below(8)), 255u)));
  return name;
}

std::optional<std::string> KeyOf(const core::TransactionCursor& walk) {
  if (!walk.Valid()) return std::nullopt;
  return std::string(walk.key());
}

// Tries random positions among dead rows for a living one. May find none.
Result<std::optional<std::string>> DrawByJumps(core::TransactionKeyspace& space, Random& random,
                                               const Clock& clock) {
  MAYFLY_TRY(const auto walk, space.NewCursor({}, kDeadRowsAtAJumpMax));
  walk->SeekToFirst();
  std::string stopped_at;
  const Patience patience(clock);
  for (int i = 0; i < kJumpsMax && !walk->Valid() && !patience.is_over(); ++i) {
    if (const auto place = walk->stopped_at()) stopped_at = *place;
    walk->SeekAtOrAfter(Behind(stopped_at, random));
  }
  MAYFLY_RETURN_IF_ERROR(walk->status());
  return KeyOf(*walk);
}

// Nothing when all visited rows were dead, or were deleted meanwhile.
Result<std::optional<std::string>> DrawByWalk(core::TransactionKeyspace& space, std::uint64_t rows,
                                              Random& random, const Clock& clock) {
  MAYFLY_TRY(const auto walk, space.NewCursor({}, kDeadRowsPassedMax));
  if (rows <= kEvenDrawRowsMax) {
    walk->SeekToFirst();
    for (std::uint64_t i = random.Below(rows); i > 0 && walk->Valid(); --i) walk->Next();
  }
  if (!walk->Valid()) Descent(*walk, random, clock).Run();
  MAYFLY_RETURN_IF_ERROR(walk->status());
  return KeyOf(*walk);
}

// The first living key, behind any number of dead ones.
Result<std::optional<std::string>> FirstKey(core::TransactionKeyspace& space) {
  MAYFLY_TRY(const auto walk, space.NewCursor({}));
  walk->SeekToFirst();
  MAYFLY_RETURN_IF_ERROR(walk->status());
  return KeyOf(*walk);
}

}  // namespace

Result<std::optional<std::string>> DrawKey(core::TransactionKeyspace& space, Random& random,
                                           const Clock& clock) {
  MAYFLY_TRY(const std::uint64_t rows, space.Count());
  if (rows == 0) return std::optional<std::string>();
  MAYFLY_TRY(auto drawn, DrawByWalk(space, rows, random, clock));
  if (drawn) return drawn;
  // Most keys are dead: the expiry index has the living ones, if they are mortal.
  MAYFLY_TRY(drawn, space.MortalKey(random.Below(std::min(rows, kEvenDrawRowsMax))));
  if (drawn) return drawn;
  MAYFLY_TRY(drawn, space.MortalKey(0));
  if (drawn) return drawn;
  MAYFLY_TRY(drawn, DrawByJumps(space, random, clock));
  if (drawn) return drawn;
  return FirstKey(space);
}

}  // namespace mayfly::server
