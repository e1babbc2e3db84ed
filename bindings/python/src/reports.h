// reports.h - the reports of maintenance.h and proof.h as the fields of the classes in reports.py.
#pragma once

#include <pybind11/pybind11.h>

#include "mayfly/maintenance.h"
#include "mayfly/proof.h"

namespace mayfly::python {

pybind11::dict ToDict(const PurgeReport& report);
pybind11::dict ToDict(const ReclaimReport& report);
pybind11::dict ToDict(const CheckReport& report);
pybind11::dict ToDict(const BackupReport& report);
pybind11::dict ToDict(const RestoreReport& report);
pybind11::dict ToDict(const ClockReport& report);
pybind11::dict ToDict(const Statistics& statistics);
pybind11::dict ToDict(const Proof& proof);

}  // namespace mayfly::python
