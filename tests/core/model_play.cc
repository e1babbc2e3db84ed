#include "tests/core/model_play.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/random.h"
#include "tests/core/model_player.h"

namespace mayfly::core::suite {
namespace {

class Shrinker {
 public:
  Shrinker(const Subject& subject, std::vector<Operation> failing, Difference difference)
      : subject_(subject), failing_(std::move(failing)), difference_(std::move(difference)) {}

  void Run() {
    for (std::size_t size = 16; size < failing_.size(); size *= 4) {
      if (Adopt({failing_.end() - static_cast<std::ptrdiff_t>(size), failing_.end()})) break;
    }
    for (std::size_t chunk = std::max<std::size_t>(failing_.size() / 2, 1); chunk > 0; chunk /= 2) {
      LeaveOutChunks(chunk);
    }
  }

  const std::vector<Operation>& failing() const { return failing_; }
  const Difference& difference() const { return difference_; }

 private:
  void LeaveOutChunks(std::size_t chunk) {
    // From the back: the last operation shows the difference and stays.
    for (std::size_t end = failing_.size() - 1; end >= chunk && end < failing_.size();) {
      const auto at = static_cast<std::ptrdiff_t>(end - chunk);
      std::vector<Operation> fewer = failing_;
      fewer.erase(fewer.begin() + at, fewer.begin() + static_cast<std::ptrdiff_t>(end));
      Adopt(std::move(fewer));
      end -= chunk;
    }
  }

  // Continues with `fewer` operations if these fail as well.
  bool Adopt(std::vector<Operation> fewer) {
    if (played_ + fewer.size() > subject_.shrink_operations_max) return false;
    played_ += fewer.size();
    auto difference = PlayOperations(subject_, fewer);
    if (!difference) return false;
    fewer.resize(difference->played);
    failing_ = std::move(fewer);
    difference_ = *std::move(difference);
    return true;
  }

  const Subject& subject_;
  std::vector<Operation> failing_;
  Difference difference_;
  std::size_t played_ = 0;
};

}  // namespace

std::vector<Subject> AllSubjects() {
  std::vector<Subject> subjects;
  for (engine::suite::EngineKind& kind : engine::suite::AllEngineKinds()) {
    const bool persistent = kind.new_home()->is_persistent();
    subjects.push_back({.kind = std::move(kind), .persistent = persistent});
  }
  return subjects;
}

std::vector<Operation> MakeOperations(std::uint64_t seed, std::size_t count) {
  Random random(seed);
  std::vector<Operation> operations(count);
  for (Operation& operation : operations) {
    operation = {.kind = ModelPlayer::AnyKind(random), .seed = random.Next()};
  }
  return operations;
}

std::optional<Difference> PlayOperations(const Subject& subject,
                                         std::span<const Operation> operations) {
  return ModelPlayer(subject).Run(operations);
}

std::optional<std::string> PlayAgainstModel(const Subject& subject, std::uint64_t seed,
                                            std::size_t count) {
  std::vector<Operation> operations = MakeOperations(seed, count);
  auto difference = PlayOperations(subject, operations);
  if (!difference) return std::nullopt;
  const std::size_t played = difference->played;
  operations.resize(played);
  Shrinker shrinker(subject, std::move(operations), *std::move(difference));
  shrinker.Run();
  std::string story =
      fmt::format("{} differs from the model: {}\nThe operations, {} of {}:\n", subject.kind.name,
                  shrinker.difference().what, shrinker.failing().size(), played);
  for (const std::string& operation : shrinker.difference().told) story += "  " + operation + "\n";
  return story + fmt::format("Play it again: MAYFLY_SEED={} MAYFLY_OPERATIONS={}", seed, played);
}

}  // namespace mayfly::core::suite
