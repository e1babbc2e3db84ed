// json_memory.h - the memory of one request's JSON, bounded in proportion to its text.
// Three bytes of text can be a value of dozens, so the size of a body says little about the memory
// of its tree: allocations are counted, and Boost.JSON gets no more above the bound.
#pragma once

#include <array>
#include <boost/json/memory_resource.hpp>
#include <boost/json/storage_ptr.hpp>
#include <cstddef>
#include <vector>

#include "dynamo/json/limits.h"

namespace mayfly::dynamo {

// Must outlive the values in it, which are freed as a whole.
class JsonMemory {
 public:
  explicit JsonMemory(std::size_t text_bytes)
      : counted_(kJsonBytesFree + kJsonBytesPerByte * text_bytes) {}
  JsonMemory(const JsonMemory&) = delete;
  JsonMemory& operator=(const JsonMemory&) = delete;

  boost::json::storage_ptr values() { return &values_; }
  // For allocations that are freed while the text is read.
  boost::json::storage_ptr scratch() { return &counted_; }

  std::size_t used_max() const { return counted_.used_max(); }

 private:
  class Counted final : public boost::json::memory_resource {
   public:
    explicit Counted(std::size_t bytes_max) : bytes_max_(bytes_max) {}
    std::size_t used_max() const { return used_max_; }

   private:
    void* do_allocate(std::size_t bytes, std::size_t align) override;
    void do_deallocate(void* at, std::size_t bytes, std::size_t align) override;
    bool do_is_equal(const memory_resource& other) const noexcept override {
      return this == &other;
    }

    const std::size_t bytes_max_;
    std::size_t used_ = 0;
    std::size_t used_max_ = 0;
  };

  // A monotonic allocator. Boost's own doubles its blocks, and half of a large one may stay empty.
  class Blocks final : public boost::json::memory_resource {
   public:
    explicit Blocks(Counted& source) : source_(source) {}
    ~Blocks() override;

   private:
    struct Block {
      void* at;
      std::size_t bytes;
    };

    void* do_allocate(std::size_t bytes, std::size_t align) override;
    void do_deallocate(void*, std::size_t, std::size_t) override {}
    bool do_is_equal(const memory_resource& other) const noexcept override {
      return this == &other;
    }

    Counted& source_;
    std::array<unsigned char, kJsonBytesNear> near_;  // Enough for most requests.
    void* next_ = near_.data();
    std::size_t left_ = near_.size();
    std::vector<Block> blocks_;
  };

  Counted counted_;
  Blocks values_{counted_};
};

}  // namespace mayfly::dynamo
