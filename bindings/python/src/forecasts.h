// forecasts.h - what the expiry index knows about the rows of a keyspace.
#pragma once

#include <pybind11/pybind11.h>

#include "rows.h"

namespace mayfly::python {

// (begin, end, rows, bytes) for each bucket.
pybind11::list Forecast(const Reader& self, const pybind11::object& bucket, std::size_t buckets,
                        bool with_bytes);

// (key, deadline) of rows that die in [begin, end), in that order; `after` is such a pair, to
// continue.
pybind11::list Deadlines(const Reader& self, const pybind11::object& begin,
                         const pybind11::object& end, const pybind11::object& after,
                         std::size_t rows_max);

}  // namespace mayfly::python
