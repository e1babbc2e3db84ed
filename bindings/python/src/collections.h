// collections.h - hashes, lists, sets and sorted sets.
// Within a transaction their calls belong to it; elsewhere each call is a transaction of its own,
// which is repeated after a conflict.
#pragma once

#include <optional>
#include <string>

#include "mayfly/types.h"
#include "rows.h"

namespace mayfly::python {

struct Collection {
  Writer rows;
  std::string key;
};

inline Status StatusOf(const Status& status) { return status; }
template <typename T>
Status StatusOf(const Result<T>& result) {
  return result.status();
}

// Runs `call` with the collection of that type. Releases the GIL.
template <typename Type, typename Call>
auto Run(const Collection& self, const Call& call) -> decltype(call(std::declval<Type&>())) {
  using Outcome = decltype(call(std::declval<Type&>()));
  const Writer& rows = self.rows;
  if (rows.scope != nullptr) {
    return EnterAlone(*rows.scope, [&](Scope& scope) -> Outcome {
      Type collection(*scope.transaction(), *rows.keyspace, self.key);
      return call(collection);
    });
  }
  return Enter(*rows.database, [&](Database& database) -> Outcome {
    std::optional<Outcome> outcome;
    const Status status = database.Transact([&](Transaction& transaction) {
      Type collection(transaction, *rows.keyspace, self.key);
      return StatusOf(outcome.emplace(call(collection)));
    });
    if (!status.ok()) return status;
    return *std::move(outcome);
  });
}

void BindCollections(pybind11::module_& module);
void BindSortedSet(pybind11::module_& module);

}  // namespace mayfly::python
