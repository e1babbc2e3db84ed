// table_errors.h - refusals for errors of the tables, in the words of each family of operations.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>

#include "dynamo/json/refusal.h"
#include "mayfly/tables.h"

namespace mayfly::dynamo {

// For operations on items, which do not name the table.
template <typename T>
Outcome<T> OfItem(Result<T> result) {
  if (!result && result.error().IsNotFound()) {
    return Refusal(ErrorKind::kResourceNotFound, "Requested resource not found");
  }
  // Other writers keep changing the items. There is no resource in use to wait for.
  if (!result && result.error().code() == StatusCode::kBusy) {
    return Refusal(ErrorKind::kTransactionConflict, std::string(result.error().message()));
  }
  return result;
}

// For operations on tables.
template <typename T>
Outcome<T> OfTable(Result<T> result, const std::string& table) {
  if (!result && result.error().IsNotFound()) {
    return Refusal(ErrorKind::kResourceNotFound,
                   fmt::format("Requested resource not found: Table: {} not found", table));
  }
  return result;
}

// Tables::ReviseTable() with a decision that may refuse: a Status cannot hold a whole Refusal.
template <typename Decide>
Outcome<Result<TableDescription>> Revise(Tables& tables, const std::string& table,
                                         const Decide& decide) {
  std::optional<Refusal> refused;
  auto revised = tables.ReviseTable(table, [&](const TableSpec& now) -> Result<TableChange> {
    Outcome<TableChange> change = decide(now);
    if (change) return *std::move(change);
    refused = std::move(change).error();
    return Status::Invalid(refused->message());
  });
  if (refused) return *std::move(refused);
  return revised;
}

}  // namespace mayfly::dynamo
