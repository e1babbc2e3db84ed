// headers.h - the header fields of a message: few, and looked up rarely, so they are in a vector.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mayfly::http {

struct Header {
  std::string name;
  std::string value;
};

// Names are compared byte by byte: the writer chooses their case.
class Headers {
 public:
  Headers() = default;
  Headers(std::initializer_list<Header> headers) : slots_(headers), count_(headers.size()) {}

  // Empty when it is missing.
  std::string_view Find(std::string_view name) const {
    const Header* const found = Slot(name);
    return found == nullptr ? std::string_view() : std::string_view(found->value);
  }

  // Adds it, empty, when it is missing. The reference is valid until the next one is added.
  std::string& operator[](std::string_view name) {
    if (const Header* const found = Slot(name)) return const_cast<Header*>(found)->value;
    if (count_ == slots_.size()) slots_.emplace_back();
    Header& added = slots_[count_++];
    added.name.assign(name);
    added.value.clear();
    return added.value;
  }

  // Keeps the memory for the next message.
  void Clear() { count_ = 0; }

  const Header* begin() const { return slots_.data(); }
  const Header* end() const { return slots_.data() + count_; }
  std::size_t size() const { return count_; }

 private:
  const Header* Slot(std::string_view name) const {
    for (const Header& one : *this) {
      if (one.name == name) return &one;
    }
    return nullptr;
  }

  std::vector<Header> slots_;  // Those from count_ on are kept for their memory.
  std::size_t count_ = 0;
};

}  // namespace mayfly::http
