#include "table_values.h"

#include <pybind11/stl.h>

#include <optional>

#include "items.h"
#include "values.h"

namespace mayfly::python {

namespace py = pybind11;
using py::literals::operator""_a;

namespace {

constexpr std::initializer_list<std::pair<const char*, KeyType>> kKeyTypes = {
    {"S", KeyType::kString}, {"N", KeyType::kNumber}, {"B", KeyType::kBinary}};
constexpr std::initializer_list<std::pair<const char*, StreamView>> kViews = {
    {"off", StreamView::kOff},
    {"keys", StreamView::kKeysOnly},
    {"new", StreamView::kNewImage},
    {"old", StreamView::kOldImage},
    {"new_and_old", StreamView::kNewAndOldImages}};
constexpr std::initializer_list<std::pair<const char*, TtlMode>> kModes = {
    {"exact", TtlMode::kExact}, {"until_swept", TtlMode::kUntilSwept}};

std::string Text(const py::dict& given, const char* name) {
  return given.contains(name) ? given[name].cast<std::string>() : std::string();
}

bool Flag(const py::dict& given, const char* name) {
  return given.contains(name) && given[name].cast<bool>();
}

bool Has(const py::dict& given, const char* name) {
  return given.contains(name) && !given[name].is_none();
}

std::optional<std::uint64_t> Count(const py::dict& given, const char* name) {
  if (!Has(given, name)) return std::nullopt;
  return given[name].cast<std::uint64_t>();
}

KeyAttribute ToKey(const py::object& given) {
  const auto [name, type] = given.cast<std::pair<std::string, std::string>>();
  return {name, Choose(type, "the type of a key", kKeyTypes)};
}

py::object KeyToPython(const KeyAttribute& key) {
  return py::make_tuple(key.name, NameOf(key.type, kKeyTypes));
}

IndexSpec ToIndex(const py::dict& given) {
  IndexSpec index;
  index.name = Text(given, "name");
  index.partition = ToKey(given["partition"]);
  if (Has(given, "sort")) index.sort = ToKey(given["sort"]);
  if (Has(given, "attributes")) {
    index.projection.attributes = given["attributes"].cast<std::vector<std::string>>();
    index.projection.kind = index.projection.attributes.empty() ? IndexProjection::Kind::kKeysOnly
                                                                : IndexProjection::Kind::kInclude;
  }
  return index;
}

std::vector<IndexSpec> ToIndexes(const py::object& given) {
  std::vector<IndexSpec> indexes;
  for (const py::handle each : given) indexes.push_back(ToIndex(each.cast<py::dict>()));
  return indexes;
}

ExpressionArguments ToArguments(const py::dict& given) {
  ExpressionArguments arguments;
  if (Has(given, "names")) {
    arguments.names = given["names"].cast<std::map<std::string, std::string>>();
  }
  if (Has(given, "values")) {
    for (const auto& [name, value] : given["values"].cast<py::dict>()) {
      arguments.values.emplace(name.cast<std::string>(), ToAttribute(value));
    }
  }
  return arguments;
}

template <typename Request>
void FillWrite(const py::dict& given, Request& request) {
  request.table = Text(given, "table");
  request.condition = Text(given, "condition");
  request.arguments = ToArguments(given);
  request.expected_version = Count(given, "expected_version");
  request.on_failure = OnFailure::kAllOld;
  if (!Has(given, "returns")) return;
  request.return_values = Choose<ReturnValues>(Text(given, "returns"), "returns",
                                               {{"none", ReturnValues::kNone},
                                                {"all_old", ReturnValues::kAllOld},
                                                {"updated_old", ReturnValues::kUpdatedOld},
                                                {"all_new", ReturnValues::kAllNew},
                                                {"updated_new", ReturnValues::kUpdatedNew}});
}

template <typename Request>
void FillRead(const py::dict& given, Request& request) {
  request.table = Text(given, "table");
  request.index = Text(given, "index");
  request.filter = Text(given, "filter");
  request.projection = Text(given, "projection");
  request.arguments = ToArguments(given);
  request.count_only = Flag(given, "count_only");
  request.all_attributes = Flag(given, "all_attributes");
  request.limit = Count(given, "limit");
  if (Has(given, "start_after")) request.start_after = ToItem(given["start_after"]);
}

}  // namespace

TableSpec ToTableSpec(const py::dict& given) {
  TableSpec spec;
  spec.name = Text(given, "name");
  spec.partition = ToKey(given["partition"]);
  if (Has(given, "sort")) spec.sort = ToKey(given["sort"]);
  spec.ttl_attribute = Text(given, "ttl_attribute");
  spec.ttl_mode = Choose(Text(given, "ttl_mode"), "ttl_mode", kModes);
  spec.global_indexes = ToIndexes(given["global_indexes"]);
  spec.local_indexes = ToIndexes(given["local_indexes"]);
  spec.stream = Choose(Text(given, "stream"), "stream", kViews);
  spec.purge_within = ToOptionalMillis(given["purge_within"], "purge_within");
  return spec;
}

TableChange ToTableChange(const py::dict& given) {
  TableChange change;
  if (Has(given, "add_index")) change.add_global_index = ToIndex(given["add_index"]);
  if (Has(given, "drop_index")) change.drop_global_index = Text(given, "drop_index");
  if (Has(given, "stream")) change.stream = Choose(Text(given, "stream"), "stream", kViews);
  if (Has(given, "ttl_attribute")) change.ttl_attribute = Text(given, "ttl_attribute");
  if (Has(given, "ttl_mode")) change.ttl_mode = Choose(Text(given, "ttl_mode"), "ttl_mode", kModes);
  if (Has(given, "purge_within")) {
    change.purge_within = ToMillis(given["purge_within"], "purge_within");
  }
  return change;
}

py::dict ToDict(const TableDescription& description) {
  const TableSpec& spec = description.spec;
  py::list indexes;
  for (const auto& [name, index] : description.indexes) {
    indexes.append(py::make_tuple(name, index.status == IndexStatus::kActive, index.items));
  }
  return py::dict(
      "name"_a = spec.name, "partition"_a = KeyToPython(spec.partition),
      "sort"_a = spec.sort ? KeyToPython(*spec.sort) : py::none(),
      "ttl_attribute"_a = spec.ttl_attribute, "ttl_mode"_a = NameOf(spec.ttl_mode, kModes),
      "id"_a = description.id, "created_at"_a = ToDatetime(description.created_at),
      "items"_a = description.items, "bytes"_a = description.bytes, "indexes"_a = indexes,
      "stream"_a = NameOf(spec.stream, kViews), "stream_label"_a = description.stream_label,
      "purge_within"_a = ToSeconds(spec.purge_within));
}

PutItemRequest ToPut(const py::dict& given) {
  PutItemRequest request;
  FillWrite(given, request);
  request.item = ToItem(given["item"]);
  return request;
}

UpdateItemRequest ToUpdate(const py::dict& given) {
  UpdateItemRequest request;
  FillWrite(given, request);
  request.key = ToItem(given["key"]);
  request.update = Text(given, "update");
  return request;
}

DeleteItemRequest ToDelete(const py::dict& given) {
  DeleteItemRequest request;
  FillWrite(given, request);
  request.key = ToItem(given["key"]);
  return request;
}

GetItemRequest ToGet(const py::dict& given) {
  GetItemRequest request;
  request.table = Text(given, "table");
  request.key = ToItem(given["key"]);
  request.projection = Text(given, "projection");
  request.arguments = ToArguments(given);
  return request;
}

QueryRequest ToQuery(const py::dict& given) {
  QueryRequest request;
  FillRead(given, request);
  request.key_condition = Text(given, "key_condition");
  request.forward = !Flag(given, "reverse");
  return request;
}

ScanRequest ToScan(const py::dict& given) {
  ScanRequest request;
  FillRead(given, request);
  return request;
}

TransactWrite ToTransactWrite(const py::tuple& action) {
  const auto kind = action[0].cast<std::string>();
  const auto given = action[1].cast<py::dict>();
  if (kind == "put") return {ToPut(given)};
  if (kind == "update") return {ToUpdate(given)};
  if (kind == "delete") return {ToDelete(given)};
  if (kind != "check") Raise(Status::Invalid("an action is put, update, delete or check"));
  ConditionCheck check;
  check.table = Text(given, "table");
  check.key = ToItem(given["key"]);
  check.condition = Text(given, "condition");
  check.arguments = ToArguments(given);
  check.on_failure = OnFailure::kAllOld;
  return {check};
}

py::tuple ToTuple(const WriteOutcome& outcome) {
  return py::make_tuple(outcome.written, ToPython(outcome.attributes), outcome.version);
}

py::tuple ToTuple(const FoundItem& found) {
  return py::make_tuple(ToPython(found.item), found.version);
}

py::tuple ToTuple(const ItemPage& page) {
  py::list items;
  for (const Item& item : page.items) items.append(ToPython(item));
  return py::make_tuple(items, page.count, ToPython(page.last_key));
}

py::tuple ToTuple(const TransactOutcome& outcome) {
  using Reason = TransactOutcome::Reason;
  py::list verdicts;
  for (const TransactOutcome::Verdict& verdict : outcome.verdicts) {
    const char* reason = NameOf<Reason>(verdict.reason, {{"none", Reason::kNone},
                                                         {"condition", Reason::kConditionFailed},
                                                         {"invalid", Reason::kInvalid}});
    verdicts.append(py::make_tuple(reason, verdict.message, ToPython(verdict.item)));
  }
  return py::make_tuple(outcome.written, verdicts);
}

py::dict ToDict(const StreamRecord& record) {
  using Change = StreamRecord::Kind;
  return py::dict(
      "sequence"_a = record.sequence,
      "kind"_a = NameOf<Change>(
          record.kind,
          {{"insert", Change::kInsert}, {"modify", Change::kModify}, {"remove", Change::kRemove}}),
      "by_ttl"_a = record.by_ttl, "at"_a = ToDatetime(record.at), "keys"_a = ToPython(record.keys),
      "old"_a = ToPython(record.old_image), "new"_a = ToPython(record.new_image));
}

}  // namespace mayfly::python
