// policies.h - the policy of a keyspace, as the fields of mayfly.Policy.
#pragma once

#include <pybind11/pybind11.h>

#include "mayfly/policy.h"

namespace mayfly::python {

KeyspacePolicy ToPolicy(const pybind11::dict& given);
pybind11::dict ToDict(const KeyspacePolicy& policy);

}  // namespace mayfly::python
