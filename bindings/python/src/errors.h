// errors.h - one Python exception for each StatusCode, all derived from MayflyError.
#pragma once

#include <pybind11/pybind11.h>

#include <utility>

#include "mayfly/result.h"
#include "mayfly/status.h"

namespace mayfly::python {

void BindErrors(pybind11::module_& module);

// Raises the exception of the status. `key`: what NotFoundError carries instead of a message, as
// KeyError does. Needs the GIL.
[[noreturn]] void Raise(const Status& status, pybind11::handle key = {});

inline void Check(const Status& status) {
  if (!status.ok()) Raise(status);
}

template <typename T>
T Take(Result<T> result, pybind11::handle key = {}) {
  if (!result) Raise(result.error(), key);
  return *std::move(result);
}

}  // namespace mayfly::python
