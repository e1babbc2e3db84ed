// death_listener.h - hears of dead rows and members in the order in which they stop to count.
// Events tell of deaths, too, but after the latches are released: behind a later write of the same
// key. A server that is followed needs them before it, since its followers do not decide themselves
// what is dead.
#pragma once

#include <optional>
#include <span>
#include <string>

namespace mayfly::core {

struct Death {
  std::string keyspace;  // Its name.
  std::string key;
  std::optional<std::string> member;  // Nothing: the whole row.
};

// Called under the latches of these keys, when a purge of them was committed. A latched transaction
// keeps those it has found dead for its caller (LatchedTransaction::TakeMetDead()). Must not call
// the database.
class DeathListener {
 public:
  virtual ~DeathListener() = default;
  virtual void Died(std::span<const Death> deaths) = 0;
};

}  // namespace mayfly::core
