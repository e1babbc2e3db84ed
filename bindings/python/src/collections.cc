#include "collections.h"

#include "values.h"

namespace mayfly::python {
namespace {

namespace py = pybind11;
using py::literals::operator""_a;

struct HashHandle : Collection {};
struct ListHandle : Collection {};
struct SetHandle : Collection {};

py::list ToList(const std::vector<std::string>& all) {
  py::list made;
  for (const std::string& each : all) made.append(ToBytes(each));
  return made;
}

// The bytes, or None when there are none.
py::object Optional(const Result<std::string>& result) {
  if (result) return ToBytes(*result);
  if (result.error().IsNotFound()) return py::none();
  Raise(result.error());
}

py::object HashGet(const HashHandle& self, const BytesArgument& field) {
  const auto found = Run<Hash>(self, [&](Hash& hash) { return hash.Get(field.view()); });
  if (!found && found.error().IsNotFound()) return py::none();
  const Hash::Field result = Take(found);
  return py::make_tuple(ToBytes(result.value), ToDatetime(result.deadline));
}

bool HashPut(const HashHandle& self, const BytesArgument& field, const BytesArgument& value,
             const py::object& ttl, const py::object& expire_at) {
  const Lifetime lifetime = LifetimeFor(self.rows, ttl, expire_at);
  return Take(
      Run<Hash>(self, [&](Hash& hash) { return hash.Put(field.view(), value.view(), lifetime); }));
}

bool HashExpire(const HashHandle& self, const BytesArgument& field, const py::object& ttl,
                const py::object& expire_at) {
  const Lifetime lifetime = LifetimeFor(self.rows, ttl, expire_at);
  return Take(Run<Hash>(self, [&](Hash& hash) { return hash.Expire(field.view(), lifetime); }));
}

py::tuple HashRead(const HashHandle& self, std::uint64_t from, std::uint64_t count) {
  const Hash::Page page = Take(Run<Hash>(self, [&](Hash& hash) { return hash.Read(from, count); }));
  py::list fields;
  for (const Hash::Field& field : page.fields) {
    fields.append(
        py::make_tuple(ToBytes(field.name), ToBytes(field.value), ToDatetime(field.deadline)));
  }
  return py::make_tuple(fields, page.next);
}

template <typename Handle>
Handle New(const Writer& rows, const BytesArgument& key) {
  return Handle{{rows, std::string(key.view())}};
}

template <typename Type, typename Handle>
std::uint64_t Size(const Handle& self) {
  return Take(Run<Type>(self, [](Type& collection) { return collection.Size(); }));
}

void BindHash(py::module_& module) {
  py::class_<HashHandle>(module, "Hash")
      .def(py::init(&New<HashHandle>))
      .def("__len__", &Size<Hash, HashHandle>)
      .def("_get", &HashGet)
      .def("put", &HashPut, "field"_a, "value"_a, "ttl"_a = py::none(), "expire_at"_a = py::none())
      .def("expire_field", &HashExpire, "field"_a, "ttl"_a = py::none(), "expire_at"_a = py::none())
      .def(
          "remove",
          [](const HashHandle& self, const BytesArgument& field) {
            return Take(Run<Hash>(self, [&](Hash& hash) { return hash.Remove(field.view()); }));
          },
          "field"_a)
      .def("_read", &HashRead);
}

void BindList(py::module_& module) {
  py::class_<ListHandle>(module, "List")
      .def(py::init(&New<ListHandle>))
      .def("__len__", &Size<List, ListHandle>)
      .def("_get",
           [](const ListHandle& self, std::uint64_t position) {
             return Optional(Run<List>(self, [&](List& list) { return list.Get(position); }));
           })
      .def("_set",
           [](const ListHandle& self, std::uint64_t position, const BytesArgument& value) {
             Check(Run<List>(self, [&](List& list) { return list.Set(position, value.view()); }));
           })
      .def("_remove",
           [](const ListHandle& self, std::uint64_t position) {
             Check(Run<List>(self, [&](List& list) { return list.Remove(position); }));
           })
      .def(
          "_insert",
          [](const ListHandle& self, std::uint64_t position, const BytesArgument& value) {
            Check(Run<List>(self, [&](List& list) { return list.Insert(position, value.view()); }));
          })
      .def(
          "append",
          [](const ListHandle& self, const BytesArgument& value) {
            Check(Run<List>(self, [&](List& list) { return list.PushBack(value.view()); }));
          },
          "value"_a)
      .def(
          "appendleft",
          [](const ListHandle& self, const BytesArgument& value) {
            Check(Run<List>(self, [&](List& list) { return list.PushFront(value.view()); }));
          },
          "value"_a)
      .def("_pop_front",
           [](const ListHandle& self) {
             return Optional(Run<List>(self, [](List& list) { return list.PopFront(); }));
           })
      .def("_pop_back",
           [](const ListHandle& self) {
             return Optional(Run<List>(self, [](List& list) { return list.PopBack(); }));
           })
      .def(
          "trim",
          [](const ListHandle& self, std::uint64_t begin, std::uint64_t end) {
            Check(Run<List>(self, [&](List& list) { return list.Trim(begin, end); }));
          },
          "begin"_a, "end"_a)
      .def("_read", [](const ListHandle& self, std::uint64_t position, std::uint64_t count) {
        return ToList(
            Take(Run<List>(self, [&](List& list) { return list.Read(position, count); })));
      });
}

void BindSet(py::module_& module) {
  py::class_<SetHandle>(module, "Set")
      .def(py::init(&New<SetHandle>))
      .def("__len__", &Size<Set, SetHandle>)
      .def("__contains__",
           [](const SetHandle& self, py::handle name) {
             BytesArgument loaded;
             if (!loaded.Load(name)) return false;  // As in a set of Python.
             return Take(Run<Set>(self, [&](Set& set) { return set.Contains(loaded.view()); }));
           })
      .def("_add",
           [](const SetHandle& self, const BytesArgument& name) {
             return Take(Run<Set>(self, [&](Set& set) { return set.Add(name.view()); }));
           })
      .def("_remove",
           [](const SetHandle& self, const BytesArgument& name) {
             return Take(Run<Set>(self, [&](Set& set) { return set.Remove(name.view()); }));
           })
      .def("_read", [](const SetHandle& self, std::uint64_t from, std::uint64_t count) {
        const Set::Page page =
            Take(Run<Set>(self, [&](Set& set) { return set.Read(from, count); }));
        return py::make_tuple(ToList(page.names), page.next);
      });
}

}  // namespace

void BindCollections(py::module_& module) {
  BindHash(module);
  BindList(module);
  BindSet(module);
  BindSortedSet(module);
}

}  // namespace mayfly::python
