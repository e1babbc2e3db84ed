// operations.h - all operations, one line each.
// Families export their lines and operations.cc names the families. Dispatch, docs/tables.md and
// the tests read the same lines.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "dynamo/operations/operation.h"

namespace mayfly::dynamo {

std::span<const Operation> TableOperations();
std::span<const Operation> ItemOperations();
std::span<const Operation> BatchOperations();
std::span<const Operation> ReadOperations();
std::span<const Operation> TransactionOperations();
std::span<const Operation> StatementOperations();
std::span<const Operation> TtlOperations();
std::span<const Operation> TagOperations();
std::span<const Operation> ServiceOperations();
std::span<const Operation> StreamOperations();

// All of them, by family.
const std::vector<Operation>& AllOperations();

// By X-Amz-Target, "DynamoDB_20120810.PutItem". Null when there is none.
const Operation* FindOperation(std::string_view target);

}  // namespace mayfly::dynamo
