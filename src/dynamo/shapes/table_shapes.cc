// table_shapes.cc - requests that define and change tables.
#include <algorithm>

#include "base/text.h"
#include "dynamo/json/limits.h"
#include "dynamo/shapes/common_shapes.h"
#include "dynamo/shapes/request_shapes.h"

namespace mayfly::dynamo {
namespace {

constexpr Member::Presence kFirst = Member::Presence::kRequiredFirst;

constexpr std::array<std::string_view, 3> kTypes = {"B", "N", "S"};
constexpr Shape kType = {.kind = Shape::Kind::kString, .values = kTypes};
constexpr std::array<std::string_view, 2> kRoles = {"HASH", "RANGE"};
constexpr Shape kRole = {.kind = Shape::Kind::kString, .values = kRoles};
constexpr std::array<std::string_view, 2> kModes = {"PROVISIONED", "PAY_PER_REQUEST"};
constexpr Shape kBillingMode = {.kind = Shape::Kind::kString, .values = kModes};
constexpr std::array<std::string_view, 3> kProjections = {"ALL", "INCLUDE", "KEYS_ONLY"};
constexpr Shape kProjectionType = {.kind = Shape::Kind::kString, .values = kProjections};
constexpr std::array<std::string_view, 2> kClasses = {"STANDARD", "STANDARD_INFREQUENT_ACCESS"};
constexpr Shape kTableClass = {.kind = Shape::Kind::kString, .values = kClasses};
constexpr std::array<std::string_view, 4> kViews = {"NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES",
                                                    "KEYS_ONLY"};
constexpr Shape kViewType = {.kind = Shape::Kind::kString, .values = kViews};
constexpr Shape kUnits = {.kind = Shape::Kind::kLong, .min = 1};
constexpr Shape kAttributeNames = ListOf(kText, 1);

constexpr std::array kDefinitionMembers = std::to_array<Member>({
    {"AttributeName", &kAttributeName, kRequired},
    {"AttributeType", &kType, kRequired},
});
constexpr Shape kDefinition = StructureOf(kDefinitionMembers, "AttributeDefinition");
constexpr Shape kDefinitions = ListOf(kDefinition);

constexpr std::array kElementMembers = std::to_array<Member>({
    {"AttributeName", &kAttributeName, kRequired},
    {"KeyType", &kRole, kRequired},
});
constexpr Shape kSchemaElement = StructureOf(kElementMembers, "KeySchemaElement");
constexpr Shape kKeySchema = ListOf(kSchemaElement, 1, 2);

constexpr std::array kThroughputMembers = std::to_array<Member>({
    {"WriteCapacityUnits", &kUnits, kRequired},
    {"ReadCapacityUnits", &kUnits, kRequired},
});
constexpr Shape kThroughput = StructureOf(kThroughputMembers, "ProvisionedThroughput");

constexpr std::array kProjectionMembers = std::to_array<Member>({
    {"ProjectionType", &kProjectionType},
    {"NonKeyAttributes", &kAttributeNames},
});
constexpr Shape kProjection = StructureOf(kProjectionMembers, "Projection");

constexpr std::array kLocalMembers = std::to_array<Member>({
    {"IndexName", &kName, kRequired},
    {"KeySchema", &kKeySchema, kRequired},
    {"Projection", &kProjection, kRequired},
});
constexpr Shape kLocalIndex = StructureOf(kLocalMembers, "LocalSecondaryIndex");
constexpr Shape kLocalIndexes = ListOf(kLocalIndex);

constexpr std::array kGlobalMembers = std::to_array<Member>({
    {"IndexName", &kName, kRequired},
    {"KeySchema", &kKeySchema, kRequired},
    {"Projection", &kProjection, kRequired},
    {"ProvisionedThroughput", &kThroughput},
});
constexpr Shape kGlobalIndex = StructureOf(kGlobalMembers, "GlobalSecondaryIndex");
constexpr Shape kGlobalIndexes = ListOf(kGlobalIndex);

constexpr std::array kStreamMembers = std::to_array<Member>({
    {"StreamEnabled", &kBoolean, kRequired},
    {"StreamViewType", &kViewType},
});
constexpr Shape kStream = StructureOf(kStreamMembers, "StreamSpecification");

constexpr Shape kEncryption = StructureOf({}, "SSESpecification");

// Letters, digits and blanks of all languages: every byte beyond ASCII counts as one.
bool IsTagCharacter(char c) {
  const auto byte = static_cast<unsigned char>(c);
  constexpr unsigned char kAsciiEnd = 0x80;
  constexpr std::string_view kSigns = " _.:/=+-@";
  return byte >= kAsciiEnd || IsLetterOrDigit(c) || kSigns.find(c) != std::string_view::npos;
}

bool IsTagText(std::string_view text) {
  return std::all_of(text.begin(), text.end(), IsTagCharacter);
}

constexpr std::string_view kTagPattern = R"(^([\p{L}\p{Z}\p{N}_.:/=+\-@]*)$)";
constexpr Shape kTagKey = {.kind = Shape::Kind::kString,
                           .fits = IsTagText,
                           .pattern = kTagPattern,
                           .length_min = 1,
                           .length_max = kTagKeyCharactersMax};
constexpr Shape kTagValue = {.kind = Shape::Kind::kString,
                             .fits = IsTagText,
                             .pattern = kTagPattern,
                             .length_max = kTagValueCharactersMax};
constexpr std::array kTagMembers = std::to_array<Member>({
    {"Key", &kTagKey, kRequired},
    {"Value", &kTagValue, kRequired},
});
constexpr Shape kTag = StructureOf(kTagMembers, "Tag");
constexpr Shape kTags = ListOf(kTag);

constexpr std::array kCreateTable = std::to_array<Member>({
    {"AttributeDefinitions", &kDefinitions, kRequired},
    {"TableName", &kName, kFirst},
    {"BillingMode", &kBillingMode},
    {"ProvisionedThroughput", &kThroughput},
    {"KeySchema", &kKeySchema, kRequired},
    {"LocalSecondaryIndexes", &kLocalIndexes},
    {"GlobalSecondaryIndexes", &kGlobalIndexes},
    {"StreamSpecification", &kStream},
    {"SSESpecification", &kEncryption},
    {"TableClass", &kTableClass},
    {"DeletionProtectionEnabled", &kBoolean},
    {"Tags", &kTags},
});

constexpr std::array kAdjustMembers = std::to_array<Member>({
    {"IndexName", &kName, kRequired},
    {"ProvisionedThroughput", &kThroughput, kRequired},
});
constexpr Shape kAdjustIndex = StructureOf(kAdjustMembers, "UpdateGlobalSecondaryIndexAction");
constexpr std::array kAddMembers = std::to_array<Member>({
    {"Projection", &kProjection, kRequired},
    {"IndexName", &kName, kRequired},
    {"ProvisionedThroughput", &kThroughput},
    {"KeySchema", &kKeySchema, kRequired},
});
constexpr Shape kAddIndex = StructureOf(kAddMembers, "CreateGlobalSecondaryIndexAction");
constexpr std::array kDropMembers = std::to_array<Member>({{"IndexName", &kName, kRequired}});
constexpr Shape kDropIndex = StructureOf(kDropMembers, "DeleteGlobalSecondaryIndexAction");
constexpr std::array kIndexUpdateMembers = std::to_array<Member>({
    {"Update", &kAdjustIndex},
    {"Create", &kAddIndex},
    {"Delete", &kDropIndex},
});
constexpr Shape kIndexUpdate = StructureOf(kIndexUpdateMembers, "GlobalSecondaryIndexUpdate");
constexpr Shape kIndexUpdates = ListOf(kIndexUpdate);

constexpr std::array kUpdateTable = std::to_array<Member>({
    {"TableName", &kName, kFirst},
    {"AttributeDefinitions", &kDefinitions},
    {"ProvisionedThroughput", &kThroughput},
    {"BillingMode", &kBillingMode},
    {"GlobalSecondaryIndexUpdates", &kIndexUpdates},
    {"StreamSpecification", &kStream},
    {"SSESpecification", &kEncryption},
    {"TableClass", &kTableClass},
    {"DeletionProtectionEnabled", &kBoolean},
});

constexpr Shape kTablesPerPage = {.kind = Shape::Kind::kInteger, .min = 1, .max = 100};
constexpr std::array kListTables = std::to_array<Member>({
    {"Limit", &kTablesPerPage},
    {"ExclusiveStartTableName", &kName},
});

constexpr std::array kTableNameOnly = std::to_array<Member>({{"TableName", &kName, kFirst}});

constexpr Shape kArn = {.kind = Shape::Kind::kString, .length_min = 1, .length_max = 1283};
constexpr std::array kTagResource = std::to_array<Member>({
    {"ResourceArn", &kArn, kRequired},
    {"Tags", &kTags, kRequired},
});
constexpr std::array kUntagResource = std::to_array<Member>({
    {"ResourceArn", &kArn, kRequired},
    {"TagKeys", &kTexts, kRequired},
});
constexpr std::array kListTags = std::to_array<Member>({
    {"ResourceArn", &kArn, kRequired},
    {"NextToken", &kText},
});

}  // namespace

constexpr Shape kCreateTableShape = StructureOf(kCreateTable);
constexpr Shape kUpdateTableShape = StructureOf(kUpdateTable);
constexpr Shape kListTablesShape = StructureOf(kListTables);
constexpr Shape kTableNameShape = StructureOf(kTableNameOnly);
constexpr Shape kTagResourceShape = StructureOf(kTagResource);
constexpr Shape kUntagResourceShape = StructureOf(kUntagResource);
constexpr Shape kListTagsShape = StructureOf(kListTags);

}  // namespace mayfly::dynamo
