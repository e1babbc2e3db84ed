#include <fmt/format.h>

#include <array>

#include "dynamo/arn.h"
#include "dynamo/limits.h"
#include "dynamo/operations.h"
#include "dynamo/table_json.h"
#include "dynamo/table_notes.h"

namespace mayfly::dynamo {
namespace {

constexpr std::size_t kTagKeyMax = 128;
constexpr std::size_t kTagValueMax = 256;
constexpr std::size_t kTagsPerPage = 10;

// The table an ARN names, as it is.
TableDescription FindTable(const Context& context, const Fields& in) {
  const std::string arn = in.RequiredString("ResourceArn", 1, 1283);
  in.Check();
  auto found = context.tables.DescribeTable(ReadTableArn(arn));
  if (!found && found.error().IsNotFound()) {
    throw Refusal(ErrorKind::kResourceNotFound,
                  fmt::format("Requested resource not found: ResourcArn: {} not found", arn));
  }
  return Must(std::move(found));
}

void Store(const Context& context, const TableDescription& table, Notes notes) {
  TableChange change;
  const TtlMode mode = TtlModeOf(notes);
  if (mode != table.spec.ttl_mode) change.ttl_mode = mode;
  change.notes = std::move(notes);
  Must(context.tables.UpdateTable(table.spec.name, change));
}

Reply TagResource(const Context& context, const Fields& in) {
  in.RequiredList("Tags");
  const TableDescription table = FindTable(context, in);
  Notes notes = table.spec.notes;
  for (const Fields& tag : in.Structures("Tags")) {
    const std::string key = tag.RequiredString("Key", 1, kTagKeyMax);
    const std::string value = tag.RequiredString("Value", 0, kTagValueMax);
    in.Check();
    if (key.starts_with("aws:")) {
      throw Invalid("One or more parameter values were invalid: Tag keys cannot begin with aws:");
    }
    SetTag(notes, key, value);
  }
  if (TagsOf(notes).size() > kTagsMax) {
    throw Invalid("One or more parameter values were invalid: Too many tags: at most 50");
  }
  Store(context, table, std::move(notes));
  return {};
}

Reply UntagResource(const Context& context, const Fields& in) {
  in.RequiredList("TagKeys");
  const TableDescription table = FindTable(context, in);
  Notes notes = table.spec.notes;
  for (const std::string& key : in.Strings("TagKeys")) RemoveTag(notes, key);
  Store(context, table, std::move(notes));
  return {};
}

// Pages of ten, as DynamoDB has it; a token is the last key of the page before.
Reply ListTagsOfResource(const Context& context, const Fields& in) {
  const TableDescription table = FindTable(context, in);
  const auto tags = TagsOf(table.spec.notes);
  const auto token = in.String("NextToken");
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
    {kTablePrefix, "TagResource",        TagResource,        "Puts tags on a table."     },
    {kTablePrefix, "UntagResource",      UntagResource,      "Takes tags off a table."   },
    {kTablePrefix, "ListTagsOfResource", ListTagsOfResource, "Tells the tags of a table."},
});

}  // namespace

std::span<const Operation> TagOperations() { return kOperations; }

}  // namespace mayfly::dynamo
