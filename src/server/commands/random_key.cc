#include "server/commands/random_key.h"

namespace mayfly::server {
namespace {

// Each costs about ten seeks; names that are alike for longer are drawn as they come.
constexpr std::size_t kDescentBytesMax = 128;

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
    while (missed - reached > 1) {
      const unsigned middle = (reached + missed) / 2;
      (ReachesTo(prefix, middle) ? reached : missed) = middle;
    }
    return reached;
  }

  core::RowWalk& walk_;
  Random& random_;
};

}  // namespace

Result<std::optional<std::string>> DrawKey(core::WorkSpace& space, Random& random) {
  MAYFLY_TRY(const std::uint64_t rows, space.Count());
  if (rows == 0) return std::optional<std::string>();
  MAYFLY_TRY(const auto walk, space.NewRowWalk());
  if (rows <= kEvenDrawRowsMax) {
    walk->SeekToFirst();
    for (std::uint64_t i = random.Below(rows); i > 0 && walk->Valid(); --i) walk->Next();
  } else {
    Descent(*walk, random).Run();
  }
  // Others may have deleted keys meanwhile.
  if (!walk->Valid()) walk->SeekToFirst();
  MAYFLY_RETURN_IF_ERROR(walk->status());
  if (!walk->Valid()) return std::optional<std::string>();
  return std::optional(std::string(walk->key()));
}

}  // namespace mayfly::server
