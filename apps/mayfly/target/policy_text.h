// policy_text.h - the fields of a keyspace's policy as text, under the names of TTL.POLICY, and
// those of keyspaces ordered by timestamp.
#pragma once

#include <string>
#include <vector>

#include "apps/mayfly/terminal/output.h"
#include "mayfly/policy.h"
#include "mayfly/result.h"

namespace mayfly::app {

// Sets a field. A length of time has a unit, "30d", or is a number of milliseconds, as the protocol
// has it; "none" takes it away. Invalid names the field and what it takes.
Status SetPolicyField(KeyspacePolicy& policy, const std::string& name, const std::string& value);

// All fields; those of keyspaces ordered by timestamp for such a one only.
std::vector<Field> PolicyFields(const KeyspacePolicy& policy);

}  // namespace mayfly::app
