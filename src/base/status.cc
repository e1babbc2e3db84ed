#include "mayfly/status.h"

namespace mayfly {

std::string_view StatusCodeName(StatusCode code) {
  switch (code) {
    case StatusCode::kOk: return "Ok";
    case StatusCode::kNotFound: return "NotFound";
    case StatusCode::kInvalid: return "Invalid";
    case StatusCode::kWrongType: return "WrongType";
    case StatusCode::kConflict: return "Conflict";
    case StatusCode::kBusy: return "Busy";
    case StatusCode::kCrossSlot: return "CrossSlot";
    case StatusCode::kReadOnly: return "ReadOnly";
    case StatusCode::kCorruption: return "Corruption";
    case StatusCode::kIoError: return "IoError";
    case StatusCode::kUnsupported: return "Unsupported";
    case StatusCode::kInternal: return "Internal";
    case StatusCode::kWrongPassword: return "WrongPassword";
  }
  return "Unknown";
}

Status::Status(StatusCode code, std::string message)
    : code_(code),
      message_(message.empty() ? nullptr
                               : std::make_unique<const std::string>(std::move(message))) {}

Status::Status(const Status& other)
    : code_(other.code_),
      message_(other.message_ ? std::make_unique<const std::string>(*other.message_) : nullptr) {}

Status& Status::operator=(const Status& other) {
  if (this != &other) *this = Status(other);
  return *this;
}

std::string_view Status::message() const {
  return message_ ? std::string_view(*message_) : std::string_view();
}

std::string Status::ToString() const {
  std::string text(StatusCodeName(code_));
  if (message_) text.append(": ").append(*message_);
  return text;
}

}  // namespace mayfly
