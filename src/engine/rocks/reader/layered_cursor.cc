#include "engine/rocks/reader/layered_cursor.h"

namespace mayfly::engine {

Status LayeredCursor::status() const {
  MAYFLY_RETURN_IF_ERROR(tail().status());
  return tables().status();
}

void LayeredCursor::DoSeekToFirst() {
  forward_ = true;
  tail().SeekToFirst();
  tables().SeekToFirst();
  Settle();
}

void LayeredCursor::DoSeekToLast() {
  forward_ = false;
  tail().SeekToLast();
  tables().SeekToLast();
  Settle();
}

void LayeredCursor::DoSeekAtOrAfter(Bytes target) {
  forward_ = true;
  tail().SeekAtOrAfter(target);
  tables().SeekAtOrAfter(target);
  Settle();
}

void LayeredCursor::DoSeekAtOrBefore(Bytes target) {
  forward_ = false;
  tail().SeekAtOrBefore(target);
  tables().SeekAtOrBefore(target);
  Settle();
}

void LayeredCursor::DoNext() {
  const std::string from(key());
  if (!forward_) {
    forward_ = true;
    tail().SeekAtOrAfter(from);
    tables().SeekAtOrAfter(from);
  }
  if (tail().Valid() && tail().key() == from) tail().Next();
  if (tables().Valid() && tables().key() == from) tables().Next();
  Settle();
}

void LayeredCursor::DoPrev() {
  const std::string from(key());
  if (forward_) {
    forward_ = false;
    tail().SeekAtOrBefore(from);
    tables().SeekAtOrBefore(from);
  }
  if (tail().Valid() && tail().key() == from) tail().Prev();
  if (tables().Valid() && tables().key() == from) tables().Prev();
  Settle();
}

void LayeredCursor::Settle() {
  for (;;) {
    SkipHidden();
    if (!tables().status().ok() || !tail().status().ok()) return Hide();
    if (!tail().Valid()) break;
    const bool same = tables().Valid() && tables().key() == tail().key();
    if (tables().Valid() && !same && !TailComesFirst()) break;
    Bytes value;
    if (ReadTailValue(tail().value(), value) == TailWord::kPut) {
      return Show(tail().key(), value);
    }
    if (same) Step(tables());
    Step(tail());
  }
  if (tables().Valid()) return Show(tables().key(), tables().value());
  Hide();
}

void LayeredCursor::SkipHidden() {
  while (tables().Valid()) {
    const HiddenRanges::Range* const range = layers_.hidden->Find(tables().key());
    if (range == nullptr) return;
    if (forward_) {
      tables().SeekAtOrAfter(range->end);
    } else {
      tables().SeekAtOrBefore(range->begin);
      if (tables().Valid() && tables().key() == range->begin) tables().Prev();
    }
  }
}

}  // namespace mayfly::engine
