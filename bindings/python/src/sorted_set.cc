#include "collections.h"
#include "values.h"

namespace mayfly::python {
namespace {

namespace py = pybind11;
using py::literals::operator""_a;
using Order = SortedSet::Order;

struct SortedSetHandle : Collection {};

py::list ToList(const std::vector<SortedSet::Member>& members) {
  py::list made;
  for (const auto& member : members) {
    made.append(py::make_tuple(ToBytes(member.name), member.score));
  }
  return made;
}

Order OrderOf(bool reverse) { return reverse ? Order::kDescending : Order::kAscending; }

// The number, or None when the name is not in the set.
template <typename Number>
py::object Optional(const Result<Number>& result) {
  if (result) return py::cast(*result);
  if (result.error().IsNotFound()) return py::none();
  Raise(result.error());
}

void BindReads(py::class_<SortedSetHandle>& bound) {
  bound
      .def("__len__",
           [](const SortedSetHandle& self) {
             return Take(Run<SortedSet>(self, [](SortedSet& set) { return set.Size(); }));
           })
      .def("_score",
           [](const SortedSetHandle& self, const BytesArgument& name) {
             return Optional(
                 Run<SortedSet>(self, [&](SortedSet& set) { return set.Score(name.view()); }));
           })
      .def("_rank",
           [](const SortedSetHandle& self, const BytesArgument& name) {
             return Optional(
                 Run<SortedSet>(self, [&](SortedSet& set) { return set.Rank(name.view()); }));
           })
      .def(
          "by_rank",
          [](const SortedSetHandle& self, std::uint64_t first, std::uint64_t count, bool reverse) {
            return ToList(Take(Run<SortedSet>(
                self, [&](SortedSet& set) { return set.ByRank(first, count, OrderOf(reverse)); })));
          },
          "first"_a, "count"_a, "reverse"_a = false)
      .def(
          "by_score",
          [](const SortedSetHandle& self, double low, double high, bool reverse,
             std::uint64_t count) {
            return ToList(Take(Run<SortedSet>(self, [&](SortedSet& set) {
              return set.ByScore(low, high, OrderOf(reverse), count);
            })));
          },
          "min"_a, "max"_a, "reverse"_a = false, "count"_a = std::uint64_t{INT64_MAX})
      .def(
          "count_by_score",
          [](const SortedSetHandle& self, double low, double high) {
            return Take(
                Run<SortedSet>(self, [&](SortedSet& set) { return set.CountByScore(low, high); }));
          },
          "min"_a, "max"_a);
}

}  // namespace

void BindSortedSet(py::module_& module) {
  py::class_<SortedSetHandle> bound(module, "SortedSet");
  bound.def(py::init([](const Writer& rows, const BytesArgument& key) {
    return SortedSetHandle{{rows, std::string(key.view())}};
  }));
  BindReads(bound);
  bound
      .def(
          "put",
          [](const SortedSetHandle& self, const BytesArgument& name, double score) {
            return Take(
                Run<SortedSet>(self, [&](SortedSet& set) { return set.Put(name.view(), score); }));
          },
          "name"_a, "score"_a)
      .def(
          "increment",
          [](const SortedSetHandle& self, const BytesArgument& name, double by) {
            return Take(Run<SortedSet>(
                self, [&](SortedSet& set) { return set.Increment(name.view(), by); }));
          },
          "name"_a, "by"_a = 1.0)
      .def(
          "remove",
          [](const SortedSetHandle& self, const BytesArgument& name) {
            return Take(
                Run<SortedSet>(self, [&](SortedSet& set) { return set.Remove(name.view()); }));
          },
          "name"_a)
      .def(
          "pop_lowest",
          [](const SortedSetHandle& self, std::uint64_t count) {
            return ToList(
                Take(Run<SortedSet>(self, [&](SortedSet& set) { return set.PopLowest(count); })));
          },
          "count"_a = 1)
      .def(
          "pop_highest",
          [](const SortedSetHandle& self, std::uint64_t count) {
            return ToList(
                Take(Run<SortedSet>(self, [&](SortedSet& set) { return set.PopHighest(count); })));
          },
          "count"_a = 1);
}

}  // namespace mayfly::python
