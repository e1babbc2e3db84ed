// validation.h - collects the errors of a request's members as DynamoDB does: the first member of a
// wrong type, alone, or else all broken constraints together.
//   2 validation errors detected: Value 'a' at 'tableName' failed to satisfy constraint: Member
//   must have length greater than or equal to 3; Value null at 'key' failed to ...
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dynamo/json/refusal.h"

namespace mayfly::dynamo {

class Validation {
 public:
  // A member of another JSON type. The first counts.
  void Misfit(Refusal refusal);

  // `where` as messages name it: "keySchema.1.member.keyType".
  void Missing(std::string_view where);
  void Length(std::string_view where, std::string_view shown, std::size_t length, std::size_t min,
              std::size_t max);
  void Range(std::string_view where, std::int64_t value, std::int64_t min, std::int64_t max);
  void OneOf(std::string_view where, std::string_view value,
             std::initializer_list<std::string_view> values);
  void Pattern(std::string_view where, std::string_view value, std::string_view pattern);
  // Names of tables and indexes: 3 to 255 of [a-zA-Z0-9_.-]+.
  void Name(std::string_view where, std::string_view value);

  // The errors noted so far, if any.
  Outcome<void> Finish() const;

 private:
  void Add(std::string_view where, std::string_view value, std::string_view constraint);

  std::optional<Refusal> misfit_;
  std::vector<std::string> errors_;
};

}  // namespace mayfly::dynamo
