// key_match.h - finds in a WHERE what it says about the key, which decides whether a statement
// reads one item, some partitions, or everything.
#pragma once

#include <optional>
#include <vector>

#include "dynamo/partiql/syntax.h"
#include "dynamo/partiql/values.h"
#include "mayfly/result.h"
#include "tables/queries/read_schema.h"

namespace mayfly::partiql {

struct KeyMatch {
  // The values of the partition key, once each; empty: it may be any.
  std::vector<AttributeValue> partitions;
  const Term* sort = nullptr;                // A condition on the sort key; null: it may be any.
  std::optional<AttributeValue> sort_equal;  // Its value, if it must have one.
  std::vector<const Term*> rest;             // What else must hold.

  // Whether it names the one item that a key has.
  bool IsWholeKey(const tables::ReadSchema& schema) const {
    return partitions.size() == 1 && (!schema.sort || sort_equal);
  }
};

// Borrows the terms. Invalid when a value is none.
Result<KeyMatch> MatchKeys(const std::optional<Term>& where, const tables::ReadSchema& schema,
                           const Parameters& parameters);

}  // namespace mayfly::partiql
