#include "values.h"

#include <datetime.h>

#include <algorithm>
#include <cmath>

namespace mayfly::python {
namespace {

namespace py = pybind11;

constexpr double kMillisMax = 9.0e18;  // Below the largest int64.

// Seconds since the epoch outside these are taken for another unit: 1973 and the year 5138.
constexpr std::int64_t kSecondsFirst = 100'000'000;
constexpr std::int64_t kSecondsLast = 100'000'000'000;

// Live until the process ends, as the module does.
PyObject* epoch = nullptr;
PyObject* forever = nullptr;
PyObject* keep = nullptr;

// Seconds, rounded to the nearest millisecond; a length above zero stays above zero.
std::int64_t MillisOf(double seconds, const char* what) {
  const double ms = seconds * 1000.0;
  if (!(std::fabs(ms) < kMillisMax)) {
    Raise(Status::Invalid(std::string(what) + " is not a finite number of seconds in range"));
  }
  const auto rounded = static_cast<std::int64_t>(std::llround(ms));
  return rounded == 0 && seconds > 0 ? 1 : rounded;
}

double NumberOf(py::handle value, const char* what, const char* expected) {
  if (PyFloat_Check(value.ptr())) return PyFloat_AS_DOUBLE(value.ptr());
  if (PyBool_Check(value.ptr()) || !PyIndex_Check(value.ptr())) {
    throw py::type_error(std::string(what) + " must be " + expected + ", not " +
                         Py_TYPE(value.ptr())->tp_name);
  }
  const py::int_ number = py::reinterpret_steal<py::int_>(PyNumber_Index(value.ptr()));
  if (!number) throw py::error_already_set();
  const double seconds = PyLong_AsDouble(number.ptr());
  if (PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    Raise(Status::Invalid(std::string(what) + " is out of range"));
  }
  return seconds;
}

// Macros of Python's headers cast as C does.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
std::int64_t MillisOfDelta(PyObject* delta) {
  const std::int64_t days = PyDateTime_DELTA_GET_DAYS(delta);
  const std::int64_t seconds = PyDateTime_DELTA_GET_SECONDS(delta);
  const std::int64_t micros = PyDateTime_DELTA_GET_MICROSECONDS(delta);
  const std::int64_t whole = (days * 86'400 + seconds) * 1000;
  const std::int64_t rounded = whole + (micros + 500) / 1000;
  return rounded == 0 && whole * 1000 + micros > 0 ? 1 : rounded;
}
#pragma GCC diagnostic pop

}  // namespace

BytesArgument::BytesArgument(py::handle source) {
  if (!Load(source)) {
    throw py::type_error(std::string("keys and values are bytes or str, not ") +
                         Py_TYPE(source.ptr())->tp_name);
  }
}

bool BytesArgument::Load(py::handle source) {
  PyObject* object = source.ptr();
  source_ = source;
  if (PyBytes_Check(object)) {
    view_ = Bytes(PyBytes_AS_STRING(object), static_cast<std::size_t>(PyBytes_GET_SIZE(object)));
    return true;
  }
  if (PyUnicode_Check(object)) {
    Py_ssize_t size = 0;
    const char* text = PyUnicode_AsUTF8AndSize(object, &size);
    if (text == nullptr) throw py::error_already_set();
    view_ = Bytes(text, static_cast<std::size_t>(size));
    return true;
  }
  if (!PyObject_CheckBuffer(object)) return false;
  Py_buffer buffer;
  if (PyObject_GetBuffer(object, &buffer, PyBUF_SIMPLE) != 0) throw py::error_already_set();
  copy_.assign(static_cast<const char*>(buffer.buf), static_cast<std::size_t>(buffer.len));
  copied_ = true;
  PyBuffer_Release(&buffer);
  return true;
}

void ImportDatetime() {
  PyDateTime_IMPORT;
  if (PyDateTimeAPI == nullptr) throw py::error_already_set();
  epoch = PyDateTimeAPI->DateTime_FromDateAndTime(1970, 1, 1, 0, 0, 0, 0, PyDateTime_TimeZone_UTC,
                                                  PyDateTimeAPI->DateTimeType);
  if (epoch == nullptr) throw py::error_already_set();
}

Millis ToMillis(py::handle duration, const char* what) {
  if (PyDelta_Check(duration.ptr())) return Millis(MillisOfDelta(duration.ptr()));
  return Millis(MillisOf(NumberOf(duration, what, "seconds or a timedelta"), what));
}

std::optional<Millis> ToOptionalMillis(py::handle duration, const char* what) {
  if (duration.is_none()) return std::nullopt;
  return ToMillis(duration, what);
}

WallTime ToInstant(py::handle instant, const char* what) {
  if (!PyDateTime_Check(instant.ptr())) {
    const double seconds = NumberOf(instant, what, "an aware datetime or seconds since the epoch");
    return WallTimeFromMs(MillisOf(seconds, what));
  }
  if (instant.attr("utcoffset")().is_none()) {
    Raise(Status::Invalid(std::string(what) +
                          " has no time zone: use datetime.now(timezone.utc) and the like"));
  }
  const py::object since =
      py::reinterpret_steal<py::object>(PyNumber_Subtract(instant.ptr(), epoch));
  if (!since) throw py::error_already_set();
  return WallTimeFromMs(MillisOfDelta(since.ptr()));
}

py::object ToDatetime(WallTime time) {
  // datetime ends with the year 9999; instants beyond it, and before the year 1, are shown as its
  // ends.
  constexpr std::int64_t kFirst = -62'135'596'800'000;
  constexpr std::int64_t kLast = 253'402'300'799'999;
  const std::int64_t ms = std::min(std::max(ToMs(time), kFirst), kLast);
  std::int64_t days = ms / 86'400'000;
  std::int64_t rest = ms % 86'400'000;
  if (rest < 0) {
    rest += 86'400'000;
    --days;
  }
  const py::object delta = py::reinterpret_steal<py::object>(PyDelta_FromDSU(
      static_cast<int>(days), static_cast<int>(rest / 1000), static_cast<int>(rest % 1000 * 1000)));
  if (!delta) throw py::error_already_set();
  const auto made = py::reinterpret_steal<py::object>(PyNumber_Add(epoch, delta.ptr()));
  if (!made) throw py::error_already_set();
  return made;
}

py::object ToDatetime(const std::optional<WallTime>& time) {
  return time ? ToDatetime(*time) : py::none();
}

py::object ToSeconds(const std::optional<Millis>& length) {
  return length ? py::object(py::float_(ToSeconds(*length))) : py::none();
}

namespace {

[[noreturn]] void RaiseImplausible(py::handle given, const char* what, const char* looks_like) {
  Raise(Status::Invalid(std::string(what) + " " + std::string(py::repr(given)) +
                        " is implausible in seconds since 1970: it looks like " + looks_like +
                        "; convert it, pass an aware datetime, or open the database with "
                        "allow_any_instant=True"));
}

// A datetime states its unit, so any will do.
WallTime ToDeadline(py::handle instant, bool any_instant) {
  const WallTime deadline = ToInstant(instant, "expire_at");
  if (!any_instant && !PyDateTime_Check(instant.ptr()) && ToMs(deadline) > kSecondsLast * 1000) {
    RaiseImplausible(instant, "expire_at", "milliseconds or a smaller unit");
  }
  return std::max(deadline, WallTimeFromMs(0));  // Rows have no deadline before 1970.
}

}  // namespace

WallTime ToTimestamp(py::handle timestamp, bool any_instant) {
  const WallTime at = ToInstant(timestamp, "timestamp");
  if (any_instant || (ToMs(at) >= kSecondsFirst * 1000 && ToMs(at) <= kSecondsLast * 1000)) {
    return at;
  }
  RaiseImplausible(timestamp, "timestamp",
                   ToMs(at) < kSecondsFirst * 1000 ? "a counter or a larger unit"
                                                   : "milliseconds or a smaller unit");
}

Lifetime ToLifetime(py::handle ttl, py::handle expire_at, bool any_instant) {
  if (!expire_at.is_none()) {
    if (!ttl.is_none()) Raise(Status::Invalid("ttl and expire_at exclude each other"));
    return Lifetime::Until(ToDeadline(expire_at, any_instant));
  }
  if (ttl.is_none()) return Lifetime::Default();
  if (ttl.ptr() == forever) return Lifetime::Forever();
  if (ttl.ptr() == keep) return Lifetime::Keep();
  return Lifetime::For(ToMillis(ttl, "ttl"));
}

namespace {

// A value of ttl= that is no length of time.
struct LifetimeName {
  const char* name;
};

}  // namespace

void BindLifetimes(py::module_& module) {
  py::class_<LifetimeName>(module, "LifetimeName", "FOREVER or KEEP, as a value of ttl=.")
      .def("__repr__", [](const LifetimeName& self) { return std::string("mayfly.") + self.name; })
      .def("__reduce__", [](const LifetimeName& self) { return std::string(self.name); });
  forever = py::cast(LifetimeName{"FOREVER"}).release().ptr();
  keep = py::cast(LifetimeName{"KEEP"}).release().ptr();
  module.attr("FOREVER") = py::handle(forever);
  module.attr("KEEP") = py::handle(keep);
}

}  // namespace mayfly::python
