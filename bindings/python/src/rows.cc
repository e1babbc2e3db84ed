// The calls on rows: dict-like ones and those with a lifetime.
#include "rows.h"

#include <pybind11/stl.h>

#include <string>
#include <vector>

#include "forecasts.h"
#include "values.h"

namespace mayfly::python {
namespace {

namespace py = pybind11;
using py::literals::operator""_a;

// A value that stays where the engine has it while Python looks at it.
struct PinnedValue {
  std::shared_ptr<OpenDatabase> database;  // Outlives the pin.
  PinnedBytes bytes = {};

  explicit PinnedValue(std::shared_ptr<OpenDatabase> owner) : database(std::move(owner)) {}
};

// The value, or null when there is no living row.
py::object Find(const Reader& self, const BytesArgument& key) {
  PinnedBytes value;
  const Status status =
      Read(self, [&](const KeyspaceReader& rows) { return rows.Get(key.view(), value); });
  if (status.ok()) return ToBytes(value.view());
  if (status.IsNotFound()) return {};
  Raise(status);
}

py::object Get(const Reader& self, const BytesArgument& key, const py::object& fallback) {
  py::object found = Find(self, key);
  return found ? found : fallback;
}

py::object GetItem(const Reader& self, const BytesArgument& key) {
  py::object found = Find(self, key);
  if (!found) Raise(Status::NotFound(), key.source());
  return found;
}

py::object GetView(const Reader& self, const BytesArgument& key) {
  auto pinned = std::make_unique<PinnedValue>(self.database);
  const Status status =
      Read(self, [&](const KeyspaceReader& rows) { return rows.Get(key.view(), pinned->bytes); });
  if (!status.ok()) Raise(status, key.source());
  return py::memoryview(py::cast(std::move(pinned)));
}

py::tuple EntryToTuple(const BytesArgument& key, const Row& row) {
  return py::make_tuple(ToBytes(key.view()), ToBytes(row.value), ToDatetime(row.deadline),
                        ToDatetime(row.timestamp));
}

py::list GetMany(const Reader& self, const std::vector<BytesArgument>& keys) {
  std::vector<Bytes> views;
  for (const BytesArgument& key : keys) views.push_back(key.view());
  const auto results =
      Take(Read(self, [&](const KeyspaceReader& rows) { return rows.MultiGet(views); }));
  py::list values;
  for (const Result<std::string>& result : results) {
    if (result) {
      values.append(ToBytes(*result));
    } else if (result.error().IsNotFound()) {
      values.append(py::none());
    } else {
      Raise(result.error());
    }
  }
  return values;
}

py::object Ttl(const Reader& self, const BytesArgument& key) {
  const Millis left = Take(
      Read(self, [&](const KeyspaceReader& rows) { return rows.Ttl(key.view()); }), key.source());
  return left == kForever ? py::none() : py::object(py::float_(ToSeconds(left)));
}

bool Exists(const Reader& self, const BytesArgument& key) {
  return Take(Read(self, [&](const KeyspaceReader& rows) { return rows.Exists(key.view()); }));
}

// As in a dict, what cannot be a key is not in it.
bool Contains(const Reader& self, py::handle key) {
  BytesArgument loaded;
  return loaded.Load(key) && Exists(self, loaded);
}

std::uint64_t Count(const Reader& self) {
  return Take(Read(self, [](const KeyspaceReader& rows) { return rows.Count(); }));
}

py::tuple GetRow(const Reader& self, const BytesArgument& key) {
  return EntryToTuple(
      key, Take(Read(self, [&](const KeyspaceReader& rows) { return rows.GetRow(key.view()); }),
                key.source()));
}

py::tuple GetAsOf(const Reader& self, const BytesArgument& key, const py::object& as_of) {
  const WallTime instant = ToInstant(as_of, "as_of");
  return EntryToTuple(
      key, Take(Read(self,
                     [&](const KeyspaceReader& rows) { return rows.GetAsOf(key.view(), instant); }),
                key.source()));
}

void Put(const Writer& self, Bytes key, Bytes value, Lifetime lifetime) {
  Check(Write(self, [&](KeyspaceWriter& rows) { return rows.Put(key, value, lifetime); }));
}

using Pairs = std::vector<std::pair<BytesArgument, BytesArgument>>;

Status PutAll(KeyspaceWriter& rows, const Pairs& pairs, Lifetime lifetime) {
  for (const auto& [key, value] : pairs) {
    MAYFLY_RETURN_IF_ERROR(rows.Put(key.view(), value.view(), lifetime));
  }
  return {};
}

// All of them or none, as one transaction; within one, as a part of it. `pairs` is kept by the
// caller, and so are the bytes.
void PutMany(const Writer& self, const py::sequence& pairs, const py::object& ttl) {
  const Lifetime lifetime = LifetimeFor(self, ttl, py::none());
  Pairs copied;
  copied.reserve(pairs.size());
  for (const py::handle pair : pairs) {
    if (PySequence_Size(pair.ptr()) != 2) throw py::type_error("expected pairs of key and value");
    const auto both = py::reinterpret_borrow<py::sequence>(pair);
    const py::object key = both[0];
    const py::object value = both[1];
    copied.emplace_back(BytesArgument(key), BytesArgument(value));
  }
  if (self.scope != nullptr) {
    Check(Write(self, [&](KeyspaceWriter& rows) { return PutAll(rows, copied, lifetime); }));
    return;
  }
  Check(Enter(*self.database, [&](Database& database) {
    return database.Transact([&](Transaction& transaction) {
      return PutAll(transaction.In(*self.keyspace), copied, lifetime);
    });
  }));
}

// db[key] = value, and db[key, ttl] = value.
void SetItem(const Writer& self, const py::object& key, const BytesArgument& value) {
  if (!PyTuple_Check(key.ptr())) {
    Put(self, BytesArgument(key).view(), value.view(), Lifetime::Default());
    return;
  }
  const py::tuple pair = key;
  if (pair.size() != 2) throw py::type_error("write db[key] = value or db[key, ttl] = value");
  const py::object first = pair[0];
  const py::object second = pair[1];
  Put(self, BytesArgument(first).view(), value.view(), LifetimeFor(self, second, py::none()));
}

bool PutIf(const Writer& self, const BytesArgument& key, const BytesArgument& value,
           const PutCondition& condition, Lifetime lifetime) {
  return Take(Write(self, [&](KeyspaceWriter& rows) {
    return rows.PutIf(key.view(), value.view(), condition, lifetime);
  }));
}

bool Delete(const Writer& self, const BytesArgument& key) {
  return Take(Write(self, [&](KeyspaceWriter& rows) { return rows.Delete(key.view()); }));
}

void DelItem(const Writer& self, const BytesArgument& key) {
  if (!Delete(self, key)) Raise(Status::NotFound(), key.source());
}

bool Expire(const Writer& self, const BytesArgument& key, const py::object& ttl,
            const py::object& expire_at, const std::string& only_if) {
  const Lifetime lifetime = LifetimeFor(self, ttl, expire_at);
  const auto condition = Choose<DeadlineIf>(only_if, "only_if",
                                            {{"always", DeadlineIf::kAlways},
                                             {"none", DeadlineIf::kNone},
                                             {"present", DeadlineIf::kPresent},
                                             {"later", DeadlineIf::kLater},
                                             {"earlier", DeadlineIf::kEarlier}});
  return Take(
      Write(self,
            [&](KeyspaceWriter& rows) { return rows.Expire(key.view(), lifetime, condition); }),
      key.source());
}

bool Persist(const Writer& self, const BytesArgument& key) {
  return Take(Write(self, [&](KeyspaceWriter& rows) { return rows.Persist(key.view()); }),
              key.source());
}

py::bytes Touch(const Writer& self, const BytesArgument& key, const py::object& ttl,
                const py::object& expire_at) {
  const Lifetime lifetime = LifetimeFor(self, ttl, expire_at);
  return ToBytes(
      Take(Write(self, [&](KeyspaceWriter& rows) { return rows.Touch(key.view(), lifetime); }),
           key.source())
          .value);
}

bool PutAt(const Writer& self, const BytesArgument& key, const BytesArgument& value,
           const py::object& timestamp, const py::object& ttl, const py::object& expire_at) {
  const WallTime at = ToTimestamp(timestamp, self.database->any_instant());
  const Lifetime lifetime = LifetimeFor(self, ttl, expire_at);
  return Take(Write(self, [&](KeyspaceWriter& rows) {
    return rows.PutAt(key.view(), value.view(), at, lifetime);
  }));
}

bool DeleteAt(const Writer& self, const BytesArgument& key, const py::object& timestamp) {
  const WallTime at = ToTimestamp(timestamp, self.database->any_instant());
  return Take(Write(self, [&](KeyspaceWriter& rows) { return rows.DeleteAt(key.view(), at); }));
}

void BindReader(py::module_& module) {
  py::class_<PinnedValue>(module, "PinnedValue", py::buffer_protocol())
      .def_buffer([](PinnedValue& self) {
        const Bytes view = self.bytes.view();
        return py::buffer_info(const_cast<char*>(view.data()), 1, "B", 1,
                               {static_cast<py::ssize_t>(view.size())}, {py::ssize_t{1}}, true);
      });
  py::class_<Reader, std::shared_ptr<Reader>>(module, "Reader")
      .def(py::init([](const SnapshotHandle& snapshot, const KeyspaceHandle& keyspace) {
        CheckSameDatabase(snapshot, keyspace);
        return Reader{snapshot.database, keyspace.keyspace, snapshot.scope};
      }))
      .def("get", &Get, "key"_a, "default"_a = py::none())
      .def("__getitem__", &GetItem)
      .def("get_view", &GetView, "key"_a)
      .def("get_many", &GetMany, "keys"_a)
      .def("_row", &GetRow)
      .def("_row_as_of", &GetAsOf)
      .def("exists", &Exists, "key"_a)
      .def("__contains__", &Contains)
      .def("ttl", &Ttl, "key"_a)
      .def("__len__", &Count)
      .def("_forecast", &Forecast)
      .def("_deadlines", &Deadlines);
}

}  // namespace

void CheckSameDatabase(const Reader& rows, const KeyspaceHandle& keyspace) {
  if (rows.database == keyspace.database) return;
  Raise(Status::Invalid("the keyspace belongs to another database"));
}

Lifetime LifetimeFor(const Writer& rows, py::handle ttl, py::handle expire_at) {
  return ToLifetime(ttl, expire_at, rows.database->any_instant());
}

void BindRows(py::module_& module) {
  BindReader(module);
  py::class_<Writer, Reader, std::shared_ptr<Writer>>(module, "Writer")
      .def(py::init([](const TransactionHandle& transaction, const KeyspaceHandle& keyspace) {
        CheckSameDatabase(transaction, keyspace);
        return Writer{{transaction.database, keyspace.keyspace, transaction.scope}};
      }))
      .def(
          "put",
          [](const Writer& self, const BytesArgument& key, const BytesArgument& value,
             const py::object& ttl, const py::object& expire_at) {
            Put(self, key.view(), value.view(), LifetimeFor(self, ttl, expire_at));
          },
          "key"_a, "value"_a, "ttl"_a = py::none(), "expire_at"_a = py::none())
      .def("__setitem__", &SetItem)
      .def("_put_many", &PutMany)
      .def(
          "add",
          [](const Writer& self, const BytesArgument& key, const BytesArgument& value,
             const py::object& ttl, const py::object& expire_at) {
            return PutIf(self, key, value, PutCondition::Absent(),
                         LifetimeFor(self, ttl, expire_at));
          },
          "key"_a, "value"_a, "ttl"_a = py::none(), "expire_at"_a = py::none())
      .def(
          "replace",
          [](const Writer& self, const BytesArgument& key, const BytesArgument& value,
             const py::object& ttl, const py::object& expire_at) {
            return PutIf(self, key, value, PutCondition::Present(),
                         LifetimeFor(self, ttl, expire_at));
          },
          "key"_a, "value"_a, "ttl"_a = py::none(), "expire_at"_a = py::none())
      .def(
          "compare_and_set",
          [](const Writer& self, const BytesArgument& key, const BytesArgument& expected,
             const BytesArgument& value, const py::object& ttl, const py::object& expire_at) {
            return PutIf(self, key, value, PutCondition::Equals(expected.view()),
                         LifetimeFor(self, ttl, expire_at));
          },
          "key"_a, "expected"_a, "value"_a, "ttl"_a = py::none(), "expire_at"_a = py::none())
      .def("delete", &Delete, "key"_a)
      .def("__delitem__", &DelItem)
      .def("expire", &Expire, "key"_a, "ttl"_a = py::none(), "expire_at"_a = py::none(),
           "only_if"_a = "always")
      .def("persist", &Persist, "key"_a)
      .def("touch", &Touch, "key"_a, "ttl"_a = py::none(), "expire_at"_a = py::none())
      .def("put_at", &PutAt, "key"_a, "value"_a, "timestamp"_a, "ttl"_a = py::none(),
           "expire_at"_a = py::none())
      .def("delete_at", &DeleteAt, "key"_a, "timestamp"_a);
}

}  // namespace mayfly::python
