// answer.h - how a command ended: its reply is written, or an error goes to the client instead.
// Handlers return an Answer. A Status becomes an error line by its code and message; errors with a
// code word of their own are made with Error(). Wording: errors.h.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "mayfly/status.h"

namespace mayfly::server {

class [[nodiscard]] Answer {
 public:
  Answer() = default;  // The reply is written.

  // Implicit, so that a handler can return the Status of a call it made. WrongType gets Redis'
  // words; every other Status becomes "ERR " and its message.
  Answer(const Status& status);  // NOLINT(google-explicit-constructor)

  // A whole error line, such as "NOSCRIPT No matching script. Please use EVAL.".
  static Answer Error(std::string line) { return Answer(std::move(line)); }

  // No reply yet: Call::host was asked to block, or replies by itself.
  static Answer Later() {
    Answer answer;
    answer.later_ = true;
    return answer;
  }

  // The reply is written and is an error, but the writes of the command stay: so a script may end.
  // `line` is for the statistics; empty if the error was counted where it first occurred.
  static Answer FailedReply(std::string line) {
    Answer answer;
    answer.failed_reply_ = std::make_unique<std::string>(std::move(line));
    return answer;
  }

  bool ok() const { return error_ == nullptr; }
  bool failed() const { return error_ != nullptr || failed_reply_ != nullptr; }

  // The error line of a failed command, for statistics; may be empty.
  const std::string& failure() const { return error_ != nullptr ? *error_ : *failed_reply_; }
  bool later() const { return later_; }
  const std::string& error() const { return *error_; }

 private:
  explicit Answer(std::string line) : error_(std::make_unique<std::string>(std::move(line))) {}

  std::unique_ptr<std::string> error_;
  std::unique_ptr<std::string> failed_reply_;
  bool later_ = false;
};

}  // namespace mayfly::server
