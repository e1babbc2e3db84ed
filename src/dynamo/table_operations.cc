#include <fmt/format.h>

#include <array>
#include <optional>

#include "dynamo/limits.h"
#include "dynamo/operations.h"
#include "dynamo/table_errors.h"
#include "dynamo/table_json.h"

namespace mayfly::dynamo {
namespace {

json::object Described(const char* name, json::object description) {
  json::object reply;
  reply[name] = std::move(description);
  return reply;
}

Reply CreateTable(const Context& context, const Fields& in) {
  const TableSpec spec = ReadTableSpec(in);
  const auto created = context.tables.CreateTable(spec);
  if (!created && created.error().code() == StatusCode::kBusy) {
    throw Refusal(ErrorKind::kResourceInUse, fmt::format("Table already exists: {}", spec.name));
  }
  return Described("TableDescription", WriteTable(Must(created)));
}

Reply DescribeTable(const Context& context, const Fields& in) {
  const std::string name = in.Name("TableName");
  in.Check();
  return Described("Table", WriteTable(OfTable(context.tables.DescribeTable(name), name)));
}

Reply ListTables(const Context& context, const Fields& in) {
  const std::string after = in.OptionalName("ExclusiveStartTableName").value_or("");
  const auto limit =
      static_cast<std::size_t>(in.Integer("Limit", 1, kListTablesMax).value_or(kListTablesMax));
  in.Check();
  std::vector<std::string> names = Must(context.tables.ListTables(after, limit + 1));
  const bool more = names.size() > limit;
  if (more) names.resize(limit);
  json::object reply;
  json::array listed;
  for (const std::string& name : names) listed.emplace_back(ToJson(name));
  reply["TableNames"] = std::move(listed);
  if (more) reply["LastEvaluatedTableName"] = ToJson(names.back());
  return reply;
}

Reply DeleteTable(const Context& context, const Fields& in) {
  const std::string name = in.Name("TableName");
  in.Check();
  const TableCheck check = [](const TableSpec& spec) -> Status {
    if (!IsProtected(spec.notes)) return {};
    throw Invalid(
        "Resource cannot be deleted as it is currently protected against deletion. Disable "
        "deletion protection first.");
  };
  return Described("TableDescription",
                   WriteTable(OfTable(context.tables.DropTable(name, check), name), "DELETING"));
}

bool HasIndex(const TableSpec& spec, const std::string& name) {
  for (const IndexSpec& index : spec.global_indexes) {
    if (index.name == name) return true;
  }
  return false;
}

void ReadIndexUpdates(const Fields& in, const TableSpec& spec, TableChange& change, Notes& notes) {
  Definitions definitions = DefinitionsOf(spec);
  definitions.merge(ReadDefinitions(in));
  std::size_t builds = 0;
  for (const Fields& update : in.Structures("GlobalSecondaryIndexUpdates")) {
    const auto create = update.Structure("Create");
    const auto adjust = update.Structure("Update");
    const auto remove = update.Structure("Delete");
    if (create.has_value() + adjust.has_value() + remove.has_value() != 1) {
      throw Invalid(
          "One or more parameter values were invalid: One of GlobalSecondaryIndexUpdate.Update, "
          "GlobalSecondaryIndexUpdate.Create, GlobalSecondaryIndexUpdate.Delete must not be null");
    }
    if (create) {
      change.add_global_index = ReadIndexSpec(*create, definitions);
      ReadThroughput(*create, change.add_global_index->name, notes);
    } else {
      const std::string name = (adjust ? *adjust : *remove).Name("IndexName");
      in.Check();
      if (!HasIndex(spec, name)) {
        throw Refusal(ErrorKind::kResourceNotFound,
                      "Requested resource not found: Index: " + name + " not found");
      }
      if (adjust) ReadThroughput(*adjust, name, notes);
      if (remove) change.drop_global_index = name;
    }
    if (!adjust) ++builds;
  }
  if (builds > 1) {
    throw Refusal(ErrorKind::kLimitExceeded,
                  "Subscriber limit exceeded: Only 1 online index can be created or deleted "
                  "simultaneously per table");
  }
}

void ReadStreamChange(const Fields& in, const TableSpec& spec, TableChange& change) {
  if (!in.Has("StreamSpecification")) return;
  const StreamView view = ReadStreamSpecification(in);
  if (view == StreamView::kOff && spec.stream == StreamView::kOff) {
    throw Invalid("Table has no stream to disable");
  }
  if (view != StreamView::kOff && spec.stream != StreamView::kOff) {
    throw Invalid("Table already has an enabled stream: TableName: " + spec.name);
  }
  change.stream = view;
}

Reply UpdateTable(const Context& context, const Fields& in) {
  const std::string name = in.Name("TableName");
  const std::string billing = in.OneOf("BillingMode", {"PROVISIONED", "PAY_PER_REQUEST"});
  const std::string table_class =
      in.OneOf("TableClass", {"STANDARD", "STANDARD_INFREQUENT_ACCESS"});
  const auto protection = in.OptionalBoolean("DeletionProtectionEnabled");
  in.Check();
  if (billing.empty() && table_class.empty() && !protection && !in.Has("ProvisionedThroughput") &&
      !in.Has("GlobalSecondaryIndexUpdates") && !in.Has("StreamSpecification") &&
      !in.Has("SSESpecification")) {
    throw Invalid(
        "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, "
        "GlobalSecondaryIndexUpdates or SSESpecification or ReplicaUpdates is required");
  }
  const auto decide = [&](const TableSpec& now) -> Result<TableChange> {
    Notes notes = now.notes;
    TableChange change;
    ReadIndexUpdates(in, now, change, notes);
    ReadStreamChange(in, now, change);
    if (!billing.empty()) SetBilling(notes, billing == "PAY_PER_REQUEST");
    if (billing == "PAY_PER_REQUEST") SetThroughput(notes, "", {});
    ReadThroughput(in, "", notes);
    if (!table_class.empty()) SetClass(notes, table_class);
    if (protection) SetProtected(notes, *protection);
    if (notes != now.notes) change.notes = std::move(notes);
    return change;
  };
  return Described("TableDescription",
                   WriteTable(OfTable(context.tables.ReviseTable(name, decide), name)));
}

constexpr std::array kOperations = std::to_array<Operation>({
    {kTablePrefix, "CreateTable",   CreateTable,   "Makes a table; it can be used at once."      },
    {kTablePrefix, "DescribeTable", DescribeTable, "Tells what a table is and how much is in it."},
    {kTablePrefix, "ListTables",    ListTables,    "Names the tables."                           },
    {kTablePrefix, "UpdateTable",   UpdateTable,
     "Adds or removes a global index, or a stream; takes notes."                                 },
    {kTablePrefix, "DeleteTable",   DeleteTable,   "Removes a table with all its items."         },
});

}  // namespace

std::span<const Operation> TableOperations() { return kOperations; }

}  // namespace mayfly::dynamo
