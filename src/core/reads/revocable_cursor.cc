#include "core/reads/revocable_cursor.h"

#include "core/reads/reads.h"

namespace mayfly::core {

Result<std::unique_ptr<Cursor>> RevocableCursor::Over(std::unique_ptr<Cursor> inner,
                                                      std::shared_ptr<OpenStates::State> state) {
  std::unique_ptr<RevocableCursor> cursor(new RevocableCursor(std::move(inner), std::move(state)));
  if (!cursor->state_->Attach(*cursor)) return StateRevoked();
  return std::unique_ptr<Cursor>(std::move(cursor));
}

template <typename Move>
void RevocableCursor::Do(Move move) {
  const std::lock_guard lock(mutex_);
  valid_ = false;
  if (inner_ == nullptr) {
    status_ = StateRevoked();
    return;
  }
  move(*inner_);
  status_ = inner_->status();
  valid_ = inner_->Valid();
  if (!valid_) return;
  key_ = inner_->key();
  value_ = inner_->value();
  deadline_ = inner_->deadline();
  timestamp_ = inner_->timestamp();
  is_collection_ = inner_->is_collection();
}

void RevocableCursor::SeekToFirst() {
  Do([](Cursor& inner) { inner.SeekToFirst(); });
}
void RevocableCursor::SeekToLast() {
  Do([](Cursor& inner) { inner.SeekToLast(); });
}
void RevocableCursor::SeekAtOrAfter(Bytes target) {
  Do([&](Cursor& inner) { inner.SeekAtOrAfter(target); });
}
void RevocableCursor::SeekAtOrBefore(Bytes target) {
  Do([&](Cursor& inner) { inner.SeekAtOrBefore(target); });
}
void RevocableCursor::Next() {
  Do([](Cursor& inner) { inner.Next(); });
}
void RevocableCursor::Prev() {
  Do([](Cursor& inner) { inner.Prev(); });
}

void RevocableCursor::Revoke() {
  const std::lock_guard lock(mutex_);
  inner_.reset();
}

}  // namespace mayfly::core
