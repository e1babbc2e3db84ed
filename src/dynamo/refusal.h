// refusal.h - why an operation is refused, in the words and with the names of DynamoDB.
// What is wrong with a request ends it wherever it is found, some calls below its handler: a
// Refusal is thrown there and caught in one place, Service::Answer().
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "dynamo/json.h"
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
  kResourceNotFound,
  kResourceInUse,
  kTableNotFound,
  kLimitExceeded,
  kConditionalCheckFailed,
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

  int http_status() const;
  std::string_view type() const;  // "com.amazonaws.dynamodb.v20120810#ResourceNotFoundException".

  // {"__type": ..., "message": ...} and what else belongs to it.
  json::object Body() const;

 private:
  ErrorKind kind_;
  std::string message_;
  json::object extra_;
};

// A ValidationException.
Refusal Invalid(std::string message);

// What a Status of the tables means to a client.
Refusal FromStatus(const Status& status);

// The value, or throws what the Status means.
template <typename T>
T Must(Result<T> result) {
  if (!result) throw FromStatus(result.error());
  return *std::move(result);
}
inline void Must(const Status& status) {
  if (!status.ok()) throw FromStatus(status);
}

}  // namespace mayfly::dynamo
