#include "core/store/open_states.h"

#include <algorithm>

namespace mayfly::core {

Result<std::shared_ptr<OpenStates::State>> OpenStates::Open(StateKind kind, WallTime since) {
  const std::shared_ptr<State> state(new State(book_, kind, since));
  {
    // Registered before the snapshot is taken, so that AllSince() never misses an older state.
    const std::lock_guard lock(book_->mutex);
    state->ticket_ = book_->next++;
    book_->open[state->ticket_] = state.get();
  }
  MAYFLY_TRY(auto snapshot, engine_.NewSnapshot());
  const std::lock_guard lock(state->mutex_);
  // After a jump of the clock it may be too old, and revoked, already.
  if (!state->revoked_) state->snapshot_ = std::move(snapshot);
  return state;
}

OpenStates::State::~State() {
  if (!book_->owner.IsThis()) {
    Abandon(std::move(snapshot_));
    return;
  }
  const std::lock_guard lock(book_->mutex);
  book_->open.erase(ticket_);
}

std::shared_ptr<const engine::Snapshot> OpenStates::State::Lend() const {
  const std::lock_guard lock(mutex_);
  return snapshot_;
}

bool OpenStates::State::Attach(StateReader& reader) {
  const std::lock_guard lock(mutex_);
  if (revoked_) return false;
  readers_.push_back(&reader);
  return true;
}

void OpenStates::State::Detach(StateReader& reader) {
  const std::lock_guard lock(mutex_);
  std::erase(readers_, &reader);
}

bool OpenStates::State::Revoke() {
  const std::lock_guard lock(mutex_);
  if (revoked_) return false;
  for (StateReader* const reader : readers_) reader->Revoke();
  readers_.clear();
  after_revoking_ = snapshot_;
  snapshot_.reset();
  revoked_ = true;
  return true;
}

bool OpenStates::State::IsRevoked() const {
  const std::lock_guard lock(mutex_);
  return revoked_ && after_revoking_.expired();
}

StateTicket OpenStates::Mark() const {
  const std::lock_guard lock(book_->mutex);
  return book_->next;
}

bool OpenStates::AllSince(StateTicket mark) const {
  const std::lock_guard lock(book_->mutex);
  return std::all_of(book_->open.begin(), book_->open.lower_bound(mark),
                     [](const auto& open) { return open.second->IsRevoked(); });
}

std::vector<OpenStates::Info> OpenStates::List() const {
  const std::lock_guard lock(book_->mutex);
  std::vector<Info> list;
  for (const auto& [ticket, state] : book_->open) {
    if (!state->IsRevoked()) list.push_back({state->kind_, state->since_});
  }
  return list;
}

std::uint64_t OpenStates::RevokeBefore(WallTime limit, WallTime now) {
  const std::lock_guard lock(book_->mutex);
  std::uint64_t revoked = 0;
  for (const auto& [ticket, state] : book_->open) {
    const bool young = state->since_ >= limit && state->since_ <= now;
    if (state->kind_ == StateKind::kCall || young) continue;
    if (state->Revoke()) ++revoked;
  }
  return revoked;
}

}  // namespace mayfly::core
