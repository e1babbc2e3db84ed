// The extension module _mayfly: what the Python package is made of. Its classes are completed in
// Python; programs import mayfly.
#include <pybind11/pybind11.h>

#include "collections.h"
#include "database.h"
#include "errors.h"
#include "rows.h"
#include "tables.h"
#include "values.h"

PYBIND11_MODULE(_mayfly, module) {
  namespace python = mayfly::python;
  module.doc() = "The engine room of the package mayfly.";
  python::ImportDatetime();
  python::BindErrors(module);
  python::BindLifetimes(module);
  python::BindRows(module);
  python::BindIterators(module);
  python::BindDatabase(module);
  python::BindCollections(module);
  python::BindTables(module);
}
