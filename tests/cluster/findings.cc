#include "tests/cluster/findings.h"

#include <fmt/format.h>

namespace mayfly::engine::cluster::suite {

namespace {

std::string_view NameOf(Fault fault) {
  switch (fault) {
    case Fault::kLostUpdate: return "lost update";
    case Fault::kTwoOwners: return "two owners";
    case Fault::kEpochSkipped: return "epoch skipped";
    case Fault::kInnocentFenced: return "innocent server fenced";
    case Fault::kUnownedTooLong: return "shard unowned for too long";
    case Fault::kStorm: return "storm of moves";
    case Fault::kInStep: return "requests in step";
    case Fault::kManyFences: return "many requests to fence";
    case Fault::kUneven: return "uneven load";
    case Fault::kManyMoves: return "more moves than needed";
  }
  return "?";
}

}  // namespace

void Findings::Add(Fault fault, const std::string& example) {
  Seen& seen = faults_[fault];
  if (seen.number++ == 0) seen.first = example;
}

std::string Findings::ToString() const {
  std::string out;
  for (const auto& [fault, seen] : faults_) {
    out += fmt::format("{}: {} times, first {}\n", NameOf(fault), seen.number, seen.first);
  }
  return out;
}

}  // namespace mayfly::engine::cluster::suite
