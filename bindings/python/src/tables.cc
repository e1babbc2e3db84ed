#include "tables.h"

#include <pybind11/stl.h>

#include "items.h"
#include "mayfly/tables.h"
#include "rows.h"
#include "table_values.h"
#include "values.h"

namespace mayfly::python {
namespace {

namespace py = pybind11;
using py::literals::operator""_a;

class TablesHandle final : public Dependent {
 public:
  explicit TablesHandle(const DatabaseHandle& handle)
      : Dependent(Rank::kOther), database_(handle.database) {
    Check(Enter(*database_, [&](Database& database) -> Status {
      auto tables = Tables::Open(database);
      if (!tables) return tables.error();
      tables_ = *std::move(tables);
      database_->Register(*this);
      return {};
    }));
  }

  ~TablesHandle() override { Close(); }

  void Close() { database_->Release(*this); }

  void Shut() override {
    const std::unique_lock lock(mutex_);
    reaper_.reset();
    tables_.reset();
  }

  // Runs `call` with the tables. Releases the GIL.
  template <typename Call>
  auto Run(const Call& call) -> decltype(call(std::declval<Tables&>())) {
    return Enter(*database_, [&](Database&) -> decltype(call(std::declval<Tables&>())) {
      const std::shared_lock lock(mutex_);
      if (tables_ == nullptr) return Status::Invalid("the tables are closed");
      return call(*tables_);
    });
  }

  void StartReaper(Millis sweep_every) {
    Check(Enter(*database_, [&](Database&) -> Status {
      const std::unique_lock lock(mutex_);
      if (tables_ == nullptr) return Status::Invalid("the tables are closed");
      auto reaper = tables_->StartReaper({.sweep_every = sweep_every});
      if (!reaper) return reaper.error();
      reaper_ = *std::move(reaper);
      return {};
    }));
  }

