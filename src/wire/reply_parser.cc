#include "wire/reply_parser.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/printable.h"
#include "base/text.h"
#include "wire/decimal.h"

namespace mayfly {
namespace {

using Kind = Reply::Kind;

constexpr std::size_t kLineBreakBytes = 2;
constexpr std::size_t kVerbatimPrefixBytes = 4;  // "txt:"

Status Malformed(const char* what, Bytes line) {
  return Status::Corruption(std::string("not a reply: ") + what + " in '" + Printable(line) + "'");
}

Status TooMuch(const char* what) {
  return Status::Invalid(std::string("the reply passes the limit of ") + what +
                         "; raise ReplyLimits if it is wanted");
}

bool IsBigNumber(Bytes text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return !text.empty() && std::all_of(text.begin(), text.end(), IsDigit);
}

// An integer with RESP3's optional '+'.
bool ReadSigned(Bytes text, std::int64_t& value) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  return ReadInteger(text, value);
}

}  // namespace

Result<std::optional<Reply>> ReplyParser::Next() {
  if (!error_.ok()) return error_;
  Result<std::optional<Reply>> reply = ReadReply();
  if (!reply) error_ = reply.error();
  return reply;
}

Result<std::optional<Reply>> ReplyParser::ReadReply() {
  while (true) {
    Reply value;
    MAYFLY_TRY(const Step step, payload_kind_ ? ReadPayload(value) : ReadOne(value));
    if (step == Step::kShort) return std::optional<Reply>();
    if (step == Step::kOpened) continue;
    std::optional<Reply> whole = Close(std::move(value));
    if (whole) return whole;
  }
}

// Reads one line and its value. kOpened: more must follow before there is a value.
Result<ReplyParser::Step> ReplyParser::ReadOne(Reply& value) {
  MAYFLY_TRY(const std::optional<Bytes> taken, TakeLine());
  if (!taken) return Step::kShort;
  if (taken->empty()) return Malformed("an empty line", *taken);
  if (++values_ > limits_.values_max) return TooMuch("values");
  const char marker = taken->front();
  const Bytes line = taken->substr(1);
  switch (marker) {
    case '+': return ReadText(Kind::kSimpleString, line, value);
    case '-': return ReadText(Kind::kError, line, value);
    case '(': return ReadText(Kind::kBigNumber, line, value);
    case ':': return ReadText(Kind::kInteger, line, value);
    case ',': return ReadText(Kind::kDouble, line, value);
    case '#': return ReadText(Kind::kBoolean, line, value);
    case '_': return ReadText(Kind::kNull, line, value);
    case '$': return BeginBulk(Kind::kBulk, line, value);
    case '!': return BeginBulk(Kind::kBulkError, line, value);
    case '=': return BeginBulk(Kind::kVerbatim, line, value);
    case '*':
    case '~':
    case '>':
    case '%':
    case '|': return BeginAggregate(marker, line, value);
    default: return Malformed("an unknown type", *taken);
  }
}

// Values that consist of a line.
Result<ReplyParser::Step> ReplyParser::ReadText(Kind kind, Bytes line, Reply& value) {
  std::int64_t integer = 0;
  double number = 0;
  switch (kind) {
    case Kind::kInteger:
      if (!ReadSigned(line, integer)) return Malformed("a bad integer", line);
      value = Reply::Integer(integer);
      return Step::kValue;
    case Kind::kDouble:
      if (!ReadDouble(line, number)) return Malformed("a bad double", line);
      value = Reply::Double(number);
      return Step::kValue;
    case Kind::kBoolean:
      if (line != "t" && line != "f") return Malformed("a bad boolean", line);
      value = Reply::Boolean(line == "t");
      return Step::kValue;
    case Kind::kNull:
      if (!line.empty()) return Malformed("a bad null", line);
      value = Reply::Null();
      return Step::kValue;
    case Kind::kBigNumber:
      if (!IsBigNumber(line)) return Malformed("a bad big number", line);
      break;
    default: break;
  }
  value = Reply::Text(kind, std::string(line));
  return Step::kValue;
}

Result<ReplyParser::Step> ReplyParser::BeginBulk(Kind kind, Bytes line, Reply& value) {
  if (line == "?") return Status::Unsupported("streamed strings are not read");
  if (line == "-1" && kind == Kind::kBulk) {
    value = Reply::Null();
    return Step::kValue;
  }
  std::int64_t bytes = 0;
  if (!ReadInteger(line, bytes) || bytes < 0) return Malformed("a bad length", line);
  if (bytes > limits_.bulk_bytes_max) return TooMuch("bytes in a bulk string");
  if (kind == Kind::kVerbatim && bytes < static_cast<std::int64_t>(kVerbatimPrefixBytes)) {
    return Malformed("a verbatim string without a format", line);
  }
  payload_kind_ = kind;
  payload_bytes_ = static_cast<std::size_t>(bytes);
  const std::size_t wanted = payload_bytes_ + kLineBreakBytes;
  if (wanted > buffer_.size()) {
    buffer_.Reserve(std::min(wanted - buffer_.size(), kAnnouncedBytesMax));
  }
  return Step::kOpened;
}

