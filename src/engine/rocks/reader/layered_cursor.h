// layered_cursor.h - a cursor over a layered state: tail and tables merged, deletions left out.
#pragma once

#include <memory>
#include <string>

#include "engine/engine.h"
#include "engine/rocks/reader/layered_state.h"

namespace mayfly::engine {

class LayeredCursor final : public Cursor {
 public:
  // The sources of the cursor, all of one moment.
  struct Layers {
    std::shared_ptr<const LayeredState> state;  // Shared with the engine; destroyed last.
    std::unique_ptr<Cursor> tail;
    std::unique_ptr<Cursor> tables;
    std::shared_ptr<const HiddenRanges> hidden;
  };

  LayeredCursor(Layers layers, std::atomic<std::uint64_t>& open_cursors)
      : ticket_(open_cursors), layers_(std::move(layers)) {}

  Status status() const override;

 private:
  void DoSeekToFirst() override;
  void DoSeekToLast() override;
  void DoSeekAtOrAfter(Bytes target) override;
  void DoSeekAtOrBefore(Bytes target) override;
  void DoNext() override;
  void DoPrev() override;

  Cursor& tail() const { return *layers_.tail; }
  Cursor& tables() const { return *layers_.tables; }

  // Moves to the first visible pair, from where the two are, in the direction of forward_.
  void Settle();
  void SkipHidden();
  void Step(Cursor& cursor) const { forward_ ? cursor.Next() : cursor.Prev(); }

  // True if the tail's key comes before the tables', in the direction; both are valid.
  bool TailComesFirst() const {
    return forward_ ? tail().key() < tables().key() : tail().key() > tables().key();
  }

  const HandleTicket ticket_;
  const Layers layers_;
  bool forward_ = true;
};

}  // namespace mayfly::engine
