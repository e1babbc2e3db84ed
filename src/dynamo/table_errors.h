// table_errors.h - a table that is not there, in the words each family of operations has for it.
#pragma once

#include <fmt/format.h>

#include <string>

#include "dynamo/refusal.h"

namespace mayfly::dynamo {

// For operations on items, which do not name the table.
template <typename T>
T OfItem(Result<T> result) {
  if (!result && result.error().IsNotFound()) {
    throw Refusal(ErrorKind::kResourceNotFound, "Requested resource not found");
  }
  // Of items: others keep changing them. Nothing is in use that one could wait for.
  if (!result && result.error().code() == StatusCode::kBusy) {
    throw Refusal(ErrorKind::kTransactionConflict, std::string(result.error().message()));
  }
  return Must(std::move(result));
}

// For operations on tables.
template <typename T>
T OfTable(Result<T> result, const std::string& table) {
  if (!result && result.error().IsNotFound()) {
    throw Refusal(ErrorKind::kResourceNotFound,
                  fmt::format("Requested resource not found: Table: {} not found", table));
  }
  return Must(std::move(result));
}

}  // namespace mayfly::dynamo
