// revocable_cursor.h - a cursor that can be revoked while its owner holds it.
// An open cursor keeps files from being deleted. Where states have a maximum age, another thread
// can make a cursor release its state, even if its owner never moves it again. So it moves under a
// lock, and shows copies: the bytes it showed last stay valid.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "core/store/open_states.h"
#include "mayfly/cursor.h"
#include "mayfly/result.h"

namespace mayfly::core {

class RevocableCursor final : public Cursor, private StateReader {
 public:
  // Conflict when the state was revoked already.
  static Result<std::unique_ptr<Cursor>> Over(std::unique_ptr<Cursor> inner,
                                              std::shared_ptr<OpenStates::State> state);
  ~RevocableCursor() override { state_->Detach(*this); }

  bool Valid() const override { return valid_; }
  void SeekToFirst() override;
  void SeekToLast() override;
  void SeekAtOrAfter(Bytes target) override;
  void SeekAtOrBefore(Bytes target) override;
  void Next() override;
  void Prev() override;
  Bytes key() const override { return key_; }
  Bytes value() const override { return value_; }
  std::optional<WallTime> deadline() const override { return deadline_; }
  std::optional<WallTime> timestamp() const override { return timestamp_; }
  bool is_collection() const override { return is_collection_; }
  Status status() const override { return status_; }

 private:
  RevocableCursor(std::unique_ptr<Cursor> inner, std::shared_ptr<OpenStates::State> state)
      : state_(std::move(state)), inner_(std::move(inner)) {}

  void Revoke() override;

  template <typename Move>
  void Do(Move move);

  const std::shared_ptr<OpenStates::State> state_;  // Shared with the view it was opened on.

  std::mutex mutex_;
  std::unique_ptr<Cursor> inner_;  // Guarded by mutex_; null once revoked.

  // Used by the owner's thread only.
  bool valid_ = false;
  std::string key_;
  std::string value_;
  std::optional<WallTime> deadline_;
  std::optional<WallTime> timestamp_;
  bool is_collection_ = false;
  Status status_;
};

}  // namespace mayfly::core
