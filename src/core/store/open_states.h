// open_states.h - the registry of open frozen states, with their kind and age.
// Every snapshot, transaction, cursor and long read takes its state here. The registry answers two
// questions: may compaction drop what became invisible at some moment (only when all states were
// taken after it), and which states delay a promise. States that are too old can be revoked: the
// next call on one fails. Tickets rise in the order in which states are taken. Lock order:
// ARCHITECTURE.md. Threads: any.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "base/owner_process.h"
#include "engine/engine.h"
#include "mayfly/clock.h"
#include "mayfly/result.h"

namespace mayfly::core {

using StateTicket = std::uint64_t;

enum class StateKind : std::uint8_t { kSnapshot, kTransaction, kCursor, kCall };

// A reader that holds a part of a state between calls, and can release it on demand.
class StateReader {
 public:
  virtual ~StateReader() = default;

  // Releases the state. Called from any thread, at most once.
  virtual void Revoke() = 0;
};

class OpenStates {
  struct Book;

 public:
  // A frozen state, registered as long as it lives.
  class State {
   public:
    ~State();
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    // Lends the snapshot for the length of one call; null once the state was revoked.
    std::shared_ptr<const engine::Snapshot> Lend() const;

    // Registers a reader that keeps a part of the state between calls. False when it was revoked.
    bool Attach(StateReader& reader);
    void Detach(StateReader& reader);

   private:
    friend class OpenStates;
    State(std::shared_ptr<Book> book, StateKind kind, WallTime since)
        : book_(std::move(book)), kind_(kind), since_(since) {}

    // False when it was revoked before.
    bool Revoke();
    bool IsRevoked() const;

    const std::shared_ptr<Book> book_;  // Shared with all states, which may outlive OpenStates.
    const StateKind kind_;
    const WallTime since_;
    StateTicket ticket_ = 0;  // Set once, when it is registered.

    mutable std::mutex mutex_;                              // Guards the rest.
    std::shared_ptr<const engine::Snapshot> snapshot_;      // Shared with calls under way.
    std::weak_ptr<const engine::Snapshot> after_revoking_;  // Those calls keep it for a moment.
    bool revoked_ = false;
    std::vector<StateReader*> readers_;
  };

  struct Info {
    StateKind kind;
    WallTime since;
  };

  explicit OpenStates(engine::Engine& engine) : engine_(engine), book_(std::make_shared<Book>()) {}

  // Opens the present state. `since` is recorded as its age.
  Result<std::shared_ptr<State>> Open(StateKind kind, WallTime since);

  // A ticket that every state opened from now on reaches.
  StateTicket Mark() const;

  // True when no state from before the mark is open.
  bool AllSince(StateTicket mark) const;

  // All open states, oldest first; those of calls under way included.
  std::vector<Info> List() const;

  // Revokes states opened before `limit`, except those of calls under way, and states with a
  // `since` after `now`: time was reverted, so their age is unknown. Returns how many.
  std::uint64_t RevokeBefore(WallTime limit, WallTime now);

 private:
  struct Book {
    const OwnerProcess owner;
    std::mutex mutex;  // Guards the rest.
    StateTicket next = 0;
    std::map<StateTicket, State*> open;  // Each removes itself before it is destroyed.
  };

  engine::Engine& engine_;
  const std::shared_ptr<Book> book_;
};

}  // namespace mayfly::core
