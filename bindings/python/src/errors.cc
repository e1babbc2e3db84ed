#include "errors.h"

#include <array>
#include <cassert>
#include <string>

namespace mayfly::python {
namespace {

namespace py = pybind11;

struct ErrorClass {
  StatusCode code;
  const char* name;
  PyObject* const* base;  // The built-in class that it is as well; null: none.
  const char* doc;
};

constexpr std::size_t kCodes = 13;

const std::array<ErrorClass, kCodes - 1> kErrors = {{
    {StatusCode::kNotFound, "NotFoundError", &PyExc_KeyError, "No living row has that key."},
    {StatusCode::kInvalid, "InvalidError", &PyExc_ValueError, "The call is wrong as made."},
    {StatusCode::kWrongType, "WrongTypeError", &PyExc_TypeError, "The row holds another type."},
    {StatusCode::kConflict, "ConflictError", nullptr, "Another writer was faster: retry now."},
    {StatusCode::kBusy, "BusyError", nullptr, "Held by another caller or process: retry later."},
    {StatusCode::kCrossSlot, "CrossSlotError", nullptr, "The call would span several slots."},
    {StatusCode::kReadOnly, "ReadOnlyError", nullptr, "The database is open for reading only."},
    {StatusCode::kCorruption, "CorruptionError", nullptr, "Stored bytes are damaged."},
    {StatusCode::kIoError, "IoError", &PyExc_OSError, "The machine refused: disk, permission."},
    {StatusCode::kUnsupported, "UnsupportedError", nullptr, "Not offered by this build or format."},
    {StatusCode::kInternal, "InternalError", nullptr, "A fault of mayfly's own."},
    {StatusCode::kWrongPassword, "WrongPasswordError", nullptr,
     "The password is missing or wrong."},
}};

// Classes live until the process ends: a thread may raise one while the interpreter shuts down.
std::array<PyObject*, kCodes> classes = {};

PyObject* NewClass(py::module_& module, const char* name, const char* doc, py::tuple bases) {
  const std::string full = std::string("mayfly.") + name;
  PyObject* made = PyErr_NewExceptionWithDoc(full.c_str(), doc, bases.ptr(), nullptr);
  if (made == nullptr) throw py::error_already_set();
  module.add_object(name, made);
  Py_INCREF(made);
  return made;
}

}  // namespace

void BindErrors(py::module_& module) {
  PyObject* root = NewClass(module, "MayflyError", "The base of all exceptions of mayfly.",
                            py::make_tuple(py::handle(PyExc_Exception)));
  classes[0] = root;
  for (const ErrorClass& error : kErrors) {
    const py::tuple bases = error.base == nullptr
                                ? py::make_tuple(py::handle(root))
                                : py::make_tuple(py::handle(root), py::handle(*error.base));
    classes[static_cast<std::size_t>(error.code)] = NewClass(module, error.name, error.doc, bases);
  }
}

void Raise(const Status& status, py::handle key) {
  assert(!status.ok());
  PyObject* type = classes[static_cast<std::size_t>(status.code())];
  if (status.IsNotFound() && key) {
    // A tuple would be unpacked into arguments.
    PyErr_SetObject(type, py::make_tuple(key).ptr());
  } else {
    const py::str message(status.message().data(), status.message().size());
    PyErr_SetObject(type, message.ptr());
  }
  throw py::error_already_set();
}

}  // namespace mayfly::python
