#include <fmt/format.h>

#include <array>

#include "dynamo/arn.h"
#include "dynamo/operations.h"
#include "dynamo/table_json.h"
#include "dynamo/table_notes.h"
#include "dynamo/tags.h"

namespace mayfly::dynamo {
namespace {

constexpr std::size_t kTagsPerPage = 10;

std::string ReadArn(const Fields& in) {
  std::string arn = in.RequiredString("ResourceArn", 1, 1283);
  in.Check();
  return arn;
}

TableDescription OfArn(Result<TableDescription> found, const std::string& arn) {
  if (!found && found.error().IsNotFound()) {
    throw Refusal(ErrorKind::kResourceNotFound,
                  fmt::format("Requested resource not found: ResourcArn: {} not found", arn));
  }
  return Must(std::move(found));
}

// In one step, so that tags others put on at the same time stay.
template <typename Change>
void ChangeNotes(const Context& context, const std::string& arn, const Change& change_notes) {
  const auto decide = [&](const TableSpec& now) -> Result<TableChange> {
    Notes notes = now.notes;
    change_notes(notes);
    TableChange change;
    const TtlMode mode = TtlModeOf(notes);
    if (mode != now.ttl_mode) change.ttl_mode = mode;
    change.notes = std::move(notes);
    return change;
  };
  OfArn(context.tables.ReviseTable(ReadTableArn(arn), decide), arn);
}

Reply TagResource(const Context& context, const Fields& in) {
  in.RequiredList("Tags");
  const std::string arn = ReadArn(in);
  const Tags tags = ReadTags(in);
  ChangeNotes(context, arn, [&](Notes& notes) { SetTags(notes, tags); });
  return {};
}

Reply UntagResource(const Context& context, const Fields& in) {
  in.RequiredList("TagKeys");
  const std::string arn = ReadArn(in);
  const std::vector<std::string> keys = in.Strings("TagKeys");
  ChangeNotes(context, arn, [&](Notes& notes) {
    for (const std::string& key : keys) RemoveTag(notes, key);
  });
  return {};
}

// Pages of ten, as DynamoDB has it; a token is the last key of the page before.
Reply ListTagsOfResource(const Context& context, const Fields& in) {
  const std::string arn = ReadArn(in);
  const TableDescription table = OfArn(context.tables.DescribeTable(ReadTableArn(arn)), arn);
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
