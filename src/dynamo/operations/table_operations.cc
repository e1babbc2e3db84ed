// table_operations.cc - CreateTable, DescribeTable, ListTables, UpdateTable and DeleteTable.
#include <fmt/format.h>

#include <array>
#include <optional>

#include "dynamo/json/limits.h"
#include "dynamo/operations/operations.h"
#include "dynamo/shapes/request_shapes.h"
#include "dynamo/tables/table_errors.h"
#include "dynamo/tables/table_json.h"

namespace mayfly::dynamo {
namespace {

Reply Described(const char* name, json::object description) {
  json::object reply;
  reply[name] = std::move(description);
  return reply;
}

Outcome<Reply> CreateTable(const Context& context, const Fields& in) {
  MAYFLY_TRY(const TableSpec spec, ReadTableSpec(in));
  const auto created = context.tables.CreateTable(spec);
  if (!created && created.error().code() == StatusCode::kBusy) {
    return Refusal(ErrorKind::kResourceInUse, fmt::format("Table already exists: {}", spec.name));
  }
  if (!created) return created.error();
  return Described("TableDescription", WriteTable(*created, context.region));
}

Outcome<Reply> DescribeTable(const Context& context, const Fields& in) {
  const std::string name = in.Name("TableName");
  MAYFLY_TRY(const TableDescription table, OfTable(context.tables.DescribeTable(name), name));
  return Described("Table", WriteTable(table, context.region));
}

Outcome<Reply> ListTables(const Context& context, const Fields& in) {
  const std::string after = in.Name("ExclusiveStartTableName");
  const auto limit = static_cast<std::size_t>(in.Integer("Limit").value_or(kListTablesMax));
  MAYFLY_TRY(std::vector<std::string> names, context.tables.ListTables(after, limit + 1));
  const bool more = names.size() > limit;
  if (more) names.resize(limit);
  json::object reply;
  json::array listed;
  for (const std::string& name : names) listed.emplace_back(ToJson(name));
  reply["TableNames"] = std::move(listed);
  if (more) reply["LastEvaluatedTableName"] = ToJson(names.back());
  return reply;
}

Outcome<Reply> DeleteTable(const Context& context, const Fields& in) {
  const std::string name = in.Name("TableName");
  const TableCheck check = [](const TableSpec& spec) -> Status {
    if (!IsProtected(spec.notes)) return {};
    return Status::Invalid(
        "Resource cannot be deleted as it is currently protected against deletion. Disable "
        "deletion protection first.");
  };
  MAYFLY_TRY(const TableDescription table, OfTable(context.tables.DropTable(name, check), name));
  return Described("TableDescription", WriteTable(table, context.region, "DELETING"));
}

bool HasIndex(const TableSpec& spec, const std::string& name) {
  for (const IndexSpec& index : spec.global_indexes) {
    if (index.name == name) return true;
  }
  return false;
}

Outcome<void> ReadIndexUpdates(const Fields& in, const TableSpec& spec, TableChange& change,
                               Notes& notes) {
  Definitions definitions = DefinitionsOf(spec);
  MAYFLY_TRY(Definitions given, ReadDefinitions(in));
  definitions.merge(given);  // Keeps existing ones.
  for (const auto& [name, type] : given) {
    if (type == definitions[name]) continue;
    return InvalidParameter(fmt::format(
        "Attributes cannot be redefined. Please check that your attribute has the same type as "
        "previously defined. Existing schema: Schema:[SchemaElement: key{{{0}:{1}:HASH}}] New "
        "schema: Schema:[SchemaElement: key{{{0}:{2}:HASH}}]",
        name, TypeName(definitions[name]), TypeName(type)));
  }
  std::size_t builds = 0;
  for (const Fields& update : in.Structures("GlobalSecondaryIndexUpdates")) {
    const auto create = update.Structure("Create");
    const auto adjust = update.Structure("Update");
    const auto remove = update.Structure("Delete");
    if (create) {
      MAYFLY_TRY(change.add_global_index, ReadIndexSpec(*create, definitions));
      MAYFLY_REQUIRE(ReadIndexThroughput(*create, change.add_global_index->name, notes));
    } else {
      const std::string name = (adjust ? *adjust : *remove).Name("IndexName");
      if (!HasIndex(spec, name)) {
        return Refusal(ErrorKind::kResourceNotFound,
                       "Requested resource not found: Index: " + name + " not found");
      }
      if (adjust) MAYFLY_REQUIRE(ReadIndexThroughput(*adjust, name, notes));
      if (remove) change.drop_global_index = name;
    }
    if (!adjust) ++builds;
  }
  if (builds > 1) {
    return Refusal(ErrorKind::kLimitExceeded,
                   "Subscriber limit exceeded: Only 1 online index can be created or deleted "
                   "simultaneously per table");
  }
  return {};
}

Outcome<void> ReadStreamChange(const Fields& in, const TableSpec& spec, TableChange& change) {
  if (!in.Has("StreamSpecification")) return {};
  MAYFLY_TRY(const StreamView view, ReadStreamSpecification(in));
  if (view == StreamView::kOff && spec.stream == StreamView::kOff) {
    return Invalid("Table has no stream to disable");
  }
  if (view != StreamView::kOff && spec.stream != StreamView::kOff) {
    return Invalid("Table already has an enabled stream: TableName: " + spec.name);
  }
  change.stream = view;
  return {};
}

Outcome<Reply> UpdateTable(const Context& context, const Fields& in) {
  const std::string name = in.Name("TableName");
  const std::string billing = in.Text("BillingMode");
  const std::string table_class = in.Text("TableClass");
  const auto protection = in.OptionalBoolean("DeletionProtectionEnabled");
  const json::array* const updates = in.List("GlobalSecondaryIndexUpdates");
  if (billing.empty() && table_class.empty() && !protection && !in.Has("ProvisionedThroughput") &&
      (updates == nullptr || updates->empty()) && !in.Has("StreamSpecification") &&
      !in.Has("SSESpecification")) {
    return Invalid(
        "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, "
        "GlobalSecondaryIndexUpdates or SSESpecification or ReplicaUpdates is required");
  }
  for (const Fields& update : in.Structures("GlobalSecondaryIndexUpdates")) {
    if (update.Has("Create") + update.Has("Update") + update.Has("Delete") == 1) continue;
    return InvalidParameter(
        "One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, "
        "GlobalSecondaryIndexUpdate.Delete must not be null");
  }
  const auto decide = [&](const TableSpec& now) -> Outcome<TableChange> {
    Notes notes = now.notes;
    TableChange change;
    MAYFLY_REQUIRE(ReadBillingChange(in, billing, notes));
    MAYFLY_REQUIRE(ReadIndexUpdates(in, now, change, notes));
    MAYFLY_REQUIRE(ReadStreamChange(in, now, change));
    if (!table_class.empty()) SetClass(notes, table_class);
    if (protection) SetProtected(notes, *protection);
    if (notes != now.notes) change.notes = std::move(notes);
    return change;
  };
  MAYFLY_TRY(auto revised, Revise(context.tables, name, decide));
  MAYFLY_TRY(const TableDescription table, OfTable(std::move(revised), name));
  return Described("TableDescription", WriteTable(table, context.region));
}

constexpr std::array kTableOperations = std::to_array<Operation>({
    {kTablePrefix, "CreateTable", &kCreateTableShape, CreateTable,
     "Makes a table; it can be used at once.", kWrites},
    {kTablePrefix, "DescribeTable", &kTableNameShape, DescribeTable,
     "Tells what a table is and how much is in it.", kReads},
    {kTablePrefix, "ListTables", &kListTablesShape, ListTables, "Names the tables.", kReads},
    {kTablePrefix, "UpdateTable", &kUpdateTableShape, UpdateTable,
     "Adds or removes a global index, or a stream; takes notes.", kWrites},
    {kTablePrefix, "DeleteTable", &kTableNameShape, DeleteTable,
     "Removes a table with all its items.", kWrites},
});

}  // namespace

std::span<const Operation> TableOperations() { return kTableOperations; }

}  // namespace mayfly::dynamo
