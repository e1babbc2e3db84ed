// memory.h - memory that is returned to the caller, who releases it with mayfly_free().
#pragma once

#include <cstdlib>
#include <memory>
#include <new>

#include "mayfly/bytes.h"

namespace mayfly::capi {

struct Freer {
  void operator()(void* memory) const { std::free(memory); }
};

template <typename T>
using Malloced = std::unique_ptr<T, Freer>;

// Never null. Throws std::bad_alloc.
Malloced<void> Allocate(std::size_t size);

// A copy, followed by a zero byte.
Malloced<void> Copy(Bytes bytes);

// A list in one block: `count` elements, zeroed, followed by room for the bytes they point to.
template <typename T>
class Block {
 public:
  // `bytes` is the sum of the sizes, `pieces` the number of Add() calls to come.
  Block(std::size_t count, std::size_t bytes, std::size_t pieces)
      : memory_(Allocate(count * sizeof(T) + bytes + pieces)),
        free_(static_cast<char*>(memory_.get()) + count * sizeof(T)) {
    std::uninitialized_value_construct_n(elements(), count);
  }

  T& operator[](std::size_t i) { return elements()[i]; }

  // Copies the bytes into the block, followed by a zero byte.
  char* Add(Bytes bytes) {
    char* const at = free_;
    free_[bytes.copy(free_, bytes.size())] = '\0';
    free_ += bytes.size() + 1;
    return at;
  }

  T* Release() { return static_cast<T*>(memory_.release()); }

 private:
  T* elements() { return static_cast<T*>(memory_.get()); }

  Malloced<void> memory_;
  char* free_;
};

}  // namespace mayfly::capi