// The bytes a bulk string announced.
Result<ReplyParser::Step> ReplyParser::ReadPayload(Reply& value) {
  if (buffer_.size() < payload_bytes_ + kLineBreakBytes) return Step::kShort;
  const Bytes payload = buffer_.view().substr(0, payload_bytes_);
  if (buffer_.view().substr(payload_bytes_, kLineBreakBytes) != "\r\n") {
    return Malformed("no line break after a bulk string", payload);
  }
  if (*payload_kind_ == Kind::kVerbatim && payload[kVerbatimPrefixBytes - 1] != ':') {
    return Malformed("a verbatim string without a format", payload);
  }
  MAYFLY_RETURN_IF_ERROR(Count(payload_bytes_ + kLineBreakBytes));
  value = Reply::Text(*payload_kind_, std::string(payload));
  payload_kind_.reset();
  buffer_.Consume(payload_bytes_ + kLineBreakBytes);
  return Step::kValue;
}

Result<ReplyParser::Step> ReplyParser::BeginAggregate(char marker, Bytes line, Reply& value) {
  if (line == "?") return Status::Unsupported("streamed aggregates are not read");
  if (line == "-1" && marker == '*') {
    value = Reply::NullArray();
    return Step::kValue;
  }
  std::int64_t count = 0;
  if (!ReadInteger(line, count) || count < 0) return Malformed("a bad count", line);
  if (count > static_cast<std::int64_t>(limits_.values_max)) return TooMuch("values");
  if (marker == '>' && !stack_.empty()) return Malformed("a push within a reply", line);
  const bool pairs = marker == '%' || marker == '|';
  const std::size_t items = static_cast<std::size_t>(count) * (pairs ? 2 : 1);
  Kind kind = Kind::kArray;
  if (marker == '~') kind = Kind::kSet;
  if (marker == '>') kind = Kind::kPush;
  if (pairs) kind = Kind::kMap;
  const bool is_attribute = marker == '|';
  if (items > 0) return Open(kind, items, is_attribute);
  if (is_attribute) return Step::kOpened;  // It is not the value itself.
  value = Reply::Of(kind, {});
  return Step::kValue;
}

Result<ReplyParser::Step> ReplyParser::Open(Kind kind, std::size_t items, bool is_attribute) {
  if (stack_.size() >= limits_.depth_max) return TooMuch("aggregates within one another");
  Frame frame;
  frame.reply = Reply::Of(kind, {});
  frame.reply.items().reserve(std::min(items, kAnnouncedValuesMax));
  if (!is_attribute) frame.reply.attributes = std::exchange(attributes(), {});
  frame.items_left = items;
  frame.is_attribute = is_attribute;
  stack_.push_back(std::move(frame));
  return Step::kOpened;
}

// Adds a value to its aggregate, and every aggregate it completes. Returns the reply once complete.
std::optional<Reply> ReplyParser::Close(Reply value) {
  if (value.attributes.empty()) value.attributes = std::exchange(attributes(), {});
  while (!stack_.empty()) {
    stack_.back().reply.items().push_back(std::move(value));
    if (--stack_.back().items_left > 0) return std::nullopt;
    Frame done = std::move(stack_.back());
    stack_.pop_back();
    if (done.is_attribute) {
      Reply::Items& to = attributes();
      std::move(done.reply.items().begin(), done.reply.items().end(), std::back_inserter(to));
      return std::nullopt;
    }
    value = std::move(done.reply);
  }
  values_ = wire_bytes_ = 0;
  return value;
}

// Takes a line off the front, without its line break. The view is valid until the buffer changes.
Result<std::optional<Bytes>> ReplyParser::TakeLine() {
  const Bytes window = buffer_.view().substr(0, limits_.line_bytes_max + kLineBreakBytes);
  const std::size_t end = window.find('\n', scanned_);
  if (end == Bytes::npos) {
    scanned_ = window.size();
    if (window.size() >= limits_.line_bytes_max + kLineBreakBytes)
      return TooMuch("bytes in a line");
    return std::optional<Bytes>();
  }
  const Bytes line = window.substr(0, end);
  if (line.find('\r') + 1 != line.size() || line.empty()) {
    return Malformed("a line break that is not \\r\\n", line);
  }
  MAYFLY_RETURN_IF_ERROR(Count(end + 1));
  scanned_ = 0;
  buffer_.Consume(end + 1);
  return std::optional<Bytes>(line.substr(0, line.size() - 1));
}

Status ReplyParser::Count(std::size_t wire_bytes) {
  wire_bytes_ += wire_bytes;
  return wire_bytes_ <= limits_.reply_bytes_max ? Status::Ok() : TooMuch("bytes");
}

}  // namespace mayfly
