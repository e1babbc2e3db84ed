// pinned_bytes.h - a value that was read, without a copy where the engine allows.
// The engine keeps its own holder (a pinned cache block, a shared buffer, an epoch) inside, in
// place; a read allocates nothing for it. Keep one PinnedBytes and pass it to read after read: the
// holder and its buffer are reused. Invariant: the bytes stay valid and unchanged until the
// next read into this object, Reset(), or its destruction, whatever happens to the row meanwhile.
// They survive Engine::Close(), not the destruction of the engine. Not safe to share between
// threads while one of them changes it.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <string>
#include <type_traits>

#include "mayfly/bytes.h"

namespace mayfly {

class PinnedBytes {
 public:
  PinnedBytes() = default;
  ~PinnedBytes() { Reset(); }

  // The holder cannot move. To read many values, make an array of these.
  PinnedBytes(const PinnedBytes&) = delete;
  PinnedBytes& operator=(const PinnedBytes&) = delete;

  Bytes view() const { return view_; }

  // Releases the holder and its bytes.
  void Reset() {
    if (destroy_ != nullptr) destroy_(storage_);
    destroy_ = nullptr;
    view_ = {};
  }

  // As Reset(), but a holder that is a copy keeps its memory, up to so many bytes, for the next
  // read.
  void Recycle(std::size_t bytes_max) {
    view_ = {};
    if (destroy_ != &Destroy<std::string>) return Reset();
    if (Hold<std::string>().capacity() > bytes_max) Reset();
  }

  // For engines: returns the Holder inside; that of the last read if it was of the same type.
  template <typename Holder>
  Holder& Hold() {
    static_assert(sizeof(Holder) <= kHolderBytesMax &&
                  alignof(Holder) <= alignof(std::max_align_t));
    if (destroy_ != &Destroy<Holder>) {
      Reset();
      ::new (static_cast<void*>(storage_)) Holder();
      destroy_ = &Destroy<Holder>;
    }
    return *std::launder(reinterpret_cast<Holder*>(storage_));
  }

  // For engines: the bytes to show, owned by the holder.
  void Show(Bytes bytes) { view_ = bytes; }

 private:
  static constexpr std::size_t kHolderBytesMax = 128;

  template <typename Holder>
  static void Destroy(void* storage) {
    std::destroy_at(std::launder(static_cast<Holder*>(storage)));
  }

  Bytes view_;
  void (*destroy_)(void*) = nullptr;  // Also identifies the holder's type.
  alignas(std::max_align_t) std::byte storage_[kHolderBytesMax];
};

}  // namespace mayfly
