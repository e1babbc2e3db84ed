#include "cluster/tables/definitions.h"

#include "base/coding.h"
#include "dynamo/json/fields.h"
#include "dynamo/json/json.h"

namespace mayfly::cluster {
namespace {

namespace json = dynamo::json;

constexpr const char* kKeyspace = "tables.changes";
constexpr Bytes kDoneRow = "done";
constexpr Bytes kNumberRow = "number";
constexpr Bytes kChangeRow = "change";

Status Damaged() {
  return Status::Corruption("the record of changes of tables is damaged; restore a backup");
}

std::string TextOf(const DefinitionChange& change) {
  json::object record;
  record["Number"] = change.number;
  record["Target"] = dynamo::ToJson(change.target);
  record["Json"] = dynamo::ToJson(change.json);
  if (!change.description.empty()) record["Description"] = dynamo::ToJson(change.description);
  return dynamo::ToText(record);
}

Result<DefinitionChange> ReadChange(const std::string& text) {
  const auto record = dynamo::ParseJson(text);
  if (!record || !record->is_object()) return Damaged();
  const dynamo::Fields in(record->get_object());
  return DefinitionChange{.number = static_cast<std::uint64_t>(in.Integer("Number").value_or(0)),
                          .target = in.Text("Target"),
                          .json = in.Text("Json"),
                          .description = in.Text("Description")};
}

std::string Encoded(std::uint64_t number) {
  std::string bytes;
  AppendBigEndian64(bytes, number);
  return bytes;
}

}  // namespace

std::string_view DefinitionChange::operation() const {
  return std::string_view(target).substr(target.find('.') + 1);
}

std::string DefinitionChange::table() const {
  const auto request = dynamo::ParseJson(json);
  if (!request || !request->is_object()) return {};
  const dynamo::Fields in(request->get_object());
  return in.Has("TableName") ? in.Name("TableName") : in.Name("ResourceArn");
}

Status Definitions::Open(bool create) {
  if (rows_ != nullptr) return {};
  auto opened = database_.OpenKeyspace(kKeyspace);
  if (!opened && opened.error().IsNotFound() && create) {
    opened = database_.CreateKeyspace(kKeyspace);
  }
  MAYFLY_RETURN_IF_ERROR(opened.status());
  rows_ = *std::move(opened);
  return {};
}

Result<std::uint64_t> Definitions::NumberIn(Bytes row) {
  const auto stored = rows_->Get(row);
  if (!stored && stored.error().IsNotFound()) return std::uint64_t{0};
  MAYFLY_RETURN_IF_ERROR(stored.status());
  Bytes rest = *stored;
  std::uint64_t number = 0;
  if (!EatBigEndian64(rest, number) || !rest.empty()) return Damaged();
  return number;
}

Result<std::optional<DefinitionChange>> Definitions::UnderWay() {
  const Status opened = Open(false);
  if (opened.IsNotFound()) return std::optional<DefinitionChange>();
  MAYFLY_RETURN_IF_ERROR(opened);
  const auto stored = rows_->Get(kChangeRow);
  if (!stored && stored.error().IsNotFound()) return std::optional<DefinitionChange>();
  MAYFLY_RETURN_IF_ERROR(stored.status());
  MAYFLY_TRY(DefinitionChange change, ReadChange(*stored));
  return std::optional(std::move(change));
}

Result<std::uint64_t> Definitions::Begin(const DefinitionChange& change) {
  MAYFLY_RETURN_IF_ERROR(Open(true));
  MAYFLY_TRY(const std::uint64_t last, NumberIn(kNumberRow));
  DefinitionChange numbered = change;
  numbered.number = last + 1;
  MAYFLY_RETURN_IF_ERROR(database_.Transact([&](Transaction& transaction) -> Status {
    KeyspaceWriter& rows = transaction.In(*rows_);
    MAYFLY_RETURN_IF_ERROR(rows.Put(kNumberRow, Encoded(numbered.number)));
    return rows.Put(kChangeRow, TextOf(numbered));
  }));
  return numbered.number;
}

Status Definitions::NoteBegun(const DefinitionChange& change) {
  MAYFLY_RETURN_IF_ERROR(Open(true));
  return database_.Transact([&](Transaction& transaction) -> Status {
    KeyspaceWriter& rows = transaction.In(*rows_);
    MAYFLY_RETURN_IF_ERROR(rows.Put(kDoneRow, Encoded(change.number)));
    return rows.Put(kChangeRow, TextOf(change));
  });
}

Status Definitions::End(std::uint64_t number) {
  MAYFLY_TRY(const auto change, UnderWay());
  if (!change || change->number != number) return {};
  return rows_->Delete(kChangeRow).status();
}

Result<std::uint64_t> Definitions::Done() {
  const Status opened = Open(false);
  if (opened.IsNotFound()) return std::uint64_t{0};
  MAYFLY_RETURN_IF_ERROR(opened);
  return NumberIn(kDoneRow);
}

Status Definitions::NoteDone(std::uint64_t number) {
  MAYFLY_RETURN_IF_ERROR(Open(true));
  return rows_->Put(kDoneRow, Encoded(number));
}

}  // namespace mayfly::cluster
