// refusal.h - why an operation is refused, in the words and with the names of DynamoDB.
// A Refusal is an ordinary outcome, so it is returned like one: an Outcome<T> is to it what a
// Result is to a Status. Nothing is thrown; where a library throws, it is caught at that call.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "dynamo/json/json.h"
#include "mayfly/result.h"
#include "mayfly/status.h"

namespace mayfly::dynamo {

enum class ErrorKind : std::uint8_t {
  kValidation,
  kSerialization,
  kUnknownOperation,
  kMissingAuthenticationToken,
  kIncompleteSignature,
  kInvalidSignature,
  kUnrecognizedClient,
  kAccessDenied,
  kRequestTooLarge,
  kUnavailable,
  kResourceNotFound,
  kResourceInUse,
  kTableNotFound,
  kLimitExceeded,
  kConditionalCheckFailed,
  kDuplicateItem,
  kTransactionCanceled,
  kTransactionConflict,
  kIdempotentParameterMismatch,
  kExpiredIterator,
  kTrimmedDataAccess,
  kInternal,
};

class Refusal {
 public:
  Refusal(ErrorKind kind, std::string message, json::object extra = {})
      : kind_(kind), message_(std::move(message)), extra_(std::move(extra)) {}

  ErrorKind kind() const { return kind_; }
  const std::string& message() const { return message_; }
  const json::object& extra() const { return extra_; }

  int http_status() const;
  std::string_view type() const;  // "com.amazonaws.dynamodb.v20120810#ResourceNotFoundException".

  // {"__type": ..., "message": ...} and further members of its kind.
  json::object Body() const;

 private:
  ErrorKind kind_;
  std::string message_;
  json::object extra_;
};

// A ValidationException.
Refusal Invalid(std::string message);
// The same, with DynamoDB's common prefix.
Refusal InvalidParameter(std::string_view what);
// A SerializationException: a value of another JSON type than was expected.
Refusal Mistyped(std::string message);

// The refusal that a Status of the tables means to a client.
Refusal FromStatus(const Status& status);

// A T or a Refusal. A Status is converted to its Refusal, so MAYFLY_TRY takes Results of the tables
// and Outcomes alike.
template <typename T>
class [[nodiscard]] Outcome {
 public:
  // Implicit, as Result's are; and not for an Outcome, as it says.
  // NOLINTBEGIN(google-explicit-constructor, bugprone-forwarding-reference-overload)
  template <typename U = T>
  requires std::is_convertible_v<U&&, T> &&
      (!std::is_same_v<std::remove_cvref_t<U>, Outcome>)Outcome(U&& value)
      : state_(std::in_place_index<0>, std::forward<U>(value)) {}
  Outcome(Refusal refusal) : state_(std::in_place_index<1>, std::move(refusal)) {}
  Outcome(const Status& status) : Outcome(FromStatus(status)) {}
  Outcome(Result<T> result)
      : Outcome(result ? Outcome(*std::move(result)) : Outcome(result.error())) {}
  // NOLINTEND(google-explicit-constructor, bugprone-forwarding-reference-overload)

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  T& operator*() & { return std::get<0>(state_); }
  const T& operator*() const& { return std::get<0>(state_); }
  T&& operator*() && { return std::get<0>(std::move(state_)); }
  T* operator->() { return std::get_if<0>(&state_); }
  const T* operator->() const { return std::get_if<0>(&state_); }

  const Refusal& error() const& { return std::get<1>(state_); }
  Refusal&& error() && { return std::get<1>(std::move(state_)); }

 private:
  std::variant<T, Refusal> state_;
};

// Success or a Refusal.
template <>
class [[nodiscard]] Outcome<void> {
 public:
  Outcome() = default;
  // NOLINTBEGIN(google-explicit-constructor)
  Outcome(Refusal refusal) : refusal_(std::move(refusal)) {}
  Outcome(const Status& status) {
    if (!status.ok()) refusal_ = FromStatus(status);
  }
  // NOLINTEND(google-explicit-constructor)

  bool has_value() const { return !refusal_.has_value(); }
  const Refusal& error() const& { return *refusal_; }
  Refusal&& error() && { return *std::move(refusal_); }

 private:
  std::optional<Refusal> refusal_;
};

}  // namespace mayfly::dynamo

// MAYFLY_REQUIRE(in.Check()); returns the Refusal of `...`, if it is one.
#define MAYFLY_REQUIRE(...)                                                                \
  do {                                                                                     \
    if (::mayfly::dynamo::Outcome<void> required = (__VA_ARGS__); !required.has_value()) { \
      return std::move(required).error();                                                  \
    }                                                                                      \
  } while (false)
