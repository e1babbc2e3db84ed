// policy_text.h - the fields of a keyspace's policy as text, under the names of TTL.POLICY.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "mayfly/policy.h"
#include "mayfly/result.h"

namespace mayfly::app {

// Sets a field. A length of time has a unit, "30d", or is a number of milliseconds, as the protocol
// has it; "none" takes it away. Invalid names the field and what it takes.
Status SetPolicyField(KeyspacePolicy& policy, const std::string& name, const std::string& value);

// All fields, as the protocol takes them.
std::vector<std::pair<std::string, std::string>> PolicyFields(const KeyspacePolicy& policy);

}  // namespace mayfly::app
