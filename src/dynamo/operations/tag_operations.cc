// tag_operations.cc - TagResource, UntagResource and ListTagsOfResource.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "dynamo/operations/operations.h"
#include "dynamo/shapes/request_shapes.h"
#include "dynamo/tables/arn.h"
#include "dynamo/tables/table_errors.h"
#include "dynamo/tables/table_json.h"
#include "dynamo/tables/table_notes.h"
#include "dynamo/tables/tags.h"

namespace mayfly::dynamo {
namespace {

constexpr std::size_t kTagsPerPage = 10;

Outcome<TableDescription> OfArn(Result<TableDescription> found, const std::string& arn) {
  if (!found && found.error().IsNotFound()) {
    return Refusal(ErrorKind::kResourceNotFound,
                   fmt::format("Requested resource not found: ResourcArn: {} not found", arn));
  }
  return found;
}

// A change of tags. Other interfaces can change the same settings (TTL.POLICY, the library), so a
// tag applies only when the request names it, and is then compared with the current setting.
struct TagChange {
  Tags set;
  std::vector<std::string> removed;

  bool Names(const Notes& before, const std::string& tag) const {
    if (set.contains(tag)) return true;
    return std::find(removed.begin(), removed.end(), tag) != removed.end() &&
           TagsOf(before).contains(tag);
  }
};

// In one step, so that concurrent changes of tags are not lost.
Outcome<void> ChangeTags(const Context& context, const std::string& arn, const TagChange& asked) {
  const auto decide = [&](const TableSpec& now) -> Outcome<TableChange> {
    TableChange change{.notes = now.notes};
    for (const std::string& key : asked.removed) RemoveTag(*change.notes, key);
    MAYFLY_REQUIRE(SetTags(*change.notes, asked.set));
    MAYFLY_TRY(const TtlMode mode, TtlModeOf(*change.notes));
    if (asked.Names(now.notes, kTtlModeTag) && mode != now.ttl_mode) change.ttl_mode = mode;
    MAYFLY_TRY(const auto promise, PurgeWithinOf(*change.notes));
    if (asked.Names(now.notes, kPurgeWithinTag) && promise != now.purge_within) {
      change.purge_within = promise.value_or(Millis(0));
    }
    return change;
  };
  MAYFLY_TRY(const std::string table, ReadTableArn(arn));
  MAYFLY_TRY(auto revised, Revise(context.tables, table, decide));
  MAYFLY_TRY([[maybe_unused]] const auto table_now, OfArn(std::move(revised), arn));
  return {};
}

Outcome<Reply> TagResource(const Context& context, const Fields& in) {
  const std::string arn = in.Text("ResourceArn");
  if (in.ListOrNone("Tags").empty()) {
    return Invalid("Atleast one Tag needs to be provided as Input.");
  }
  MAYFLY_TRY(const Tags tags, ReadTags(in));
  MAYFLY_REQUIRE(ChangeTags(context, arn, {.set = tags, .removed = {}}));
  return Reply();
}

Outcome<Reply> UntagResource(const Context& context, const Fields& in) {
  const std::vector<std::string> keys = in.Strings("TagKeys");
  const std::string arn = in.Text("ResourceArn");
  if (keys.empty()) return Invalid("Atleast one Tag Key needs to be provided as Input.");
  MAYFLY_REQUIRE(ChangeTags(context, arn, {.set = {}, .removed = keys}));
  return Reply();
}

// Pages of ten, as in DynamoDB; a token is the last key of the page before.
Outcome<Reply> ListTagsOfResource(const Context& context, const Fields& in) {
  const auto token = in.String("NextToken");
  const std::string arn = in.Text("ResourceArn");
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

// clang-format off
constexpr std::array kTagOperations = std::to_array<Operation>({
    {kTablePrefix, "TagResource", &kTagResourceShape,        TagResource,        "Puts tags on a table.",      kWrites},
    {kTablePrefix, "UntagResource", &kUntagResourceShape,      UntagResource,      "Takes tags off a table.",  kWrites},
    {kTablePrefix, "ListTagsOfResource", &kListTagsShape, ListTagsOfResource, "Tells the tags of a table.", kReads},
});
// clang-format on

}  // namespace

std::span<const Operation> TagOperations() { return kTagOperations; }

}  // namespace mayfly::dynamo
