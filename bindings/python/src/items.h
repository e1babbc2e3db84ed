// items.h - attribute values of tables as Python values.
//   S str   N int, float, Decimal   B bytes   BOOL bool   NULL None   L list   M dict
//   SS, NS, BS set; a set that is read is a set, a number int or Decimal
#pragma once

#include <pybind11/pybind11.h>

#include <optional>

#include "mayfly/item.h"

namespace mayfly::python {

AttributeValue ToAttribute(pybind11::handle value);
Item ToItem(pybind11::handle fields);

pybind11::object ToPython(const AttributeValue& value);
pybind11::dict ToPython(const Item& item);
pybind11::object ToPython(const std::optional<Item>& item);

}  // namespace mayfly::python
