// tables_play.h - random calls on tables and on the model, compared one by one.
#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>

#include "core/database_home.h"
#include "mayfly/tables.h"

namespace mayfly {

// The fault of the tables that are played on.
enum class Broken : std::uint8_t {
  kNothing,
  kLateClock,          // The database's clock is a millisecond late.
  kIgnoresConditions,  // Writes go ahead whatever their condition says.
  kKeepsEntries,       // A delete leaves the entries of the global index behind.
};

struct PlaySubject {
  EngineKind engine = EngineKind::kMemory;
  TtlMode mode = TtlMode::kExact;
  Broken broken = Broken::kNothing;
  bool indexed = true;  // False: a table without indexes: single-row writes.
};

inline void PrintTo(const PlaySubject& subject, std::ostream* out) {
  *out << NameOf(subject.engine) << (subject.mode == TtlMode::kExact ? "Exact" : "UntilSwept")
       << (subject.indexed ? "" : "Alone") << static_cast<int>(subject.broken);
}

// The first difference, with the number of its call; nothing: none.
std::optional<std::string> PlayTables(const PlaySubject& subject, std::uint64_t seed,
                                      std::size_t calls);

}  // namespace mayfly
