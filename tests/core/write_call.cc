#include "tests/core/write_call.h"

#include <fmt/format.h>

#include "base/printable.h"

namespace mayfly::core::suite {
namespace {

PutCondition ConditionOf(const WriteCall& call) {
  switch (call.condition) {
    case PutCondition::Kind::kAlways: return PutCondition::Always();
    case PutCondition::Kind::kAbsent: return PutCondition::Absent();
    case PutCondition::Kind::kPresent: return PutCondition::Present();
    case PutCondition::Kind::kEquals: return PutCondition::Equals(call.expected);
  }
  return PutCondition::Always();
}

WriteAnswer AnswerOf(const Result<bool>& result) {
  return {.code = result.status().code(), .flag = result.value_or(false)};
}

WriteAnswer Update(const WriteCall& call, KeyspaceWriter& writer) {
  WriteAnswer answer;
  const auto update = [&](std::optional<Bytes> old) -> std::optional<std::string> {
    if (old) answer.seen = std::string(*old);
    if (call.value.empty()) return std::nullopt;
    return std::string(old.value_or("")) + call.value;
  };
  answer.code = writer.Update(call.key, update, call.lifetime).code();
  return answer;
}

WriteAnswer Touch(const WriteCall& call, KeyspaceWriter& writer) {
  const auto row = writer.Touch(call.key, call.lifetime);
  WriteAnswer answer{.code = row.status().code()};
  if (!row) return answer;
  answer.seen = row->value;
  answer.deadline = row->deadline;
  answer.timestamp = row->timestamp;
  return answer;
}

}  // namespace

WriteAnswer Perform(const WriteCall& call, KeyspaceWriter& writer) {
  switch (call.kind) {
    case WriteCall::Kind::kPut:
      return {.code = writer.Put(call.key, call.value, call.lifetime).code()};
    case WriteCall::Kind::kPutIf:
      return AnswerOf(writer.PutIf(call.key, call.value, ConditionOf(call), call.lifetime));
    case WriteCall::Kind::kDelete: return AnswerOf(writer.Delete(call.key));
    case WriteCall::Kind::kUpdate: return Update(call, writer);
    case WriteCall::Kind::kExpire:
      return AnswerOf(writer.Expire(call.key, call.lifetime, call.deadline_if));
    case WriteCall::Kind::kPersist: return AnswerOf(writer.Persist(call.key));
    case WriteCall::Kind::kTouch: return Touch(call, writer);
    case WriteCall::Kind::kPutAt:
      return AnswerOf(writer.PutAt(call.key, call.value, call.timestamp, call.lifetime));
    case WriteCall::Kind::kDeleteAt: return AnswerOf(writer.DeleteAt(call.key, call.timestamp));
  }
  return {.code = StatusCode::kInternal};
}

std::string Describe(const Lifetime& lifetime) {
  switch (lifetime.kind()) {
    case Lifetime::Kind::kDefault: return "default";
    case Lifetime::Kind::kFor: return fmt::format("for {} ms", lifetime.ttl().count());
    case Lifetime::Kind::kUntil: return fmt::format("until {}", ToMs(lifetime.instant()));
    case Lifetime::Kind::kForever: return "for ever";
    case Lifetime::Kind::kKeep: return "keep";
  }
  return "?";
}

std::string Describe(const WriteCall& call) {
  constexpr const char* kNames[] = {"put",     "put if", "delete", "update",   "expire",
                                    "persist", "touch",  "put at", "delete at"};
  std::string text =
      fmt::format("{} '{}'", kNames[static_cast<int>(call.kind)], Printable(call.key));
  switch (call.kind) {
    case WriteCall::Kind::kPutIf: {
      constexpr const char* kConditions[] = {"always", "absent", "present", "equals"};
      text += fmt::format(" {} '{}'", kConditions[static_cast<int>(call.condition)],
                          Printable(call.expected, 8));
      [[fallthrough]];
    }
    case WriteCall::Kind::kPut:
    case WriteCall::Kind::kUpdate: text += fmt::format(" = '{}'", Printable(call.value, 8)); break;
    case WriteCall::Kind::kExpire: {
      constexpr const char* kConditions[] = {"always", "none", "present", "later", "earlier"};
      text += fmt::format(" {}", kConditions[static_cast<int>(call.deadline_if)]);
      break;
    }
    case WriteCall::Kind::kDeleteAt: return text + fmt::format(" {}", ToMs(call.timestamp));
    case WriteCall::Kind::kPutAt:
      text += fmt::format(" {} = '{}'", ToMs(call.timestamp), Printable(call.value, 8));
      break;
    case WriteCall::Kind::kDelete:
    case WriteCall::Kind::kPersist: return text;
    case WriteCall::Kind::kTouch: break;
  }
  return text + ", " + Describe(call.lifetime);
}

std::string Describe(const WriteAnswer& answer) {
  std::string text(StatusCodeName(answer.code));
  if (answer.flag) text += " true";
  if (answer.seen) text += fmt::format(" '{}'", Printable(*answer.seen, 16));
  if (answer.deadline) text += fmt::format(" until {}", ToMs(*answer.deadline));
  if (answer.timestamp) text += fmt::format(" from {}", ToMs(*answer.timestamp));
  return text;
}

}  // namespace mayfly::core::suite
