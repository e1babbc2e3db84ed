// write_call.h - a write as data: drawn once, then made on a database and on the model.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "mayfly/keyspace.h"

namespace mayfly::core::suite {

struct WriteCall {
  enum class Kind : std::uint8_t {
    kPut,
    kPutIf,
    kDelete,
    kUpdate,
    kExpire,
    kPersist,
    kTouch,
    kPutAt,
    kDeleteAt
  };

  Kind kind = Kind::kPut;
  std::string key = {};
  std::string value = {};  // An update appends it to the row, or deletes when it is empty.
  Lifetime lifetime = Lifetime::Default();
  PutCondition::Kind condition = PutCondition::Kind::kAlways;
  std::string expected = {};
  DeadlineIf deadline_if = DeadlineIf::kAlways;
  WallTime timestamp = {};  // Of kPutAt and kDeleteAt.
};

struct WriteAnswer {
  StatusCode code = StatusCode::kOk;
  bool flag = false;                                // What the call returned, if it was a bool.
  std::optional<std::string> seen = std::nullopt;   // What an update was shown, what a touch read.
  std::optional<WallTime> deadline = std::nullopt;  // Of a touch, and the timestamp.
  std::optional<WallTime> timestamp = std::nullopt;

  friend bool operator==(const WriteAnswer&, const WriteAnswer&) = default;
};

// Makes the call.
WriteAnswer Perform(const WriteCall& call, KeyspaceWriter& writer);

std::string Describe(const WriteCall& call);
std::string Describe(const WriteAnswer& answer);
std::string Describe(const Lifetime& lifetime);

}  // namespace mayfly::core::suite
