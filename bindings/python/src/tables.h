// tables.h - the tables of an open database.
#pragma once

#include <pybind11/pybind11.h>

namespace mayfly::python {

void BindTables(pybind11::module_& module);

}  // namespace mayfly::python
