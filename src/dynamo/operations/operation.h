// operation.h - one operation of the API: its name and its handler.
// A handler reads the request, makes one call of the tables (or a few), and writes the reply, or
// returns a Refusal. Writes of single items are in two parts, so that writes requested together can
// be applied together in between.
#pragma once

#include <string>
#include <string_view>

#include "dynamo/json/fields.h"
#include "dynamo/json/json.h"
#include "dynamo/json/refusal.h"
#include "dynamo/requests/reply.h"
#include "dynamo/requests/write_queue.h"
#include "dynamo/shapes/shape.h"
#include "mayfly/clock.h"
#include "tables/protocol_tables.h"

namespace mayfly::dynamo {

// The prefixes of X-Amz-Target.
inline constexpr std::string_view kTablePrefix = "DynamoDB_20120810";
inline constexpr std::string_view kStreamPrefix = "DynamoDBStreams_20120810";
inline constexpr std::string_view kOwnPrefix = "Mayfly_20261101";

struct Context {
  tables::ProtocolTables& tables;
  const Clock& clock;
  std::string host;    // The Host that the client sent.
  std::string region;  // Of ARNs.
};

// Its effects must be durable before the reply.
inline constexpr bool kWrites = true;
inline constexpr bool kReads = false;

struct Operation {
  std::string_view prefix;
  std::string_view name;
  const Shape* shape;  // Of its request, which is checked before it is read.
  Outcome<Reply> (*handler)(const Context& context, const Fields& in);  // Null: read_write instead.
  std::string_view summary;  // One sentence, for the manual.
  bool writes;
  Outcome<AskedWrite> (*read_write)(const Fields& in) = nullptr;
};

// The second part of a write.
Outcome<Reply> ReplyTo(const tables::ItemWrite& write, Capacity& capacity,
                       Result<WriteOutcome> outcome);

}  // namespace mayfly::dynamo
