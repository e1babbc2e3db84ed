#include "wire/request_parser.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "wire/decimal.h"
#include "wire/inline_command.h"

namespace mayfly {
namespace {

// Redis' words, which clients and tests match.
constexpr Bytes TextOf(RequestError error) {
  switch (error) {
    case RequestError::kNone: return "";
    case RequestError::kInvalidMultibulkLength:
      return "ERR Protocol error: invalid multibulk length";
    case RequestError::kInvalidBulkLength: return "ERR Protocol error: invalid bulk length";
    case RequestError::kExpectedDollar: return "ERR Protocol error: expected '$', got '?'";
    case RequestError::kTooBigInline: return "ERR Protocol error: too big inline request";
    case RequestError::kTooBigMultibulkCount:
      return "ERR Protocol error: too big mbulk count string";
    case RequestError::kTooBigBulkCount: return "ERR Protocol error: too big bulk count string";
    case RequestError::kUnbalancedQuotes: return "ERR Protocol error: unbalanced quotes in request";
    case RequestError::kUnauthenticatedMultibulk:
      return "ERR Protocol error: unauthenticated multibulk length";
    case RequestError::kUnauthenticatedBulk:
      return "ERR Protocol error: unauthenticated bulk length";
    case RequestError::kCommandTooBig: return "";
  }
  return "";
}

constexpr int kFastDigits = 9;  // Fewer than could overflow, and enough for nearly every count.

// Reads `marker`, one to nine digits without a leading zero, '\r' and one more byte. Returns the
// end, or null when the line is longer, incomplete or wrong: then the slow path decides.
inline const char* ReadUsualNumber(const char* at, const char* end, char marker,
                                   std::int64_t& value) {
  if (end - at < 4 || at[0] != marker) return nullptr;
  const char* const digits_end = end - at > kFastDigits + 3 ? at + 1 + kFastDigits : end - 2;
  const char* digit = at + 1;
  std::int64_t read = 0;
  for (; digit != digits_end; ++digit) {
    const auto d = static_cast<unsigned>(*digit) - '0';
    if (d > 9) break;
    read = read * 10 + d;
  }
  if (*digit != '\r' || digit == at + 1) return nullptr;
  if (at[1] == '0' && digit != at + 2) return nullptr;
  value = read;
  return digit + 2;
}

}  // namespace

RequestParser::RequestParser(const RequestLimits& limits) : limits_(limits) {
  MAYFLY_CHECK(limits.line_bytes_max >= kLineBytesMin, "lines too short for a count");
}

std::span<char> RequestParser::Prepare(std::size_t bytes_min) {
  if (given_out_) Forget();
  const std::size_t size = buffer_.size();
  const std::size_t missing = needed_bytes_ > size ? needed_bytes_ - size : 0;
  const auto before = reinterpret_cast<std::uintptr_t>(buffer_.data());
  bytes_min = std::max(bytes_min, std::size_t{1});
  if (buffer_.room() < std::max(bytes_min, std::min(missing, kAnnouncedBytesMax))) {
    buffer_.Reserve(std::max(bytes_min, std::min(missing, std::max(kAnnouncedBytesMax, size))));
  }
  if (!args_.empty() && reinterpret_cast<std::uintptr_t>(buffer_.data()) != before) {
    for (Bytes& arg : args_) {
      arg = Bytes(buffer_.data() + (reinterpret_cast<std::uintptr_t>(arg.data()) - before),
                  arg.size());
    }
  }
  return {buffer_.data() + size, buffer_.room()};
}

void RequestParser::Feed(Bytes bytes) {
  if (bytes.empty()) return;
  std::memcpy(Prepare(bytes.size()).data(), bytes.data(), bytes.size());
  Commit(bytes.size());
}

RequestParser::Outcome RequestParser::Next() {
  if (error_ != RequestError::kNone) return Outcome::kError;
  if (given_out_) Forget();
  needed_bytes_ = 0;
  while (!buffer_.empty()) {
    switch (ReadOn()) {
      case Step::kCommand: return Outcome::kCommand;
      case Step::kNothing: continue;
      case Step::kFailed: return Outcome::kError;
      case Step::kShort:
        if (buffer_.size() <= limits_.command_bytes_max) return Outcome::kNeedMore;
        Fail(RequestError::kCommandTooBig);
        return Outcome::kError;
    }
  }
  return Outcome::kNeedMore;
}

RequestParser::Step RequestParser::ReadOn() {
  if (args_left_ > 0) return ReadArguments();
  return *buffer_.data() == '*' ? ReadMultibulk() : ReadInline();
}

RequestParser::Step RequestParser::ReadInline() {
  std::size_t line_bytes = 0;
  const Step found = FindLineEnd('\n', RequestError::kTooBigInline, line_bytes);
  if (found != Step::kCommand) return found;
  char* const line = buffer_.data();
  position_ = line_bytes + 1;
  if (line_bytes > 0 && line[line_bytes - 1] == '\r') --line_bytes;
  if (!SplitInlineCommand(line, line + line_bytes, args_)) {
    return Fail(RequestError::kUnbalancedQuotes);
  }
  return Finish();
}

RequestParser::Step RequestParser::ReadMultibulk() {
  std::int64_t count = 0;
  Step step = ReadNumber('*', count);
  if (step == Step::kCommand) step = CheckMultibulkLength(count);
  if (step != Step::kCommand) return step;
  if (count <= 0) return Finish();
  args_left_ = count;
  return ReadArguments();
}

RequestParser::Step RequestParser::ReadArguments() {
  while (args_left_ > 0) {
    if (bulk_bytes_ < 0) {
      ReadUsualArguments();
      if (args_left_ == 0) break;
      std::int64_t bytes = 0;
      Step step = ReadNumber('$', bytes);
      if (step == Step::kCommand) step = CheckBulkLength(bytes);
      if (step != Step::kCommand) return step;
      bulk_bytes_ = bytes;
    }
    const auto bytes = static_cast<std::size_t>(bulk_bytes_);
    if (buffer_.size() - position_ < bytes + 2) {
      needed_bytes_ = position_ + bytes + 2;
      return Step::kShort;
    }
    args_.emplace_back(buffer_.data() + position_, bytes);
    position_ += bytes + 2;
    bulk_bytes_ = -1;
    --args_left_;
  }
  return Finish();
}

// Fast path: takes arguments as long as they are complete and within the limits, with its state in
// registers. Leaves the first other one to the slow path, which reports errors.
inline void RequestParser::ReadUsualArguments() {
  const std::int64_t bytes_max =
      unauthenticated_ ? std::min(limits_.bulk_bytes_max, limits_.unauthenticated_bulk_bytes_max)
                       : limits_.bulk_bytes_max;
  const char* const front = buffer_.data();
  const char* const end = front + buffer_.size();
  const char* at = front + position_;
  std::int64_t left = args_left_;
  for (; left > 0; --left) {
    std::int64_t bytes = 0;
    const char* const arg = ReadUsualNumber(at, end, '$', bytes);
    if (arg == nullptr || bytes > bytes_max || end - arg < bytes + 2) break;
    args_.emplace_back(arg, static_cast<std::size_t>(bytes));
    at = arg + bytes + 2;
  }
  if (left == args_left_) return;
  args_left_ = left;
  position_ = static_cast<std::size_t>(at - front);
  scanned_ = 0;
}

// kCommand here means: the line is complete, `value` is its number, position_ is behind it.
inline RequestParser::Step RequestParser::ReadNumber(char marker, std::int64_t& value) {
  const char* const front = buffer_.data();
  const char* const behind =
      ReadUsualNumber(front + position_, front + buffer_.size(), marker, value);
  if (behind == nullptr) [[unlikely]] {
    return ReadNumberSlowly(marker, value);
  }
  position_ = static_cast<std::size_t>(behind - front);
  scanned_ = 0;
  return Step::kCommand;
}

RequestParser::Step RequestParser::ReadNumberSlowly(char marker, std::int64_t& value) {
  const bool list = marker == '*';
  std::size_t line_bytes = 0;
  const Step found =
      FindLineEnd('\r', list ? RequestError::kTooBigMultibulkCount : RequestError::kTooBigBulkCount,
                  line_bytes);
  if (found != Step::kCommand) return found;
  const Bytes line = buffer_.view().substr(position_, line_bytes);
  position_ += line_bytes + 2;
  if (!line.starts_with(marker)) {
    const char got = line.empty() ? '\r' : line.front();
    return Fail(RequestError::kExpectedDollar, got == '\r' || got == '\n' ? ' ' : got);
  }
  if (!ReadInteger(line.substr(1), value)) {
    return Fail(list ? RequestError::kInvalidMultibulkLength : RequestError::kInvalidBulkLength);
  }
  return Step::kCommand;
}

inline RequestParser::Step RequestParser::CheckMultibulkLength(std::int64_t count) {
  if (count > limits_.args_max) return Fail(RequestError::kInvalidMultibulkLength);
  if (unauthenticated_ && count > limits_.unauthenticated_args_max) {
    return Fail(RequestError::kUnauthenticatedMultibulk);
  }
  return Step::kCommand;
}

inline RequestParser::Step RequestParser::CheckBulkLength(std::int64_t bytes) {
  if (bytes < 0 || bytes > limits_.bulk_bytes_max) return Fail(RequestError::kInvalidBulkLength);
  if (unauthenticated_ && bytes > limits_.unauthenticated_bulk_bytes_max) {
    return Fail(RequestError::kUnauthenticatedBulk);
  }
  return Step::kCommand;
}

// Searches for `terminator` within line_bytes_max bytes and before a zero byte. A line that ends in
// '\r' is complete with one more byte.
RequestParser::Step RequestParser::FindLineEnd(char terminator, RequestError too_big,
                                               std::size_t& line_bytes) {
  const Bytes all = buffer_.view().substr(position_);
  const Bytes window = all.substr(0, limits_.line_bytes_max + 1);
  std::size_t end = window.find(terminator, scanned_);
  const std::size_t zero = window.substr(0, end).find('\0', scanned_);
  if (zero != Bytes::npos) {
    scanned_ = zero;  // The next call finds it at once.
    end = Bytes::npos;
  } else {
    scanned_ = std::min(end, window.size());
  }
  if (end == Bytes::npos) {
    if (all.size() <= limits_.line_bytes_max) return Step::kShort;
    position_ += limits_.line_bytes_max + 1;
    return Fail(too_big);
  }
  if (terminator == '\r' && end + 1 == all.size()) return Step::kShort;
  scanned_ = 0;
  line_bytes = end;
  return Step::kCommand;
}

// Ends the command, or a line that was none.
inline RequestParser::Step RequestParser::Finish() {
  if (position_ > limits_.command_bytes_max) return Fail(RequestError::kCommandTooBig);
  buffer_.Consume(position_);
  position_ = 0;
  if (args_.empty()) return Step::kNothing;
  given_out_ = true;
  return Step::kCommand;
}

// position_ is behind the bytes that show the error. If those are more than a command may have,
// that is the error: bytes that come one by one pass the limit before they show anything else.
RequestParser::Step RequestParser::Fail(RequestError error, char got) {
  error_ = position_ > limits_.command_bytes_max ? RequestError::kCommandTooBig : error;
  error_text_ = TextOf(error_);
  if (error_ == RequestError::kExpectedDollar) error_text_[error_text_.size() - 2] = got;
  args_.clear();
  return Step::kFailed;
}

void RequestParser::Forget() {
  given_out_ = false;
  args_.clear();
  if (args_.capacity() > kArgsKeptMax) args_ = std::vector<Bytes>();
}

void RequestParser::Release() {
  if (given_out_) Forget();
  buffer_.Release();
  if (args_.empty()) args_ = std::vector<Bytes>();
}

}  // namespace mayfly
