#include "server/commands/random_key.h"

#include <algorithm>

namespace mayfly::server {
namespace {

// Each costs about ten seeks; names that are alike for longer are drawn as they come.
constexpr std::size_t kDescentBytesMax = 128;

// Dead rows that one seek of a draw passes over, beside a purge that has yet to remove them.
constexpr std::uint64_t kDeadRowsPassedMax = 100;

class Descent {
 public:
  Descent(core::RowWalk& walk, Random& random) : walk_(walk), random_(random) {}

  // The walk stands on the key drawn, unless it failed.
  void Run() {
    std::string prefix;
    while (prefix.size() < kDescentBytesMax) {
      walk_.SeekAtOrAfter(prefix);
      if (!walk_.Valid() || walk_.key() == prefix) return;
      const unsigned smallest = NextByte(prefix);
      const auto drawn =
          static_cast<unsigned>(random_.Between(smallest, Largest(prefix, smallest)));
      if (walk_.stopped_at()) return;
      // There is a key at or behind this byte: none is behind the largest.
      walk_.SeekAtOrAfter(With(prefix, drawn));
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
    while (missed - reached > 1 && !walk_.stopped_at()) {
      const unsigned middle = (reached + missed) / 2;
      (ReachesTo(prefix, middle) ? reached : missed) = middle;
    }
    return reached;
  }

  core::RowWalk& walk_;
  Random& random_;
};

// Where the walk would pass over many dead rows it gives up, and nothing is drawn.
Result<std::optional<std::string>> DrawByWalk(core::WorkSpace& space, std::uint64_t rows,
                                              std::uint64_t dead_max, Random& random) {
  MAYFLY_TRY(const auto walk, space.NewRowWalk({}, dead_max));
  if (rows <= kEvenDrawRowsMax) {
    walk->SeekToFirst();
    for (std::uint64_t i = random.Below(rows); i > 0 && walk->Valid(); --i) walk->Next();
  } else {
    Descent(*walk, random).Run();
  }
  // Others may have deleted keys meanwhile.
  if (!walk->Valid() && !walk->stopped_at()) walk->SeekToFirst();
  MAYFLY_RETURN_IF_ERROR(walk->status());
  if (!walk->Valid()) return std::optional<std::string>();
  return std::optional(std::string(walk->key()));
}

}  // namespace

Result<std::optional<std::string>> DrawKey(core::WorkSpace& space, Random& random) {
  MAYFLY_TRY(const std::uint64_t rows, space.Count());
  if (rows == 0) return std::optional<std::string>();
  MAYFLY_TRY(auto drawn, DrawByWalk(space, rows, kDeadRowsPassedMax, random));
  if (drawn) return drawn;
  // Most keys are dead: the order of deadlines has the living ones, if they are mortal.
  MAYFLY_TRY(drawn, space.MortalKey(random.Below(std::min(rows, kEvenDrawRowsMax))));
  if (drawn) return drawn;
  MAYFLY_TRY(drawn, space.MortalKey(0));
  if (drawn) return drawn;
  return DrawByWalk(space, rows, UINT64_MAX, random);
}

}  // namespace mayfly::server
