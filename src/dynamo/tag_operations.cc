#include <fmt/format.h>

#include <array>

#include "dynamo/arn.h"
#include "dynamo/operations.h"
#include "dynamo/table_errors.h"
#include "dynamo/table_json.h"
#include "dynamo/table_notes.h"
#include "dynamo/tags.h"

namespace mayfly::dynamo {
namespace {

constexpr std::size_t kTagsPerPage = 10;

Outcome<std::string> ReadArn(const Fields& in) {
  std::string arn = in.RequiredString("ResourceArn", 1, 1283);
  MAYFLY_REQUIRE(in.Check());
  return arn;
}

Outcome<TableDescription> OfArn(Result<TableDescription> found, const std::string& arn) {
  if (!found && found.error().IsNotFound()) {
    return Refusal(ErrorKind::kResourceNotFound,
                   fmt::format("Requested resource not found: ResourcArn: {} not found", arn));
  }
  return found;
}

// In one step, so that tags others put on at the same time stay.
template <typename Change>
Outcome<void> ChangeNotes(const Context& context, const std::string& arn,
                          const Change& change_notes) {
  const auto decide = [&](const TableSpec& now) -> Outcome<TableChange> {
    TableChange change{.notes = now.notes};
    MAYFLY_REQUIRE(change_notes(*change.notes));
    MAYFLY_TRY(const TtlMode mode, TtlModeOf(*change.notes));
    if (mode != now.ttl_mode) change.ttl_mode = mode;
    MAYFLY_TRY(const auto promised, PurgeWithinOf(now.notes));
    MAYFLY_TRY(const auto promise, PurgeWithinOf(*change.notes));
    if (promise != promised) change.purge_within = promise.value_or(Millis(0));
    return change;
  };
  MAYFLY_TRY(const std::string table, ReadTableArn(arn));
  MAYFLY_TRY(auto revised, Revise(context.tables, table, decide));
  MAYFLY_TRY([[maybe_unused]] const auto table_now, OfArn(std::move(revised), arn));
  return {};
}

Outcome<Reply> TagResource(const Context& context, const Fields& in) {
  in.RequiredList("Tags");
  MAYFLY_TRY(const std::string arn, ReadArn(in));
  MAYFLY_TRY(const Tags tags, ReadTags(in));
  MAYFLY_REQUIRE(ChangeNotes(context, arn, [&](Notes& notes) { return SetTags(notes, tags); }));
  return Reply();
}

Outcome<Reply> UntagResource(const Context& context, const Fields& in) {
  in.RequiredList("TagKeys");
  const std::vector<std::string> keys = in.Strings("TagKeys");
  MAYFLY_TRY(const std::string arn, ReadArn(in));
  MAYFLY_REQUIRE(ChangeNotes(context, arn, [&](Notes& notes) -> Outcome<void> {
    for (const std::string& key : keys) RemoveTag(notes, key);
    return {};
  }));
  return Reply();
}

// Pages of ten, as DynamoDB has it; a token is the last key of the page before.
Outcome<Reply> ListTagsOfResource(const Context& context, const Fields& in) {
  const auto token = in.String("NextToken");
  MAYFLY_TRY(const std::string arn, ReadArn(in));
  MAYFLY_TRY(const std::string name, ReadTableArn(arn));
  MAYFLY_TRY(const TableDescription table, OfArn(context.tables.DescribeTable(name), arn));
  const auto tags = TagsOf(table.spec.notes);
  json::array listed;
  json::object reply;
  auto at = token ? tags.upper_bound(*token) : tags.begin();
  for (; at != tags.end() && listed.size() < kTagsPerPage; ++at) {
    json::object tag;
    tag["Key"] = ToJson(at->first);
    tag["Value"] = ToJson(at->second);
    listed.emplace_back(std::move(tag));
  }
  if (at != tags.end()) reply["NextToken"] = ToJson(std::prev(at)->first);
  reply["Tags"] = std::move(listed);
  return reply;
}

constexpr std::array kOperations = std::to_array<Operation>({
    {kTablePrefix, "TagResource",        TagResource,        "Puts tags on a table.",      kWrites},
    {kTablePrefix, "UntagResource",      UntagResource,      "Takes tags off a table.",    kWrites},
    {kTablePrefix, "ListTagsOfResource", ListTagsOfResource, "Tells the tags of a table.", kReads },
});

}  // namespace

std::span<const Operation> TagOperations() { return kOperations; }

}  // namespace mayfly::dynamo
