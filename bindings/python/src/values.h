// values.h - Python values as mayfly takes them, and back.
// Keys and values are bytes. A str stands for its UTF-8 bytes; what is read is always bytes.
// Lengths of time are seconds (int or float) or a timedelta; instants are seconds since the epoch
// or an aware datetime. What is read: seconds as float, instants as datetime in UTC.
#pragma once

#include <pybind11/pybind11.h>

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "errors.h"
#include "mayfly/bytes.h"
#include "mayfly/clock.h"
#include "mayfly/lifetime.h"

namespace mayfly::python {

// The bytes of an argument. Views into bytes and str, which cannot change; copies of the rest,
// which another thread might change while the GIL is released.
class BytesArgument {
 public:
  BytesArgument() = default;
  explicit BytesArgument(pybind11::handle source);

  Bytes view() const { return copied_ ? Bytes(copy_) : view_; }

  // Of the object that was passed. Null: default constructed.
  pybind11::handle source() const { return source_; }

  // False when the object is neither str nor bytes-like.
  bool Load(pybind11::handle source);

 private:
  pybind11::handle source_;
  Bytes view_;
  bool copied_ = false;
  std::string copy_;
};

// Must be called once before the functions below.
void ImportDatetime();

Millis ToMillis(pybind11::handle duration, const char* what);
std::optional<Millis> ToOptionalMillis(pybind11::handle duration, const char* what);
WallTime ToInstant(pybind11::handle instant, const char* what);

pybind11::object ToDatetime(WallTime time);
pybind11::object ToDatetime(const std::optional<WallTime>& time);
inline double ToSeconds(Millis length) { return static_cast<double>(length.count()) / 1000.0; }
pybind11::object ToSeconds(const std::optional<Millis>& length);

inline pybind11::bytes ToBytes(Bytes bytes) { return {bytes.data(), bytes.size()}; }

// The lifetime that ttl= and expire_at= state. FOREVER and KEEP are values of ttl=. An instant that
// has passed is one, however long ago. A number of seconds that looks like milliseconds is
// InvalidError, unless any instant is allowed.
Lifetime ToLifetime(pybind11::handle ttl, pybind11::handle expire_at, bool any_instant);

// The instant of a write. InvalidError for one before 1973 or after 5138, likewise.
WallTime ToTimestamp(pybind11::handle timestamp, bool any_instant);

void BindLifetimes(pybind11::module_& module);

// The enumerator of the name. InvalidError with all names when there is none.
template <typename Enum>
Enum Choose(const std::string& name, const char* what,
            std::initializer_list<std::pair<const char*, Enum>> choices) {
  std::string all;
  for (const auto& [text, value] : choices) {
    if (name == text) return value;
    all += all.empty() ? text : std::string(", ") + text;
  }
  Raise(Status::Invalid(std::string(what) + " is one of " + all + ", not " + name));
}

template <typename Enum>
const char* NameOf(Enum value, std::initializer_list<std::pair<const char*, Enum>> choices) {
  for (const auto& [text, choice] : choices) {
    if (choice == value) return text;
  }
  return "";
}

}  // namespace mayfly::python

namespace pybind11::detail {

template <>
struct type_caster<mayfly::python::BytesArgument> {
 public:
  PYBIND11_TYPE_CASTER(mayfly::python::BytesArgument, const_name("bytes"));
  bool load(handle source, bool) { return value.Load(source); }
};

}  // namespace pybind11::detail
