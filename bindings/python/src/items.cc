#include "items.h"

#include <optional>
#include <string>

#include "values.h"

namespace mayfly::python {
namespace {

namespace py = pybind11;

// As DynamoDB allows; beyond it the stack could end first.
constexpr int kDepthMax = 32;

AttributeValue Convert(py::handle value, int depth);

std::string TextOf(py::handle text) { return std::string(BytesArgument(text).view()); }

bool IsNumber(py::handle value) {
  static PyObject* const decimal =
      py::module_::import("decimal").attr("Decimal").cast<py::object>().release().ptr();
  return !PyBool_Check(value.ptr()) && (PyLong_Check(value.ptr()) || PyFloat_Check(value.ptr()) ||
                                        PyObject_IsInstance(value.ptr(), decimal) == 1);
}

Number NumberOf(py::handle value) {
  // The shortest text of a float that means this float; nothing is rounded after that.
  return Take(Number::Parse(py::str(value).cast<std::string>()));
}

bool IsBinary(py::handle value) {
  return PyBytes_Check(value.ptr()) || PyByteArray_Check(value.ptr()) ||
         PyMemoryView_Check(value.ptr());
}

AttributeValue ConvertSet(py::handle set) {
  AttributeValue::StringSet strings;
  AttributeValue::NumberSet numbers;
  AttributeValue::BinarySet binaries;
  for (const py::handle each : py::reinterpret_borrow<py::iterable>(set)) {
    if (PyUnicode_Check(each.ptr())) {
      strings.insert(TextOf(each));
    } else if (IsNumber(each)) {
      numbers.insert(NumberOf(each));
    } else if (IsBinary(each)) {
      binaries.insert(Binary{TextOf(each)});
    } else {
      throw py::type_error("a set of a table has str, numbers or bytes");
    }
  }
  const int kinds = int{!strings.empty()} + int{!numbers.empty()} + int{!binaries.empty()};
  if (kinds != 1) {
    Raise(Status::Invalid("a set of a table is not empty, and its elements are of one type"));
  }
  if (!strings.empty()) return strings;
  if (!numbers.empty()) return numbers;
  return binaries;
}

Item ConvertMap(py::handle fields, int depth) {
  Item item;
  for (const auto& [name, value] : py::reinterpret_borrow<py::dict>(fields)) {
    if (!PyUnicode_Check(name.ptr())) throw py::type_error("names of attributes are str");
    item.emplace(TextOf(name), Convert(value, depth));
  }
  return item;
}

AttributeValue Convert(py::handle value, int depth) {
  if (depth > kDepthMax) Raise(Status::Invalid("the item is nested more than 32 levels deep"));
  PyObject* object = value.ptr();
  if (value.is_none()) return Null();
  if (PyBool_Check(object)) return object == Py_True;
  if (PyUnicode_Check(object)) return TextOf(value);
  if (IsNumber(value)) return NumberOf(value);
  if (IsBinary(value)) return Binary{TextOf(value)};
  if (PyDict_Check(object)) return ConvertMap(value, depth + 1);
  if (PyAnySet_Check(object)) return ConvertSet(value);
  if (PyList_Check(object) || PyTuple_Check(object)) {
    AttributeValue::List list;
    for (const py::handle each : py::reinterpret_borrow<py::sequence>(value)) {
      list.push_back(Convert(each, depth + 1));
    }
    return list;
  }
  throw py::type_error(std::string("a table has no values of type ") + Py_TYPE(object)->tp_name);
}

py::object ScalarToPython(const Number& number) {
  const std::string& text = number.text();
  if (text.find('.') == std::string::npos) {
    return py::reinterpret_steal<py::object>(PyLong_FromString(text.c_str(), nullptr, 10));
  }
  return py::module_::import("decimal").attr("Decimal")(text);
}

py::object ScalarToPython(const Binary& binary) { return ToBytes(binary.bytes); }
py::object ScalarToPython(const std::string& text) { return py::str(text); }

template <typename Set>
py::object ToPythonSet(const Set& set) {
  py::set made;
  for (const auto& each : set) made.add(ScalarToPython(each));
  return made;
}

}  // namespace

AttributeValue ToAttribute(py::handle value) { return Convert(value, 0); }

Item ToItem(py::handle fields) {
  if (!PyDict_Check(fields.ptr())) throw py::type_error("an item, and a key, is a dict");
  return ConvertMap(fields, 0);
}

py::object ToPython(const AttributeValue& value) {
  if (const std::string* text = value.string()) return py::str(*text);
  if (const Number* number = value.number()) return ScalarToPython(*number);
  if (const Binary* binary = value.binary()) return ScalarToPython(*binary);
  if (const bool* truth = value.boolean()) return py::bool_(*truth);
  if (const auto* map = value.map()) return ToPython(*map);
  if (const auto* strings = value.string_set()) return ToPythonSet(*strings);
  if (const auto* numbers = value.number_set()) return ToPythonSet(*numbers);
  if (const auto* binaries = value.binary_set()) return ToPythonSet(*binaries);
  if (const auto* list = value.list()) {
    py::list made;
    for (const AttributeValue& each : *list) made.append(ToPython(each));
    return made;
  }
  return py::none();
}

py::dict ToPython(const Item& item) {
  py::dict made;
  for (const auto& [name, value] : item) made[py::str(name)] = ToPython(value);
  return made;
}

py::object ToPython(const std::optional<Item>& item) {
  return item ? py::object(ToPython(*item)) : py::none();
}

}  // namespace mayfly::python
