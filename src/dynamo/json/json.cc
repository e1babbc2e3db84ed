#include "dynamo/json/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/serializer.hpp>
#include <boost/json/value_stack.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <utility>

#include "dynamo/json/json_memory.h"
#include "dynamo/json/limits.h"

namespace mayfly::dynamo {
namespace {

using ErrorCode = json::error_code;

// Builds the value, and counts the names of its objects.
struct TreeHandler {
  // Boost.JSON's names. NOLINTBEGIN(readability-identifier-naming)
  static constexpr std::size_t max_object_size = json::object::max_size();
  static constexpr std::size_t max_array_size = json::array::max_size();
  static constexpr std::size_t max_key_size = json::string::max_size();
  static constexpr std::size_t max_string_size = json::string::max_size();
  // NOLINTEND(readability-identifier-naming)

  TreeHandler(json::storage_ptr of, json::storage_ptr scratch)
      : memory(std::move(of)), stack(std::move(scratch), near.data(), near.size()) {}

  json::storage_ptr memory;
  std::array<unsigned char, kJsonBytesNear> near;  // On the stack.
  json::value_stack stack;
  std::size_t names = 0;

  bool on_document_begin(ErrorCode&) {
    stack.reset(memory);
    return true;
  }
  bool on_document_end(ErrorCode&) { return true; }
  bool on_object_begin(ErrorCode&) { return true; }
  bool on_object_end(std::size_t count, ErrorCode&) {
    stack.push_object(count);
    return true;
  }
  bool on_array_begin(ErrorCode&) { return true; }
  bool on_array_end(std::size_t count, ErrorCode&) {
    stack.push_array(count);
    return true;
  }
  bool on_key_part(json::string_view part, std::size_t, ErrorCode&) {
    stack.push_chars(part);
    return true;
  }
  bool on_key(json::string_view part, std::size_t, ErrorCode&) {
    ++names;
    stack.push_key(part);
    return true;
  }
  bool on_string_part(json::string_view part, std::size_t, ErrorCode&) {
    stack.push_chars(part);
    return true;
  }
  bool on_string(json::string_view part, std::size_t, ErrorCode&) {
    stack.push_string(part);
    return true;
  }
  bool on_number_part(json::string_view, ErrorCode&) { return true; }
  bool on_int64(std::int64_t number, json::string_view, ErrorCode&) {
    stack.push_int64(number);
    return true;
  }
  bool on_uint64(std::uint64_t number, json::string_view, ErrorCode&) {
    stack.push_uint64(number);
    return true;
  }
  bool on_double(double number, json::string_view, ErrorCode&) {
    stack.push_double(number);
    return true;
  }
  bool on_bool(bool value, ErrorCode&) {
    stack.push_bool(value);
    return true;
  }
  bool on_null(ErrorCode&) {
    stack.push_null();
    return true;
  }
  bool on_comment_part(json::string_view, ErrorCode&) { return true; }
  bool on_comment(json::string_view, ErrorCode&) { return true; }
};

// Counts the names of all objects in it: fewer than were read if one was a duplicate, since an
// object keeps one of each.
std::size_t NamesIn(const json::value& value) {
  std::size_t names = 0;
  if (const auto* const object = value.if_object()) {
    names = object->size();
    for (const auto& member : *object) names += NamesIn(member.value());
  } else if (const auto* const array = value.if_array()) {
    for (const json::value& element : *array) names += NamesIn(element);
  }
  return names;
}

}  // namespace

void* JsonMemory::Counted::do_allocate(std::size_t bytes, std::size_t align) {
  if (bytes > bytes_max_ - used_) throw std::bad_alloc();  // What Boost.JSON expects.
  void* const taken = ::operator new(bytes, std::align_val_t(align));
  used_ += bytes;
  used_max_ = std::max(used_max_, used_);
  return taken;
}

void JsonMemory::Counted::do_deallocate(void* at, std::size_t bytes, std::size_t align) {
  ::operator delete(at, std::align_val_t(align));
  used_ -= bytes;
}

JsonMemory::Blocks::~Blocks() {
  for (const Block& block : blocks_) {
    source_.deallocate(block.at, block.bytes, alignof(std::max_align_t));
  }
}

void* JsonMemory::Blocks::do_allocate(std::size_t bytes, std::size_t align) {
  if (std::align(align, bytes, next_, left_) == nullptr) {
    const std::size_t last = blocks_.empty() ? 0 : blocks_.back().bytes;
    const std::size_t usual = std::clamp(2 * last, kJsonBlockBytesMin, kJsonBlockBytesMax);
    blocks_.reserve(blocks_.size() + 1);
    // A request larger than a block gets its own, and does not end the current one.
    const std::size_t size = std::max(usual, bytes);
    void* const block = source_.allocate(size, alignof(std::max_align_t));
    blocks_.push_back({block, size});
    if (bytes > usual) return block;
    next_ = block;
    left_ = size;
  }
  void* const taken = next_;
  next_ = static_cast<unsigned char*>(next_) + bytes;
  left_ -= bytes;
  return taken;
}

// Boost.JSON throws when memory runs out, or an object is too large for it.
Result<json::value> ParseJson(std::string_view text, json::storage_ptr memory,
                              json::storage_ptr scratch) try {
  json::parse_options options;
  options.max_depth = kJsonDepthMax;
  json::basic_parser<TreeHandler> parser(options, std::move(memory), std::move(scratch));
  ErrorCode error;
  std::size_t read = parser.write_some(false, text.data(), text.size(), error);
  while (!error && read < text.size() && std::string_view(" \t\r\n").find(text[read]) < 4) ++read;
  if (error) return Status::Invalid(fmt::format("no JSON: {}", error.message()));
  if (read < text.size()) return Status::Invalid("bytes follow the JSON");
  json::value value = parser.handler().stack.release();
  if (NamesIn(value) != parser.handler().names) {
    return Status::Invalid("a name is there twice in one object");
  }
  return value;
} catch (const std::bad_alloc&) {
  return Status::Busy("its JSON takes too much memory: send less at once");
} catch (const std::exception& failure) {
  return Status::Invalid(fmt::format("JSON that cannot be read: {}", failure.what()));
}

json::value NumberOf(double number) {
  constexpr double kExactMax = 9e15;
  if (std::trunc(number) == number && std::abs(number) < kExactMax) {
    return static_cast<std::int64_t>(number);
  }
  return number;
}

namespace {

std::string TextFrom(json::serializer& serializer) {
  std::string text;
  char piece[16 * 1024];
  while (!serializer.done()) {
    const json::string_view part = serializer.read(piece, sizeof piece);
    text.append(part.data(), part.size());
  }
  return text;
}

}  // namespace

std::string ToText(const json::object& object) {
  json::serializer serializer;
  serializer.reset(&object);
  return TextFrom(serializer);
}

std::string ToText(const json::value& value) {
  json::serializer serializer;
  serializer.reset(&value);
  return TextFrom(serializer);
}

}  // namespace mayfly::dynamo
