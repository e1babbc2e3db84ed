// structs.h - the C structs that begin with their size, whatever version of them the caller was
// compiled with.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "mayfly/result.h"

namespace mayfly::capi {

// Copies a caller's struct to a `T`; fields the caller's version lacks, or all of them for null,
// are zero. Invalid when the size cannot be right; Unsupported when the caller sets a field that
// this build does not know.
template <typename T>
Result<T> TakeStruct(const T* given, std::string_view what) {
  T taken{};
  if (given == nullptr) return taken;
  if (given->size < sizeof given->size) {
    return Status::Invalid(fmt::format("the size of {} is not set; set it to sizeof", what));
  }
  std::memcpy(&taken, given, std::min(given->size, sizeof(T)));
  const auto* const bytes = reinterpret_cast<const unsigned char*>(given);
  for (std::size_t i = sizeof(T); i < given->size; ++i) {
    if (bytes[i] != 0) {
      return Status::Unsupported(fmt::format("{} asks for more than this build knows", what));
    }
  }
  return taken;
}

// Invalid unless `out` can be filled. Null is allowed when it is `optional`.
template <typename T>
Status CheckFillable(const T* out, bool optional, std::string_view what) {
  if (out == nullptr) {
    return optional ? Status() : Status::Invalid(fmt::format("{} is null; pass one", what));
  }
  if (out->size >= sizeof out->size) return {};
  return Status::Invalid(fmt::format("the size of {} is not set; set it to sizeof", what));
}

// Fills the fields the caller's version has, and zeroes the rest of a larger struct. Does nothing
// for null.
template <typename T>
void Fill(T* out, T filled) {
  if (out == nullptr) return;
  filled.size = out->size;
  if (filled.size > sizeof(T)) {
    std::memset(reinterpret_cast<unsigned char*>(out) + sizeof(T), 0, filled.size - sizeof(T));
  }
  std::memcpy(out, &filled, std::min(filled.size, sizeof(T)));
}

}  // namespace mayfly::capi