 private:
  const std::shared_ptr<OpenDatabase> database_;
  std::shared_mutex mutex_;
  std::unique_ptr<Tables> tables_;  // Both guarded by mutex_.
  std::unique_ptr<TableReaper> reaper_;
};

using TablesClass = py::class_<TablesHandle>;

void BindDefinitions(TablesClass& bound) {
  bound
      .def(
          "_create",
          [](TablesHandle& self, const py::dict& given) {
            const TableSpec spec = ToTableSpec(given);
            return ToDict(Take(self.Run([&](Tables& tables) { return tables.CreateTable(spec); })));
          })
      .def(
          "_describe",
          [](TablesHandle& self, const std::string& name) {
            return ToDict(Take(self.Run([&](Tables& tables) { return tables.DescribeTable(name); }),
                               py::str(name)));
          })
      .def("_change",
           [](TablesHandle& self, const std::string& name, const py::dict& given) {
             const TableChange change = ToTableChange(given);
             return ToDict(
                 Take(self.Run([&](Tables& tables) { return tables.UpdateTable(name, change); })));
           })
      .def("names",
           [](TablesHandle& self) {
             return Take(self.Run([](Tables& tables) { return tables.ListTables(); }));
           })
      .def(
          "drop",
          [](TablesHandle& self, const std::string& name) {
            Take(self.Run([&](Tables& tables) { return tables.DropTable(name); }), py::str(name));
          },
          "name"_a);
}

void BindItems(TablesClass& bound) {
  bound
      .def(
          "_put",
          [](TablesHandle& self, const py::dict& given) {
            const PutItemRequest request = ToPut(given);
            return ToTuple(Take(self.Run([&](Tables& tables) { return tables.PutItem(request); })));
          })
      .def("_update",
           [](TablesHandle& self, const py::dict& given) {
             const UpdateItemRequest request = ToUpdate(given);
             return ToTuple(
                 Take(self.Run([&](Tables& tables) { return tables.UpdateItem(request); })));
           })
      .def("_delete",
           [](TablesHandle& self, const py::dict& given) {
             const DeleteItemRequest request = ToDelete(given);
             return ToTuple(
                 Take(self.Run([&](Tables& tables) { return tables.DeleteItem(request); })));
           })
      .def(
          "_get",
          [](TablesHandle& self, const py::dict& given) {
            const GetItemRequest request = ToGet(given);
            return ToTuple(Take(self.Run([&](Tables& tables) { return tables.GetItem(request); })));
          })
      .def("_get_all",
           [](TablesHandle& self, const py::list& given) {
             std::vector<GetItemRequest> requests;
             for (const py::handle each : given) requests.push_back(ToGet(each.cast<py::dict>()));
             py::list found;
             for (const FoundItem& each : Take(self.Run(
                      [&](Tables& tables) { return tables.TransactGetItems(requests); }))) {
               found.append(ToPython(each.item));
             }
             return found;
           })
      .def("_write_all",
           [](TablesHandle& self, const py::list& given, const std::string& token) {
             std::vector<TransactWrite> actions;
             for (const py::handle each : given) {
               actions.push_back(ToTransactWrite(each.cast<py::tuple>()));
             }
             return ToTuple(Take(self.Run(
                 [&](Tables& tables) { return tables.TransactWriteItems(actions, token); })));
           })
      .def("_query",
           [](TablesHandle& self, const py::dict& given) {
             const QueryRequest request = ToQuery(given);
             return ToTuple(Take(self.Run([&](Tables& tables) { return tables.Query(request); })));
           })
      .def("_scan", [](TablesHandle& self, const py::dict& given) {
        const ScanRequest request = ToScan(given);
        return ToTuple(Take(self.Run([&](Tables& tables) { return tables.Scan(request); })));
      });
}

void BindLifetime(TablesClass& bound) {
  bound
      .def("_set_ttl",
           [](TablesHandle& self, const std::string& table, const py::dict& key,
              const py::object& ttl) {
             const Item item = ToItem(key);
             const Millis length = ToMillis(ttl, "ttl");
             const Status set =
                 self.Run([&](Tables& tables) { return tables.SetTtl(table, item, length); });
             if (!set.ok()) Raise(set, key);
           })
      .def("_remove_ttl",
           [](TablesHandle& self, const std::string& table, const py::dict& key) {
             const Item item = ToItem(key);
             return Take(self.Run([&](Tables& tables) { return tables.RemoveTtl(table, item); }),
                         key);
           })
      .def("_ttl",
           [](TablesHandle& self, const std::string& table, const py::dict& key) {
             const Item item = ToItem(key);
             const Millis left =
                 Take(self.Run([&](Tables& tables) { return tables.GetTtl(table, item); }), key);
             return left == kForever ? py::none() : py::object(py::float_(ToSeconds(left)));
           })
      .def("_sweep",
           [](TablesHandle& self, const std::string& table, std::uint64_t items_max) {
             return Take(
                 self.Run([&](Tables& tables) { return tables.SweepExpired(table, items_max); }));
           })
      .def("run_upkeep",
           [](TablesHandle& self) {
             return Take(self.Run([](Tables& tables) { return tables.RunUpkeep(); }));
           })
      .def(
          "start_reaper",
          [](TablesHandle& self, const py::object& sweep_every) {
            self.StartReaper(ToMillis(sweep_every, "sweep_every"));
          },
          "sweep_every"_a = 1)
      .def("_read_stream",
           [](TablesHandle& self, const std::string& table, const std::string& label,
              std::uint64_t sequence, std::size_t records_max) {
             py::list records;
             for (const StreamRecord& record : Take(self.Run([&](Tables& tables) {
                    return tables.ReadStream(table, label, sequence, records_max);
                  }))) {
               records.append(ToDict(record));
             }
             return records;
           });
}

}  // namespace

void BindTables(py::module_& module) {
  TablesClass bound(module, "Tables");
  bound.def(py::init<const DatabaseHandle&>()).def("close", &TablesHandle::Close);
  BindDefinitions(bound);
  BindItems(bound);
  BindLifetime(bound);
}

}  // namespace mayfly::python
