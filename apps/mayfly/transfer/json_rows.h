// json_rows.h - one row as a JSON object, both ways: the lines of `mayfly export`.
//   a string      {"key":"session:7","deadline":1893456000000,"value":"alice"}
//   a collection  {"key":"cart:7","deadline":null,"type":"hash","members":[...]}
// Each member is an object:
//   hash   {"name":"user","value":"alice","deadline":null}      its own deadline
//   list   {"value":"alice"}, in the order of the list
//   set    {"name":"alice"}
//   zset   {"name":"alice","score":1}; a score that is no whole number is text: "0.5", "-inf"
// Without a deadline null, or left out. Bytes that are not UTF-8 are in Base64, under key_base64,
// name_base64 and value_base64. Errors are Invalid and say what is wrong, not where.
#pragma once

#include <string>
#include <string_view>

#include "apps/mayfly/target/target.h"

namespace mayfly::app {

// Without a line break.
std::string JsonOf(const TargetRow& row);

Result<TargetRow> RowFromJson(std::string_view text);

// Milliseconds since the epoch, or an instant such as 2030-01-01T12:00:00Z. What is probably meant
// in seconds is refused: a server would take it for long past.
Result<WallTime> DeadlineFrom(const std::string& text);

Result<std::string> BytesFromBase64(std::string_view text);

}  // namespace mayfly::app
