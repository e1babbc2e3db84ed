#include "cluster/tables/schema_cache.h"

#include "cluster/tables/limits.h"
#include "cluster/tables/statuses.h"

namespace mayfly::cluster {
namespace {

KeyType TypeIn(const dynamo::Fields& in, const char* name) {
  return static_cast<KeyType>(in.Integer(name).value_or(0));
}

}  // namespace

std::optional<tables::ReadSchema> SchemaCache::Find(const std::string& table,
                                                    const std::string& index) {
  const std::pair name(table, index);
  {
    const std::lock_guard lock(mutex_);
    const auto found = known_.find(name);
    if (found != known_.end()) return found->second;
  }
  dynamo::json::object question;
  question["TableName"] = dynamo::ToJson(table);
  question["IndexName"] = dynamo::ToJson(index);
  server::TableCall call{.target = kSchemaTarget, .json = dynamo::ToText(question)};
  calls_.Do(kHomeShard, call);
  if (call.status != kOk) return std::nullopt;
  const auto reply = dynamo::ParseJson(call.reply);
  if (!reply || !reply->is_object()) return std::nullopt;
  const dynamo::Fields in(reply->get_object());
  tables::ReadSchema schema{.partition = in.Text("Partition"), .sort = in.String("Sort")};
  schema.partition_type = TypeIn(in, "PartitionType");
  schema.sort_type = TypeIn(in, "SortType");
  schema.is_index = in.Boolean("IsIndex");
  schema.is_local = in.Boolean("IsLocal");
  const std::lock_guard lock(mutex_);
  if (known_.size() >= kSchemasKept) known_.clear();
  known_.emplace(name, schema);
  return schema;
}

void SchemaCache::Forget() {
  const std::lock_guard lock(mutex_);
  known_.clear();
}

}  // namespace mayfly::cluster
