// cursor.h - a cursor over the keys of one role, in byte order, both ways.
// A cursor shows one frozen state: that of its snapshot, or of the moment it was made. A new cursor
// is on no key: seek before reading. A move costs one virtual call and reading costs none: engines
// store the current key and value in the base class.
// Keys outside the bounds do not exist for it: seeks clamp to the bounds.
// Lifetime: destroy a cursor before its engine closes. One thread at a time. In a child made by
// fork() it does not move, and status() is an error.
#pragma once

#include <cassert>

#include "base/owner_process.h"
#include "engine/key_range.h"
#include "mayfly/bytes.h"
#include "mayfly/status.h"

namespace mayfly::engine {

class Snapshot;

struct CursorOptions {
  KeyRange range = {};                 // Copied.
  const Snapshot* snapshot = nullptr;  // Null: the state as of now. Must outlive the cursor.
  bool fill_cache = true;              // False for one-off scans that would evict hot blocks.
};

class Cursor {
 public:
  virtual ~Cursor() = default;
  Cursor(const Cursor&) = delete;
  Cursor& operator=(const Cursor&) = delete;

  // True on a key. When false, check status(): the range may have ended, or reading failed.
  bool Valid() const { return valid_; }

  // Both hold until the cursor moves. Only when Valid().
  Bytes key() const { return assert(valid_), key_; }
  Bytes value() const { return assert(valid_), value_; }

  void SeekToFirst() { is_owner() ? DoSeekToFirst() : Hide(); }
  void SeekToLast() { is_owner() ? DoSeekToLast() : Hide(); }
  // First key >= target.
  void SeekAtOrAfter(Bytes target) { is_owner() ? DoSeekAtOrAfter(target) : Hide(); }
  // Last key <= target.
  void SeekAtOrBefore(Bytes target) { is_owner() ? DoSeekAtOrBefore(target) : Hide(); }

  // Only when Valid(). Changing direction costs a seek.
  void Next() { assert(valid_), is_owner() ? DoNext() : Hide(); }
  void Prev() { assert(valid_), is_owner() ? DoPrev() : Hide(); }

  // Ok at the end of the range; Corruption or IoError when reading failed.
  virtual Status status() const = 0;

 protected:
  Cursor() = default;

  void Show(Bytes key, Bytes value) {
    key_ = key;
    value_ = value;
    valid_ = true;
  }
  void Hide() { valid_ = false; }

  // False in a child made by fork().
  bool is_owner() const { return owner_.IsThis(); }

 private:
  virtual void DoSeekToFirst() = 0;
  virtual void DoSeekToLast() = 0;
  virtual void DoSeekAtOrAfter(Bytes target) = 0;
  virtual void DoSeekAtOrBefore(Bytes target) = 0;
  virtual void DoNext() = 0;
  virtual void DoPrev() = 0;

  Bytes key_;    // Owned by the derived cursor.
  Bytes value_;  // Owned by the derived cursor.
  bool valid_ = false;
  const OwnerProcess owner_;
};

}  // namespace mayfly::engine
