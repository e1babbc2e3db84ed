// Opening and closing, keyspaces, transactions and snapshots.
#include "database.h"

#include <pybind11/stl.h>

#include <optional>

#include "policies.h"
#include "rows.h"
#include "values.h"

namespace mayfly::python {
namespace {

namespace py = pybind11;
using py::literals::operator""_a;

DatabaseHandle Open(const std::string& directory, const py::dict& given,
                    std::shared_ptr<ManualClock> clock) {
  DatabaseOptions options{.directory = directory};
  const auto flag = [&](const char* name) { return given[name].cast<bool>(); };
  options.read_only = flag("read_only");
  options.create_if_missing = flag("create");
  options.salvage = flag("salvage");
  options.purge_on_read = flag("purge_on_read");
  // The binding knows the unit that was meant, and judges instants itself.
  options.allow_any_instant = true;
  const py::object secret = given["password"];
  std::optional<BytesArgument> password;
  if (!secret.is_none()) options.password = password.emplace(secret).view();
  options.memory = Choose<MemoryProfile>(given["memory"].cast<std::string>(), "memory",
                                         {{"tiny", MemoryProfile::kTiny},
                                          {"default", MemoryProfile::kDefault},
                                          {"server", MemoryProfile::kServer}});
  options.engine = Choose<StorageEngine>(given["engine"].cast<std::string>(), "engine",
                                         {{"as-found", StorageEngine::kAsFound},
                                          {"rocks", StorageEngine::kRocks},
                                          {"memory-first", StorageEngine::kMemoryFirst}});
  options.memory_rows_bytes_max = given["memory_rows_bytes_max"].cast<std::uint64_t>();
  options.durability = ToDurability(given["durability"].cast<std::string>());
  options.disk_reserve_bytes = given["disk_reserve_bytes"].cast<std::uint64_t>();
  const py::object jump = given["clock_jump_max"];
  if (!jump.is_none()) options.clock_jump_max = ToMillis(jump, "clock_jump_max");
  options.state_age_max = ToOptionalMillis(given["state_age_max"], "state_age_max");
  options.clock = clock.get();

  Result<std::unique_ptr<Database>> opened = [&] {
    const ReleasedGil released;
    return Database::Open(options);
  }();
  auto database = std::make_shared<OpenDatabase>(Take(std::move(opened)), std::move(clock),
                                                 flag("allow_any_instant"));
  std::shared_ptr<Keyspace> rows(database, &database->get().default_keyspace());
  return DatabaseHandle{{{database, std::move(rows)}}};
}

KeyspaceHandle OpenKeyspace(const DatabaseHandle& self, const std::string& name) {
  return KeyspaceHandle{
      {{self.database,
        Take(Enter(*self.database, [&](Database& database) { return database.OpenKeyspace(name); }),
             py::str(name))}}};
}

KeyspaceHandle CreateKeyspace(const DatabaseHandle& self, const std::string& name,
                              const py::dict& given) {
  const KeyspacePolicy policy = ToPolicy(given);
  return KeyspaceHandle{{{self.database, Take(Enter(*self.database, [&](Database& database) {
                            return database.CreateKeyspace(name, policy);
                          }))}}};
}

TransactionHandle Begin(const DatabaseHandle& self) {
  auto scope =
      Take(Enter(*self.database, [&](Database& database) -> Result<std::shared_ptr<Scope>> {
        MAYFLY_TRY(auto transaction, database.Begin());
        return std::make_shared<Scope>(self.database, std::move(transaction));
      }));
  return TransactionHandle{{{self.database, self.keyspace, std::move(scope)}}};
}

SnapshotHandle TakeSnapshot(const DatabaseHandle& self) {
  auto scope =
      Take(Enter(*self.database, [&](Database& database) -> Result<std::shared_ptr<Scope>> {
        MAYFLY_TRY(auto snapshot, database.NewSnapshot());
        return std::make_shared<Scope>(self.database, std::move(snapshot));
      }));
  return SnapshotHandle{{self.database, self.keyspace, std::move(scope)}};
}

void Commit(const TransactionHandle& self, const std::optional<std::string>& durability) {
  std::optional<Durability> level;
  if (durability) level = ToDurability(*durability);
  Check(EnterAlone(*self.scope, [&](Scope& scope) {
    Status status = level ? scope.transaction()->Commit(*level) : scope.transaction()->Commit();
    scope.End();
    return status;
  }));
}

// Ends a transaction or snapshot. Nothing when it is over, or its database is closed.
void End(const Reader& self) {
  const Status status = EnterAlone(*self.scope, [](Scope& scope) {
    scope.End();
    return Status();
  });
  static_cast<void>(status);  // Over already, one way or another.
}

bool IsOver(const Reader& self) {
  return !EnterAlone(*self.scope, [](Scope&) { return Status(); }).ok();
}

void BindKeyspace(py::module_& module) {
  py::class_<KeyspaceHandle, Writer, std::shared_ptr<KeyspaceHandle>>(module, "Keyspace")
      .def(py::init(&OpenKeyspace))
      .def(py::init(&CreateKeyspace))
      .def_property_readonly("name",
                             [](const KeyspaceHandle& self) { return self.keyspace->name(); })
      .def("_policy",
           [](const KeyspaceHandle& self) {
             return ToDict(Take(Enter(*self.database, [&](Database&) -> Result<KeyspacePolicy> {
               return self.keyspace->policy();
             })));
           })
      .def("_set_policy",
           [](const KeyspaceHandle& self, const py::dict& given) {
             const KeyspacePolicy policy = ToPolicy(given);
             Check(Enter(*self.database,
                         [&](Database&) { return self.keyspace->SetPolicy(policy); }));
           })
      .def("clear", [](const KeyspaceHandle& self) {
        Check(Enter(*self.database, [&](Database&) { return self.keyspace->Clear(); }));
      });
}

void BindScopes(py::module_& module) {
  py::class_<TransactionHandle, Writer, std::shared_ptr<TransactionHandle>>(module, "Transaction")
      .def(py::init(&Begin))
      .def("commit", &Commit, "durability"_a = py::none())
      .def("rollback", &End)
      .def_property_readonly("over", &IsOver)
      .def_property_readonly(
          "now",
          [](const TransactionHandle& self) {
            return ToDatetime(Take(EnterAlone(*self.scope, [](Scope& scope) -> Result<WallTime> {
              return scope.transaction()->now();
            })));
          })
      .def("_set_savepoint",
           [](const TransactionHandle& self) {
             Check(EnterAlone(*self.scope,
                              [](Scope& scope) { return scope.transaction()->SetSavepoint(); }));
           })
      .def("_rollback_to_savepoint", [](const TransactionHandle& self) {
        Check(EnterAlone(*self.scope,
                         [](Scope& scope) { return scope.transaction()->RollbackToSavepoint(); }));
      });
  py::class_<SnapshotHandle, Reader, std::shared_ptr<SnapshotHandle>>(module, "Snapshot")
      .def(py::init(&TakeSnapshot))
      .def("close", &End)
      .def_property_readonly("closed", &IsOver)
      .def_property_readonly("now", [](const SnapshotHandle& self) {
        return ToDatetime(Take(EnterAlone(*self.scope, [](Scope& scope) -> Result<WallTime> {
          return scope.snapshot()->now();
        })));
      });
}

void BindClock(py::module_& module) {
  py::class_<ManualClock, std::shared_ptr<ManualClock>>(module, "ManualClock")
      .def(py::init([](const py::object& start) {
             return std::make_shared<ManualClock>(ToInstant(start, "start"));
           }),
           "start"_a)
      .def_property_readonly("now", [](const ManualClock& self) { return ToDatetime(self.Now()); })
      .def(
          "advance",
          [](ManualClock& self, const py::object& length) {
            const Millis step = ToMillis(length, "seconds");
            if (step.count() < 0)
              Raise(Status::Invalid("time passes forward only; set() moves it back"));
            const ReleasedGil released;
            self.Advance(step);
          },
          "seconds"_a)
      .def(
          "set",
          [](ManualClock& self, const py::object& now) {
            const WallTime instant = ToInstant(now, "now");
            const ReleasedGil released;
            self.Set(instant);
          },
          "now"_a);
}

}  // namespace

Durability ToDurability(const std::string& name) {
  return Choose<Durability>(name, "durability",
                            {{"none", Durability::kNone},
                             {"process", Durability::kProcess},
                             {"disk", Durability::kDisk}});
}

void BindDatabase(py::module_& module) {
  BindClock(module);
  py::class_<DatabaseHandle, Writer, std::shared_ptr<DatabaseHandle>> database(module, "Database");
  BindKeyspace(module);
  BindScopes(module);
  database.def(py::init(&Open))
      .def("close",
           [](const DatabaseHandle& self) {
             const Status closed = [&] {
               const ReleasedGil released;
               return self.database->Close();
             }();
             Check(closed);
           })
      .def_property_readonly(
          "closed",
          [](const DatabaseHandle& self) {
            return !Enter(*self.database, [](Database&) { return Status(); }).ok();
          })
      .def(
          "keyspaces",
          [](const DatabaseHandle& self) {
            return Take(Enter(*self.database, [](Database& each) { return each.ListKeyspaces(); }));
          })
      .def(
          "drop_keyspace",
          [](const DatabaseHandle& self, const std::string& name) {
            const Status dropped =
                Enter(*self.database, [&](Database& each) { return each.DropKeyspace(name); });
            if (!dropped.ok()) Raise(dropped, py::str(name));
          },
          "name"_a)
      .def("clear", [](const DatabaseHandle& self) {
        Check(Enter(*self.database, [&](Database&) { return self.keyspace->Clear(); }));
      });
  BindUpkeep(module, database);
  BindEvents(module, database);
}

}  // namespace mayfly::python
