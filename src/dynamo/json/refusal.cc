#include "dynamo/json/refusal.h"

#include <fmt/format.h>

#include <array>

namespace mayfly::dynamo {
namespace {

struct KindLine {
  ErrorKind kind;
  int http_status;
  std::string_view type;
  std::string_view message_name;  // AWS uses two spellings.
};

// One line per kind, in the order of ErrorKind.
// clang-format off
constexpr std::array kKinds = std::to_array<KindLine>({
    {ErrorKind::kValidation, 400,
     "com.amazon.coral.validate#ValidationException", "message"},
    {ErrorKind::kSerialization, 400,
     "com.amazon.coral.service#SerializationException", "Message"},
    {ErrorKind::kUnknownOperation, 400,
     "com.amazon.coral.service#UnknownOperationException", "message"},
    {ErrorKind::kMissingAuthenticationToken, 400,
     "com.amazon.coral.service#MissingAuthenticationTokenException", "message"},
    {ErrorKind::kIncompleteSignature, 400,
     "com.amazon.coral.service#IncompleteSignatureException", "message"},
    {ErrorKind::kInvalidSignature, 400,
     "com.amazon.coral.service#InvalidSignatureException", "message"},
    {ErrorKind::kUnrecognizedClient, 400,
     "com.amazon.coral.service#UnrecognizedClientException", "message"},
    {ErrorKind::kAccessDenied, 400,
     "com.amazon.coral.service#AccessDeniedException", "Message"},
    {ErrorKind::kRequestTooLarge, 413,
     "com.amazon.coral.service#RequestEntityTooLargeException", "message"},
    {ErrorKind::kUnavailable, 503,
     "com.amazon.coral.service#ServiceUnavailableException", "message"},
    {ErrorKind::kResourceNotFound, 400,
     "com.amazonaws.dynamodb.v20120810#ResourceNotFoundException", "message"},
    {ErrorKind::kResourceInUse, 400,
     "com.amazonaws.dynamodb.v20120810#ResourceInUseException", "message"},
    {ErrorKind::kTableNotFound, 400,
     "com.amazonaws.dynamodb.v20120810#TableNotFoundException", "message"},
    {ErrorKind::kLimitExceeded, 400,
     "com.amazonaws.dynamodb.v20120810#LimitExceededException", "message"},
    {ErrorKind::kConditionalCheckFailed, 400,
     "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException", "message"},
    {ErrorKind::kDuplicateItem, 400,
     "com.amazonaws.dynamodb.v20120810#DuplicateItemException", "message"},
    {ErrorKind::kTransactionCanceled, 400,
     "com.amazonaws.dynamodb.v20120810#TransactionCanceledException", "Message"},
    {ErrorKind::kTransactionConflict, 400,
     "com.amazonaws.dynamodb.v20120810#TransactionConflictException", "message"},
    {ErrorKind::kIdempotentParameterMismatch, 400,
     "com.amazonaws.dynamodb.v20120810#IdempotentParameterMismatchException", "Message"},
    {ErrorKind::kExpiredIterator, 400,
     "com.amazonaws.dynamodb.v20120810#ExpiredIteratorException", "message"},
    {ErrorKind::kTrimmedDataAccess, 400,
     "com.amazonaws.dynamodb.v20120810#TrimmedDataAccessException", "message"},
    {ErrorKind::kInternal, 500,
     "com.amazonaws.dynamodb.v20120810#InternalServerError", "message"},
});
// clang-format on

constexpr bool InOrder() {
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    if (static_cast<std::size_t>(kKinds[i].kind) != i) return false;
  }
  return kKinds.size() == static_cast<std::size_t>(ErrorKind::kInternal) + 1;
}
static_assert(InOrder());

const KindLine& LineOf(ErrorKind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

// Chosen by what a client can do about it; the message is the Status's.
ErrorKind KindOf(StatusCode code) {
  switch (code) {
    case StatusCode::kNotFound: return ErrorKind::kResourceNotFound;
    case StatusCode::kInvalid:
    case StatusCode::kWrongType:
    case StatusCode::kCrossSlot:
    case StatusCode::kUnsupported: return ErrorKind::kValidation;
    case StatusCode::kConflict: return ErrorKind::kTransactionConflict;
    case StatusCode::kBusy: return ErrorKind::kResourceInUse;
    case StatusCode::kReadOnly: return ErrorKind::kAccessDenied;
    case StatusCode::kOk:
    case StatusCode::kCorruption:
    case StatusCode::kIoError:
    case StatusCode::kInternal:
    case StatusCode::kWrongPassword: return ErrorKind::kInternal;
  }
  return ErrorKind::kInternal;
}

}  // namespace

int Refusal::http_status() const { return LineOf(kind_).http_status; }
std::string_view Refusal::type() const { return LineOf(kind_).type; }

json::object Refusal::Body() const {
  json::object body;
  body["__type"] = ToJson(type());
  if (!message_.empty()) body[ToJson(LineOf(kind_).message_name)] = ToJson(message_);
  for (const auto& [name, value] : extra_) body[name] = value;
  return body;
}

Refusal Invalid(std::string message) { return {ErrorKind::kValidation, std::move(message)}; }

Refusal InvalidParameter(std::string_view what) {
  return Invalid(fmt::format("One or more parameter values were invalid: {}", what));
}

Refusal Mistyped(std::string message) { return {ErrorKind::kSerialization, std::move(message)}; }

Refusal FromStatus(const Status& status) {
  return {KindOf(status.code()), std::string(status.message())};
}

}  // namespace mayfly::dynamo
