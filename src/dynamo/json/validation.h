// validation.h - collects the broken constraints of a request as DynamoDB does, for one message:
//   2 validation errors detected: Value 'a' at 'tableName' failed to satisfy constraint: Member
//   must have length greater than or equal to 3; Value null at 'key' failed to ...
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dynamo/json/refusal.h"

namespace mayfly::dynamo {

// Of tables and indexes: 3 to 255 of [a-zA-Z0-9_.-]+.
bool IsTableName(std::string_view name);

class Validation {
 public:
  // `where` as messages name it: "keySchema.1.member.keyType".
  void Missing(std::string_view where);
  void Length(std::string_view where, std::string_view shown, std::size_t length, std::size_t min,
              std::size_t max);
  void Range(std::string_view where, std::int64_t value, std::int64_t min, std::int64_t max);
  // For a value that is none of them.
  void OneOf(std::string_view where, std::string_view value,
             std::span<const std::string_view> values);
  void Pattern(std::string_view where, std::string_view value, std::string_view pattern);
  // Of a table or index: its characters; and its length, too.
  void NamePattern(std::string_view where, std::string_view value);
  void Name(std::string_view where, std::string_view value);
  // For a map one of whose keys is no name of a table; one of whose lists is empty or too long.
  void MapKeys(std::string_view where, std::string_view shown);
  void MapValues(std::string_view where, std::string_view shown, std::size_t max);

  // The errors noted so far, if any.
  Outcome<void> Finish() const;

 private:
  void Add(std::string_view where, std::string_view value, std::string_view constraint);

  std::vector<std::string> errors_;
};

}  // namespace mayfly::dynamo
