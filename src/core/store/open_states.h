// open_states.h - who looks at a frozen state, and since when.
// Every snapshot, transaction, cursor and long read takes its state here. Two questions need the
// book: may compaction drop what became invisible at some moment (only when all states were taken
// after it), and who is in the way of a promise. States that are too old can be taken away: their
// next call finds nothing to read from. Tickets rise in the order in which states are taken.
// Threads: any.
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

// Something that reads from a state between calls, and can be told to let go of it.
class StateReader {
 public:
  virtual ~StateReader() = default;

  // From any thread, at most once.
  virtual void Revoke() = 0;
};

class OpenStates {
  struct Book;

 public:
  // A frozen state, on the books as long as it lives.
  class State {
   public:
    ~State();
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    // For the length of one call; null once it was revoked.
    std::shared_ptr<const engine::Snapshot> Lend() const;

    // Readers that keep something of the state between calls. False when it was revoked.
    bool Attach(StateReader& reader);
    void Detach(StateReader& reader);

   private:
    friend class OpenStates;
    State(std::shared_ptr<Book> book, StateKind kind, WallTime since)
        : book_(std::move(book)), kind_(kind), since_(since) {}

    // False when it was before.
    bool Revoke();
    bool IsRevoked() const;

    const std::shared_ptr<Book> book_;  // Shared with all states: a revoked one may outlive all.
    const StateKind kind_;
    const WallTime since_;
    StateTicket ticket_ = 0;  // Set once, as it gets on the books.

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

  // The present state. `since` is for the book.
  Result<std::shared_ptr<State>> Open(StateKind kind, WallTime since);

  // Every state opened from now on has a ticket of at least this.
  StateTicket Mark() const;

  // No state from before the mark is open.
  bool AllSince(StateTicket mark) const;

  // Oldest first; those of calls that are under way included.
  std::vector<Info> List() const;

  // Takes away what was opened before `limit`, calls that are under way aside, and what was opened
  // after `now`, before time was taken back: nobody knows its age. Returns how many.
  std::uint64_t RevokeBefore(WallTime limit, WallTime now);

 private:
  struct Book {
    const OwnerProcess owner;
    std::mutex mutex;  // Taken before those of states. Guards the rest.
    StateTicket next = 0;
    std::map<StateTicket, State*> open;  // Each takes itself off before it goes.
  };

  engine::Engine& engine_;
  const std::shared_ptr<Book> book_;
};

}  // namespace mayfly::core
