// other_shapes.cc - requests about the ttl, about streams, and mayfly's own.
#include "dynamo/shapes/common_shapes.h"
#include "dynamo/shapes/request_shapes.h"

namespace mayfly::dynamo {
namespace {

constexpr std::array kTtlMembers = std::to_array<Member>({
    {"AttributeName", &kAttributeName, kRequired},
    {"Enabled", &kBoolean, kRequired},
});
constexpr Shape kTtlSpecification = StructureOf(kTtlMembers, "TimeToLiveSpecification");
constexpr std::array kUpdateTimeToLive = std::to_array<Member>({
    {"TableName", &kName, Member::Presence::kRequiredFirst},
    {"TimeToLiveSpecification", &kTtlSpecification, kRequired},
});

constexpr Shape kSeconds = {.kind = Shape::Kind::kDouble};
constexpr std::array kSetTtl = std::to_array<Member>({
    {"TtlSeconds", &kSeconds, kRequired},
    {"TableName", &kName, kRequired},
    {"Key", &kItem, kRequired},
});
constexpr std::array kNamedItem = std::to_array<Member>({
    {"TableName", &kName, kRequired},
    {"Key", &kItem, kRequired},
});
constexpr Shape kItemCount = {.kind = Shape::Kind::kLong, .min = 1};
constexpr std::array kSweep = std::to_array<Member>({
    {"TableName", &kName, kRequired},
    {"Limit", &kItemCount},
});

constexpr Shape kStreamsPerPage = {.kind = Shape::Kind::kInteger, .min = 1, .max = 100};
constexpr Shape kRecordsPerPage = {.kind = Shape::Kind::kInteger, .min = 1, .max = 1000};
constexpr Shape kStreamArn = {.kind = Shape::Kind::kString, .length_min = 37, .length_max = 1024};
constexpr Shape kShard = {.kind = Shape::Kind::kString, .length_min = 28, .length_max = 65};
constexpr Shape kIterator = {.kind = Shape::Kind::kString, .length_min = 1, .length_max = 2048};
constexpr std::array<std::string_view, 4> kIteratorTypes = {"AFTER_SEQUENCE_NUMBER", "LATEST",
                                                            "AT_SEQUENCE_NUMBER", "TRIM_HORIZON"};
constexpr Shape kIteratorType = {.kind = Shape::Kind::kString, .values = kIteratorTypes};

constexpr std::array kListStreams = std::to_array<Member>({
    {"TableName", &kName},
    {"Limit", &kStreamsPerPage},
    {"ExclusiveStartStreamArn", &kText},
});
constexpr std::array kDescribeStream = std::to_array<Member>({
    {"StreamArn", &kStreamArn, kRequired},
    {"Limit", &kStreamsPerPage},
    {"ExclusiveStartShardId", &kText},
});
constexpr std::array kGetShardIterator = std::to_array<Member>({
    {"StreamArn", &kStreamArn, kRequired},
    {"ShardId", &kShard, kRequired},
    {"ShardIteratorType", &kIteratorType, kRequired},
    {"SequenceNumber", &kText},
});
constexpr std::array kGetRecords = std::to_array<Member>({
    {"ShardIterator", &kIterator, kRequired},
    {"Limit", &kRecordsPerPage},
});

}  // namespace

constexpr Shape kUpdateTimeToLiveShape = StructureOf(kUpdateTimeToLive);
constexpr Shape kSetTtlShape = StructureOf(kSetTtl);
constexpr Shape kNamedItemShape = StructureOf(kNamedItem);
constexpr Shape kSweepShape = StructureOf(kSweep);
constexpr Shape kListStreamsShape = StructureOf(kListStreams);
constexpr Shape kDescribeStreamShape = StructureOf(kDescribeStream);
constexpr Shape kShardIteratorShape = StructureOf(kGetShardIterator);
constexpr Shape kGetRecordsShape = StructureOf(kGetRecords);
constexpr Shape kAnyShape = StructureOf({});

}  // namespace mayfly::dynamo
