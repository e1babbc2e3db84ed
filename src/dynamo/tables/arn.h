// arn.h - Amazon's resource names: arn:aws:dynamodb:mayfly:000000000000:table/orders.
#pragma once

#include <string>
#include <string_view>

#include "dynamo/json/refusal.h"

namespace mayfly::dynamo {

// The region of all tables, as clients see it, unless another one is set.
inline constexpr std::string_view kDefaultRegion = "mayfly";

std::string TableArn(std::string_view region, std::string_view table);
std::string IndexArn(std::string_view region, std::string_view table, std::string_view index);
std::string StreamArn(std::string_view region, std::string_view table, std::string_view label);

struct StreamName {
  std::string table;
  std::string label;
};

// Refused: it names no stream, or no table.
Outcome<StreamName> ReadStreamArn(std::string_view arn);
Outcome<std::string> ReadTableArn(std::string_view arn);

}  // namespace mayfly::dynamo
