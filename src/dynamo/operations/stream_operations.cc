// stream_operations.cc - ListStreams, DescribeStream, GetShardIterator and GetRecords.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/checksum.h"
#include "dynamo/json/attribute_json.h"
#include "dynamo/json/limits.h"
#include "dynamo/operations/operations.h"
#include "dynamo/shapes/request_shapes.h"
#include "dynamo/tables/shard_iterator.h"
#include "dynamo/tables/table_json.h"

namespace mayfly::dynamo {
namespace {

Outcome<StreamDescription> FindStream(const Context& context, const std::string& arn) {
  MAYFLY_TRY(const StreamName name, ReadStreamArn(arn));
  auto found = context.tables.DescribeStream(name.table, name.label);
  if (!found && found.error().IsNotFound()) {
    return Refusal(ErrorKind::kResourceNotFound,
                   fmt::format("Requested resource not found: Stream: {} not found", arn));
  }
  return found;
}

json::object WriteName(const StreamDescription& stream, std::string_view region) {
  json::object out;
  out["StreamArn"] = ToJson(StreamArn(region, stream.table, stream.label));
  out["TableName"] = ToJson(stream.table);
  out["StreamLabel"] = ToJson(stream.label);
  return out;
}

Outcome<Reply> ListStreams(const Context& context, const Fields& in) {
  const std::string table = in.Name("TableName");
  const auto limit = static_cast<std::size_t>(in.Integer("Limit").value_or(kListStreamsMax));
  const auto after = in.String("ExclusiveStartStreamArn");
  MAYFLY_TRY(std::vector<StreamDescription> streams, context.tables.ListStreams(table));
  const auto arn_of = [&](const StreamDescription& stream) {
    return StreamArn(context.region, stream.table, stream.label);
  };
  std::sort(streams.begin(), streams.end(),
            [&](const auto& a, const auto& b) { return arn_of(a) < arn_of(b); });
  json::array listed;
  json::object reply;
  std::string last;
  for (const StreamDescription& stream : streams) {
    if (after && arn_of(stream) <= *after) continue;
    if (listed.size() == limit) {
      reply["LastEvaluatedStreamArn"] = ToJson(last);
      break;
    }
    listed.emplace_back(WriteName(stream, context.region));
    last = arn_of(stream);
  }
  reply["Streams"] = std::move(listed);
  return reply;
}

json::object WriteShard(const StreamDescription& stream) {
  json::object range;
  range["StartingSequenceNumber"] = ToJson(WriteSequence(stream.first_sequence));
  if (!stream.enabled) {
    const std::uint64_t last =
        std::max(stream.first_sequence, stream.next_sequence > 0 ? stream.next_sequence - 1 : 0);
    range["EndingSequenceNumber"] = ToJson(WriteSequence(last));
  }
  json::object shard;
  shard["ShardId"] = ToJson(kShardId);
  shard["SequenceNumberRange"] = std::move(range);
  return shard;
}

Outcome<Reply> DescribeStream(const Context& context, const Fields& in) {
  const std::string arn = in.Text("StreamArn");
  const auto after = in.String("ExclusiveStartShardId");
  MAYFLY_TRY(const StreamDescription stream, FindStream(context, arn));
  json::object out = WriteName(stream, context.region);
  out["StreamStatus"] = stream.enabled ? "ENABLED" : "DISABLED";
  out["StreamViewType"] = ToJson(StreamViewName(stream.view));
  out["CreationRequestDateTime"] = WriteInstant(stream.created_at);
  json::array schema;
  for (const std::string_view role : {"HASH", "RANGE"}) {
    for (const auto& [name, value] : stream.key_schema) {
      if (value.string() == nullptr || *value.string() != role) continue;
      json::object element;
      element["AttributeName"] = ToJson(name);
      element["KeyType"] = ToJson(role);
      schema.emplace_back(std::move(element));
    }
  }
  out["KeySchema"] = std::move(schema);
  json::array shards;
  if (!after || *after < kShardId) shards.emplace_back(WriteShard(stream));
  out["Shards"] = std::move(shards);
  json::object reply;
  reply["StreamDescription"] = std::move(out);
  return reply;
}

Refusal Trimmed() {
  return Refusal(ErrorKind::kTrimmedDataAccess,
                 "The operation attempted to read past the oldest stream record in a shard.");
}

Outcome<Reply> GetShardIterator(const Context& context, const Fields& in) {
  const std::string arn = in.Text("StreamArn");
  const std::string shard = in.Text("ShardId");
  const std::string type = in.Text("ShardIteratorType");
  const auto given = in.String("SequenceNumber");
  MAYFLY_TRY(const StreamDescription stream, FindStream(context, arn));
  if (shard != kShardId) {
    return Refusal(
        ErrorKind::kResourceNotFound,
        fmt::format("Requested resource not found: Shard: {} in Stream: {} not found", shard, arn));
  }
  const bool by_number = type.ends_with("SEQUENCE_NUMBER");
  if (by_number && !given) {
    return Invalid(fmt::format("SequenceNumber must be specified for ShardIteratorType {}", type));
  }
  if (!by_number && given) {
    return Invalid(
        fmt::format("SequenceNumber cannot be specified for ShardIteratorType {}", type));
  }
  std::uint64_t sequence = type == "LATEST" ? stream.next_sequence : stream.first_sequence;
  if (by_number) {
    MAYFLY_TRY(const std::uint64_t number, ReadSequence(*given));
    sequence = number + (type == "AFTER_SEQUENCE_NUMBER" ? 1 : 0);
    if (sequence < stream.first_sequence) return Trimmed();
  }
  json::object reply;
  reply["ShardIterator"] =
      ToJson(WriteIterator({{stream.table, stream.label}, context.clock.Now(), sequence}));
  return reply;
}

std::string_view EventName(StreamRecord::Kind kind) {
  switch (kind) {
    case StreamRecord::Kind::kInsert: return "INSERT";
    case StreamRecord::Kind::kModify: return "MODIFY";
    case StreamRecord::Kind::kRemove: return "REMOVE";
  }
  return "INSERT";
}

json::object WriteRecord(const StreamRecord& record, const StreamDescription& stream,
                         std::string_view region) {
  const std::string arn = StreamArn(region, stream.table, stream.label);
  json::object change;
  change["ApproximateCreationDateTime"] = WriteInstant(record.at);
  change["Keys"] = WriteItem(record.keys);
  if (record.new_image) change["NewImage"] = WriteItem(*record.new_image);
  if (record.old_image) change["OldImage"] = WriteItem(*record.old_image);
  change["SequenceNumber"] = ToJson(WriteSequence(record.sequence));
  change["SizeBytes"] = record.bytes;
  change["StreamViewType"] = ToJson(StreamViewName(stream.view));
  json::object out;
  out["eventID"] = ToJson(fmt::format("{:016x}{:016x}", Hash64(arn), record.sequence));
  out["eventName"] = ToJson(EventName(record.kind));
  out["eventVersion"] = "1.1";
  out["eventSource"] = "aws:dynamodb";
  out["awsRegion"] = ToJson(region);
  out["dynamodb"] = std::move(change);
  if (record.by_ttl) {
    json::object identity;
    identity["Type"] = "Service";
    identity["PrincipalId"] = "dynamodb.amazonaws.com";
    out["userIdentity"] = std::move(identity);
  }
  return out;
}

Outcome<Reply> GetRecords(const Context& context, const Fields& in) {
  const std::string text = in.Text("ShardIterator");
  const auto limit = in.Integer("Limit").value_or(kStreamRecordsMax);
  const WallTime now = context.clock.Now();
  MAYFLY_TRY(ShardIterator iterator, ReadIterator(text, now));
  const StreamName& name = iterator.stream;
  MAYFLY_TRY(const StreamDescription stream,
             FindStream(context, StreamArn(context.region, name.table, name.label)));
  if (iterator.sequence < stream.first_sequence) return Trimmed();
  MAYFLY_TRY(const std::vector<StreamRecord> records,
             context.tables.ReadStream(name.table, name.label, iterator.sequence,
                                       static_cast<std::size_t>(limit)));
  json::array written;
  for (const StreamRecord& record : records)
    written.emplace_back(WriteRecord(record, stream, context.region));
  json::object reply;
  reply["Records"] = std::move(written);
  if (!records.empty()) iterator.sequence = records.back().sequence + 1;
  iterator.issued = now;
  // A stream that gets no more records ends here.
  if (stream.enabled || iterator.sequence < stream.next_sequence) {
    reply["NextShardIterator"] = ToJson(WriteIterator(iterator));
  }
  return reply;
}

constexpr std::array kStreamOperations = std::to_array<Operation>({
    {kStreamPrefix, "ListStreams", &kListStreamsShape, ListStreams,
     "Names the streams, of one table or of all.", kReads},
    {kStreamPrefix, "DescribeStream", &kDescribeStreamShape, DescribeStream,
     "Tells what a stream is, and its one shard.", kReads},
    {kStreamPrefix, "GetShardIterator", &kShardIteratorShape, GetShardIterator,
     "Gives a place to read a stream from.", kReads},
    {kStreamPrefix, "GetRecords", &kGetRecordsShape, GetRecords,
     "Reads changes, in their order, and deaths.", kReads},
});

}  // namespace

std::span<const Operation> StreamOperations() { return kStreamOperations; }

}  // namespace mayfly::dynamo
