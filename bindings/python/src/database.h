// database.h - the Python class Database, bound by subject.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <string>

#include "rows.h"

namespace mayfly::python {

using DatabaseClass = pybind11::class_<DatabaseHandle, Writer, std::shared_ptr<DatabaseHandle>>;

Durability ToDurability(const std::string& name);

// Database, Keyspace, Transaction, Snapshot and ManualClock. After BindRows().
void BindDatabase(pybind11::module_& module);

// Parts of it.
void BindUpkeep(pybind11::module_& module, DatabaseClass& database);
void BindEvents(pybind11::module_& module, DatabaseClass& database);

}  // namespace mayfly::python
