// Purging, reaping, reclaiming, checking, saving, proving and counting.
#include <pybind11/stl.h>

#include <algorithm>

#include "database.h"
#include "reports.h"
#include "values.h"

namespace mayfly::python {
namespace {

namespace py = pybind11;
using py::literals::operator""_a;

py::dict Purge(const DatabaseHandle& self, const KeyspaceHandle* keyspace,
               const py::object& rows_max, const py::object& time_max) {
  PurgeOptions options;
  if (keyspace != nullptr) {
    CheckSameDatabase(self, *keyspace);
    options.keyspace = keyspace->keyspace.get();
  }
  if (!rows_max.is_none()) options.rows_max = rows_max.cast<std::uint64_t>();
  if (!time_max.is_none()) options.time_max = ToMillis(time_max, "time_max");
  return ToDict(
      Take(Enter(*self.database, [&](Database& database) { return database.Purge(options); })));
}

// The rows of the default keyspace alone, as KVStore purges.
py::dict PurgeDefault(const DatabaseHandle& self) {
  const PurgeOptions options = {.keyspace = self.keyspace.get()};
  return ToDict(
      Take(Enter(*self.database, [&](Database& database) { return database.Purge(options); })));
}

py::dict Reclaim(const DatabaseHandle& self, std::uint32_t dead_percent,
                 std::uint64_t bytes_per_second, bool everything) {
  const ReclaimOptions options = {
      .dead_percent = dead_percent, .bytes_per_second = bytes_per_second, .everything = everything};
  return ToDict(
      Take(Enter(*self.database, [&](Database& database) { return database.Reclaim(options); })));
}

py::dict Prove(const DatabaseHandle& self, const BytesArgument& find) {
  const ProofOptions options = {.find = std::string(find.view())};
  return ToDict(
      Take(Enter(*self.database, [&](Database& database) { return database.Prove(options); })));
}

py::dict Restore(const DatabaseHandle& self, const std::string& file, const std::string& mode,
                 const py::object& shift, const BytesArgument& password) {
  const RestoreOptions options = {.mode = Choose<RestoreMode>(mode, "mode",
                                                              {{"honour", RestoreMode::kHonour},
                                                               {"freeze", RestoreMode::kFreeze},
                                                               {"shift", RestoreMode::kShift},
                                                               {"strip", RestoreMode::kStrip}}),
                                  .shift = ToMillis(shift, "shift"),
                                  .password = password.view()};
  return ToDict(Take(
      Enter(*self.database, [&](Database& database) { return database.Restore(file, options); })));
}

// The thread ends with it, or with the database.
class ReaperHandle final : public Dependent {
 public:
  ReaperHandle(const DatabaseHandle& handle, std::uint32_t work_percent,
               std::uint64_t step_rows_max, bool reclaim)
      : Dependent(Rank::kOther), database_(handle.database) {
    Check(Enter(*database_, [&](Database& database) -> Status {
      ReaperOptions options;
      options.work_percent = work_percent;
      options.step_rows_max = step_rows_max;
      options.reclaim = reclaim;
      auto reaper = database.StartReaper(options);
      if (!reaper) return reaper.error();
      reaper_ = *std::move(reaper);
      database_->Register(*this);
      return {};
    }));
  }

  ~ReaperHandle() override { Close(); }

  void Shut() override {
    std::shared_ptr<Reaper> ending;
    const std::lock_guard lock(mutex_);
    ending = std::move(reaper_);
  }

  void Close() { database_->Release(*this); }

  void AwaitIdle() {
    Check(Enter(*database_, [&](Database&) -> Status {
      std::shared_ptr<Reaper> reaper;
      {
        const std::lock_guard lock(mutex_);
        reaper = reaper_;
      }
      if (reaper == nullptr) return Status::Invalid("the reaper has stopped");
      reaper->AwaitIdle();
      return {};
    }));
  }

 private:
  const std::shared_ptr<OpenDatabase> database_;
  std::mutex mutex_;
  std::shared_ptr<Reaper> reaper_;  // Guarded by mutex_; shared with calls of AwaitIdle().
};

}  // namespace

void BindUpkeep(py::module_& module, DatabaseClass& database) {
  py::class_<ReaperHandle>(module, "Reaper")
      .def(py::init<const DatabaseHandle&, std::uint32_t, std::uint64_t, bool>())
      .def("await_idle", &ReaperHandle::AwaitIdle)
      .def("close", &ReaperHandle::Close)
      .def("__enter__", [](py::object self) { return self; })
      .def("__exit__", [](ReaperHandle& self, const py::args&) { self.Close(); });
  database.def("_purge", &Purge)
      .def("_purge_default", &PurgeDefault)
      .def("_reclaim", &Reclaim)
      .def("_prove", &Prove)
      .def("_restore", &Restore)
      .def("_backup",
           [](const DatabaseHandle& self, const std::string& file) {
             return ToDict(
                 Take(Enter(*self.database, [&](Database& each) { return each.Backup(file); })));
           })
      .def("_check",
           [](const DatabaseHandle& self, bool repair) {
             return ToDict(Take(Enter(
                 *self.database, [&](Database& each) { return each.Check({.repair = repair}); })));
           })
      .def("_statistics",
           [](const DatabaseHandle& self) {
             return ToDict(
                 Take(Enter(*self.database, [](Database& each) { return each.GetStatistics(); })));
           })
      .def("_clock_report",
           [](const DatabaseHandle& self) {
             return ToDict(Take(Enter(*self.database, [](Database& each) -> Result<ClockReport> {
               return each.clock_report();
             })));
           })
      .def("confirm_clock",
           [](const DatabaseHandle& self) {
             Check(Enter(*self.database, [](Database& each) { return each.ConfirmClock(); }));
           })
      .def("revert_clock",
           [](const DatabaseHandle& self) {
             Check(Enter(*self.database, [](Database& each) { return each.RevertClock(); }));
           })
      .def(
          "sync",
          [](const DatabaseHandle& self, const std::string& durability) {
            const Durability level = ToDurability(durability);
            Check(Enter(*self.database, [&](Database& each) { return each.Sync(level); }));
          },
          "durability"_a = "disk");
}

}  // namespace mayfly::python
