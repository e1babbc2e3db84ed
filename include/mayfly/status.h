// status.h - how an operation ended.
// A code says what the caller can do about it, the message says what happened and what to do next.
// Success and a bare NotFound allocate nothing, so a miss costs no more than a hit.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace mayfly {

// Reaches the C ABI and the wire; append, never renumber.
enum class StatusCode : std::uint8_t {
  kOk = 0,
  kNotFound = 1,      // No such row: never written, deleted or dead. These cannot be told apart.
  kInvalid = 2,       // The call is wrong as made; repeating it cannot help.
  kWrongType = 3,     // The row holds another type than the operation needs.
  kConflict = 4,      // Another writer was faster, or a condition does not hold: reread, retry now.
  kBusy = 5,          // Held by another caller or process: retry later.
  kCrossSlot = 6,     // The engine is atomic within one slot and this would span several.
  kReadOnly = 7,      // Opened for reading; open for writing to change it.
  kCorruption = 8,    // Stored bytes are damaged. Stop and restore; nothing was guessed.
  kIoError = 9,       // The machine refused: disk full, permission, device.
  kUnsupported = 10,  // Not offered by this build, engine or format.
  kInternal = 11,     // A fault of mayfly's own. Please report it.
  kWrongPassword = 12,  // The database is encrypted, and the password is missing or wrong.
};

// The code's name as users read it, for example "NotFound".
std::string_view StatusCodeName(StatusCode code);

class [[nodiscard]] Status {
 public:
  Status() = default;  // Ok.
  Status(StatusCode code, std::string message);

  Status(const Status& other);
  Status& operator=(const Status& other);
  Status(Status&&) noexcept = default;
  Status& operator=(Status&&) noexcept = default;
  ~Status() = default;

  static Status Ok() { return {}; }
  static Status NotFound() { return Status(StatusCode::kNotFound); }
  static Status NotFound(std::string m) { return {StatusCode::kNotFound, std::move(m)}; }
  static Status Invalid(std::string m) { return {StatusCode::kInvalid, std::move(m)}; }
  static Status WrongType(std::string m) { return {StatusCode::kWrongType, std::move(m)}; }
  static Status Conflict(std::string m) { return {StatusCode::kConflict, std::move(m)}; }
  static Status Busy(std::string m) { return {StatusCode::kBusy, std::move(m)}; }
  static Status CrossSlot(std::string m) { return {StatusCode::kCrossSlot, std::move(m)}; }
  static Status ReadOnly(std::string m) { return {StatusCode::kReadOnly, std::move(m)}; }
  static Status Corruption(std::string m) { return {StatusCode::kCorruption, std::move(m)}; }
  static Status IoError(std::string m) { return {StatusCode::kIoError, std::move(m)}; }
  static Status Unsupported(std::string m) { return {StatusCode::kUnsupported, std::move(m)}; }
  static Status Internal(std::string m) { return {StatusCode::kInternal, std::move(m)}; }
  static Status WrongPassword(std::string m) { return {StatusCode::kWrongPassword, std::move(m)}; }

  bool ok() const { return code_ == StatusCode::kOk; }
  bool IsNotFound() const { return code_ == StatusCode::kNotFound; }
  StatusCode code() const { return code_; }
  std::string_view message() const;

  // "Busy: the message", for logs and tests.
  std::string ToString() const;

  // Compares codes only: a caller acts on the code, not on the message.
  friend bool operator==(const Status& a, const Status& b) { return a.code_ == b.code_; }

 private:
  explicit Status(StatusCode code) : code_(code) {}

  StatusCode code_ = StatusCode::kOk;
  std::unique_ptr<const std::string> message_;  // Null when there is nothing to say.
};

}  // namespace mayfly

#define MAYFLY_CONCAT_INNER(a, b) a##b
#define MAYFLY_CONCAT(a, b) MAYFLY_CONCAT_INNER(a, b)

// Returns the Status of `...` unless it is ok. A lambda in `...` may use the macro, too.
#define MAYFLY_RETURN_IF_ERROR(...) \
  MAYFLY_RETURN_IF_ERROR_INNER(MAYFLY_CONCAT(mayfly_status_, __COUNTER__), __VA_ARGS__)
#define MAYFLY_RETURN_IF_ERROR_INNER(temporary, ...)                   \
  do {                                                                 \
    if (::mayfly::Status temporary = (__VA_ARGS__); !temporary.ok()) { \
      return temporary;                                                \
    }                                                                  \
  } while (false)
