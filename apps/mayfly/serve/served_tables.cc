#include "apps/mayfly/serve/served_tables.h"

#include <fmt/format.h>

#include <boost/json/object.hpp>
#include <string_view>

#include "base/text.h"
#include "dynamo/json/json.h"
#include "dynamo/json/json_memory.h"
#include "dynamo/json/limits.h"
#include "dynamo/operations/operations.h"

namespace mayfly::app {
namespace {

constexpr int kOk = 200;

const dynamo::Operation* Named(Bytes name) {
  for (const dynamo::Operation& operation : dynamo::AllOperations()) {
    if (EqualsIgnoringCase(operation.name, name)) return &operation;
  }
  return nullptr;
}

// The words of a refusal; all of it, if it has none.
std::string WordsOf(const std::string& body) {
  dynamo::JsonMemory memory(body.size());
  const auto json = dynamo::ParseJson(body, memory.values(), memory.scratch());
  const auto* const object = json ? json->if_object() : nullptr;
  for (const char* const name : {"message", "Message"}) {
    const auto* const words = object != nullptr ? object->if_contains(name) : nullptr;
    if (words != nullptr && words->is_string()) {
      return std::string(dynamo::View(words->get_string()));
    }
  }
  return body;
}

}  // namespace

Result<std::optional<Millis>> ServedTables::PurgeWithin(const std::string& table) {
  MAYFLY_TRY(const TableDescription described, tables_.DescribeTable(table));
  return described.spec.purge_within;
}

Status ServedTables::SetPurgeWithin(const std::string& table, std::optional<Millis> promise) {
  return tables_.UpdateTable(table, {.purge_within = promise.value_or(Millis(0))}).status();
}

Result<std::string> ServedTables::Run(Access access, Bytes operation, Bytes json) {
  const dynamo::Operation* const named = Named(operation);
  if (named == nullptr) return Status::Invalid(fmt::format("no operation '{}'", operation));
  if (named->writes && access == Access::kRead) {
    return Status::Invalid(fmt::format("{} writes: use TTL.TABLE WRITE", named->name));
  }
  if (json.size() > dynamo::kRequestBytesMax) return Status::Invalid("the JSON is too long");
  http::Exchange exchange;
  exchange.request.method = "POST";
  exchange.request.path = "/";
  exchange.request.headers["x-amz-target"] = fmt::format("{}.{}", named->prefix, named->name);
  exchange.request.headers["content-type"] = "application/x-amz-json-1.0";
  exchange.request.body = json;
  http::Exchange* const exchanges[] = {&exchange};
  service_.Answer(exchanges);
  if (!exchange.response) return Status::Internal("the operation has no response");
  if (exchange.response->status != kOk) return Status::Invalid(WordsOf(exchange.response->body));
  return std::move(exchange.response->body);
}

}  // namespace mayfly::app
