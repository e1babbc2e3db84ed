// rows.h - the rows of a keyspace: as they are, in a transaction, or in a snapshot.
#pragma once

#include <memory>
#include <string>

#include "mayfly/keyspace.h"
#include "open_database.h"

namespace mayfly::python {

// What the Python classes Reader and Writer hold. `scope` is null for the rows as they are.
struct Reader {
  std::shared_ptr<OpenDatabase> database;
  std::shared_ptr<Keyspace> keyspace;
  std::shared_ptr<Scope> scope = nullptr;
};

struct Writer : Reader {};
struct KeyspaceHandle : Writer {};
struct DatabaseHandle : Writer {};
struct TransactionHandle : Writer {};
struct SnapshotHandle : Reader {};

// Runs `call` with the reader. Releases the GIL.
template <typename Call>
auto Read(const Reader& rows, const Call& call)
    -> decltype(call(std::declval<const KeyspaceReader&>())) {
  using Outcome = decltype(call(std::declval<const KeyspaceReader&>()));
  return Enter(*rows.database, [&](Database&) -> Outcome {
    if (rows.scope == nullptr) return call(*rows.keyspace);
    Scope& scope = *rows.scope;
    if (scope.is_transaction()) {
      const std::unique_lock lock(scope.mutex());
      if (Status status = scope.CheckOpen(); !status.ok()) return status;
      return call(scope.transaction()->In(*rows.keyspace));
    }
    const std::shared_lock lock(scope.mutex());
    if (Status status = scope.CheckOpen(); !status.ok()) return status;
    return call(scope.snapshot()->In(*rows.keyspace));
  });
}

template <typename Call>
auto Write(const Writer& rows, const Call& call)
    -> decltype(call(std::declval<KeyspaceWriter&>())) {
  using Outcome = decltype(call(std::declval<KeyspaceWriter&>()));
  return Enter(*rows.database, [&](Database&) -> Outcome {
    if (rows.scope == nullptr) return call(*rows.keyspace);
    const std::unique_lock lock(rows.scope->mutex());
    if (Status status = rows.scope->CheckOpen(); !status.ok()) return status;
    return call(rows.scope->transaction()->In(*rows.keyspace));
  });
}

// InvalidError unless both are of one database: the library ends the process otherwise.
void CheckSameDatabase(const Reader& rows, const KeyspaceHandle& keyspace);

// The lifetime that ttl= and expire_at= state for these rows.
Lifetime LifetimeFor(const Writer& rows, pybind11::handle ttl, pybind11::handle expire_at);

void BindRows(pybind11::module_& module);       // Reader and Writer.
void BindIterators(pybind11::module_& module);  // Before BindRows().

}  // namespace mayfly::python
